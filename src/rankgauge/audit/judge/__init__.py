"""JUDGES AGAINST PEOPLE: how far a machine judge agrees with people, where it errs, and what that does to a board."""

from rankgauge.audit.judge.judge_audit import JudgeAudit, audit_judges

__all__ = ["JudgeAudit", "audit_judges"]
