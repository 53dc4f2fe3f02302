"""Roles: what each person of the room may do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Permission(StrEnum):
    """Something that a person may do; all but the last within their own campaign."""

    JUDGE = "judge"
    """Be handed documents, and answer those."""
    WATCH = "watch"
    """See estimates, labels and who gave them; download them."""
    IMPORT = "import"
    """Record labels from elsewhere, for documents that were not handed out, in others' names."""
    MANAGE = "manage"
    """Change rules, pause, invite and revoke, settle disagreements."""
    ADMINISTER = "administer"
    """Make campaigns, and do everything in all of them."""


class Role(StrEnum):
    """The role of a person: an admin belongs to the room, everybody else to one campaign."""

    ADMIN = "admin"
    MANAGER = "manager"
    ASSESSOR = "assessor"
    VIEWER = "viewer"

    def may(self, permission: Permission) -> bool:
        """Whether people of this role may do that."""
        return permission in PERMISSIONS[self]


PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ADMIN: frozenset(Permission),
    Role.MANAGER: frozenset(Permission) - {Permission.ADMINISTER},
    Role.ASSESSOR: frozenset({Permission.JUDGE}),
    Role.VIEWER: frozenset({Permission.WATCH}),
}

WORDS: Mapping[Role, str] = {
    Role.ADMIN: "makes campaigns, and does everything in all of them",
    Role.MANAGER: "runs this campaign: rules, people, imports, disagreements",
    Role.ASSESSOR: "judges what is handed out, and sees nothing else",
    Role.VIEWER: "sees this campaign and its labels, and changes nothing",
}
"""What the roles are for, in the words of the pages."""
