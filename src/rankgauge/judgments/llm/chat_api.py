"""The contract of an API for chats: where requests go, what they look like, and what comes back.

Inside RankGauge a request has the fields of OpenAI's chat completions, and a reply has its choices; an API translates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rankgauge.registry import Registered, Registry

CHAT_APIS: Registry[ChatApi] = Registry("API", "rankgauge.judgments.llm.apis")

Fields = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The choices of an answer, the endpoint's words for its model and version, the tokens if counted, and the time."""

    choices: Sequence[Fields]
    tokens_in: int | None
    tokens_out: int | None
    model: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ChatApi(Registered):
    """How one kind of endpoint is asked."""

    registry: ClassVar[Registry[ChatApi]] = CHAT_APIS

    name: str
    title: str
    is_at: Callable[[str], bool]
    """Tells from a URL, path and query included, that such an endpoint is there."""
    address: Callable[[str], str]
    """Returns the address that requests go to, from the URL that a user names."""
    headers: Callable[[str], Mapping[str, str]]
    """Returns the headers that carry a key, and any others that the API asks for."""
    body: Callable[[Fields], Fields] = dict
    """Translates a request."""
    choices: Callable[[Fields], Sequence[Fields] | None]
    """Translates the answers of a reply; None if it has none."""
    usage: tuple[str, str]
    """The names of the counts of tokens, of the prompt and of the answer."""
    listing: str | None = None
    """The path at which models are listed with their digests, where answers do not tell a model's version."""

    def reply(self, held: Any) -> Reply | None:
        """Return the reply in a JSON document; None if it is not one of this API's."""
        fields = held if isinstance(held, Mapping) else {}
        choices = self.choices(fields)
        if not isinstance(choices, list) or not choices or not all(isinstance(choice, Mapping) for choice in choices):
            return None
        counts = fields.get("usage", fields)
        tokens = [_count(counts.get(name)) if isinstance(counts, Mapping) else None for name in self.usage]
        named = [fields.get("model"), fields.get("system_fingerprint")]  # OpenAI's name for the version behind a model
        model = " ".join(name for name in named if name and isinstance(name, str)) or None
        return Reply(choices=choices, tokens_in=tokens[0], tokens_out=tokens[1], model=model)


def api_at(url: str) -> ChatApi:
    """Return the API that a URL's own form tells; OpenAI's, which most servers speak, if it tells none."""
    return next((api for api in CHAT_APIS.values() if api.is_at(url)), CHAT_APIS["openai"])


def with_path(path: str) -> Callable[[str], str]:
    """Return a function that gives a URL this path at its end, once."""
    return lambda url: url if url.endswith(path) else url + path


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else None
