r"""Formulas for a page: LaTeX in, MathML out, which browsers draw by themselves; `\frac{1}{R}` is a fraction.

It knows the LaTeX that `formula` knows, and refuses the rest.
"""

from __future__ import annotations

import re
from html import escape

from rankgauge.report.formula import LARGE, PLAIN, SYMBOLS, unspaced

__all__ = ["mathml"]

SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.25em", "quad": "1em", "qquad": "2em"}
WORDS = ("arg", "exp", "ln", "log", "max", "min")
LIMITS = ("max", "min", *LARGE)
"""What has its scripts below and above it where a formula stands by itself."""

_TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}_^]|\d+(?:\.\d+)?|[^\\{}_^]")


def mathml(latex: str, *, block: bool = False) -> str:
    """The formula as an element of a page, in its line or by itself."""
    parts, rest = _sequence(_TOKEN.findall(latex))
    if rest:
        raise ValueError(f"a closing brace too many in {latex}")
    display = "block" if block else "inline"
    return f'<math display="{display}">' + "".join(parts) + "</math>"


def _sequence(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The elements before the next closing brace, each with its scripts, and the tokens after it."""
    parts: list[str] = []
    while tokens and tokens[0] != "}":
        if tokens[0] == " ":
            tokens = tokens[1:]
            continue
        large = tokens[0].lstrip("\\") in LIMITS
        part, tokens = _item(tokens)
        part, tokens = _scripts(part, tokens, large=large)
        parts += [part] if part else []
    return parts, tokens[1:]


def _scripts(base: str, tokens: list[str], *, large: bool) -> tuple[str, list[str]]:
    """The element with what stands below and above it, and the tokens after that."""
    scripts: dict[str, str] = {}
    while tokens and tokens[0] in ("_", "^"):
        scripts[tokens[0]], tokens = _item(unspaced(tokens[1:]))
    names = {"_": "munder", "^": "mover", "_^": "munderover"} if large else {"_": "msub", "^": "msup", "_^": "msubsup"}
    kind = "".join(script for script in "_^" if script in scripts)
    if not kind:
        return base, tokens
    return f"<{names[kind]}>{base}{''.join(scripts[script] for script in kind)}</{names[kind]}>", tokens


def _item(tokens: list[str]) -> tuple[str, list[str]]:
    """The first element, without its scripts, and the tokens after it."""
    token, rest = tokens[0], tokens[1:]
    if token == "{":
        parts, rest = _sequence(rest)
        return f"<mrow>{''.join(parts)}</mrow>", rest
    return _command(token[1:], rest) if token[0] == "\\" else (_plain(token), rest)


def _command(name: str, rest: list[str]) -> tuple[str, list[str]]:
    if name in ("text", "textrm"):
        return _text("<mtext>{}</mtext>", rest)
    if name in PLAIN:
        return _text('<mi mathvariant="normal">{}</mi>', rest)
    if name in ("frac", "tfrac", "dfrac"):
        above, rest = _item(unspaced(rest))
        below, rest = _item(unspaced(rest))
        return f"<mfrac>{above}{below}</mfrac>", rest
    if name == "sqrt":
        below, rest = _item(unspaced(rest))
        return f"<msqrt>{below}</msqrt>", rest
    return _symbol(name), rest


def _symbol(name: str) -> str:
    """A letter, word, sign or space that takes nothing after it."""
    if name in SPACES:
        return f'<mspace width="{SPACES[name]}"/>'
    if name in LARGE:
        return f"<mo>{'∑' if name == 'sum' else '∏'}</mo>"
    if name in WORDS:
        return f"<mi>{name}</mi>"
    if name not in SYMBOLS:
        raise ValueError(f"no MathML is known for \\{name}")
    return _plain(SYMBOLS[name]) if SYMBOLS[name] else ""


def _text(element: str, tokens: list[str]) -> tuple[str, list[str]]:
    """The words in braces, upright."""
    tokens = unspaced(tokens)
    end = tokens.index("}") if tokens[0] == "{" else 0
    words = "".join(tokens[1:end]) if end else tokens[0]
    shown = escape(words).replace(" ", "\u00a0")  # spaces at the ends would be lost
    return element.format(shown), tokens[end + 1 :]


def _plain(token: str) -> str:
    """A number, a letter or an operator."""
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{token}</mi>" if token.isalpha() else f"<mo>{escape(token.replace('-', '−'))}</mo>"
