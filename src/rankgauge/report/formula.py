r"""Formulas for a terminal: LaTeX in, one readable line out; `\frac{1}{R}\sum_{r=1}^{k} P@r` is `1/R Σ(r=1..k) P@r`.

It knows the LaTeX that the measures use; what it does not know it refuses, and a test reads every measure's formula.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["LARGE", "PLAIN", "SYMBOLS", "readable", "unspaced"]

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys(("left", "right", "!", "big", "Big", "bigl", "bigr", "displaystyle"), ""),
    **dict.fromkeys((",", ";", ":", " "), " "),
    **dict.fromkeys(("quad", "qquad"), "\u2003"),
    **{name: name for name in ("exp", "ln", "log", "max", "min", "arg")},
    **{"{": "{", "}": "}", "|": "|", "lvert": "|", "rvert": "|", "mid": "|", "%": "%", "_": "_", "#": "#", "&": "&"},
    **{"ge": "≥", "geq": "≥", "le": "≤", "leq": "≤", "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫", "approx": "≈"},
    **{"cdot": "·", "times": "×", "pm": "±", "div": "÷", "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩"},
    **{"setminus": "∖", "subset": "⊂", "subseteq": "⊆", "emptyset": "∅", "infty": "∞", "to": "→", "mapsto": "↦"},
    **{"ldots": "…", "dots": "…", "cdots": "…", "prime": "′", "forall": "∀", "exists": "∃", "ell": "ℓ"},
    **{"partial": "∂", "propto": "∝"},
    **{"lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "land": "∧", "lor": "∨"},
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε", "theta": "θ"},
    **{"lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "varphi": "φ", "phi": "φ"},
    **{"Delta": "Δ", "Lambda": "Λ", "Phi": "Φ", "Gamma": "Γ", "Omega": "Ω", "omega": "ω", "eta": "η", "kappa": "κ"},
}
LARGE: Mapping[str, str] = {"sum": "Σ", "prod": "Π"}
PLAIN = ("mathrm", "text", "textrm", "mathit", "mathbf", "mathcal", "operatorname")

_TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}_^]|[^\\{}_^]")


def readable(latex: str) -> str:
    """The formula as one line of plain text."""
    text, rest = _sequence(_TOKEN.findall(latex))
    if rest:
        raise ValueError(f"a closing brace too many in {latex}")
    single = re.sub(r" +", " ", text)
    return re.sub(r" *\u2003 *", "  ", re.sub(r" +([,.;)\]])", r"\1", single)).strip()


def _sequence(tokens: list[str]) -> tuple[str, list[str]]:
    """What stands before the next closing brace, and the tokens after it."""
    text = ""
    while tokens and tokens[0] != "}":
        part, tokens = _item(tokens)
        text += part
    return text, tokens[1:]


def _item(tokens: list[str]) -> tuple[str, list[str]]:
    """The first item as text, and the tokens after it."""
    token, rest = tokens[0], tokens[1:]
    if token == "{":
        return _sequence(rest)
    if token in "_^":
        script, rest = _item(unspaced(rest))
        return _script(token, script), rest
    return _command(token[1:], rest) if token[0] == "\\" else (token, rest)


def _command(name: str, rest: list[str]) -> tuple[str, list[str]]:
    if name in SYMBOLS:
        return SYMBOLS[name], rest
    if name in LARGE:
        return _large(LARGE[name], rest)
    if name in PLAIN:
        return _item(unspaced(rest))
    if name in ("frac", "tfrac", "dfrac"):
        above, rest = _item(unspaced(rest))
        below, rest = _item(unspaced(rest))
        return f"{_grouped(above)}/{_grouped(below)} ", rest
    if name == "sqrt":
        below, rest = _item(unspaced(rest))
        return f"√{_grouped(below)}", rest
    if name == "binom":
        above, rest = _item(unspaced(rest))
        below, rest = _item(unspaced(rest))
        return f"C({above}, {below})", rest
    if name in ("bar", "overline", "hat", "tilde"):
        inner, rest = _item(unspaced(rest))
        return inner + {"hat": "\u0302", "tilde": "\u0303"}.get(name, "\u0304"), rest
    raise ValueError(f"no plain text is known for \\{name}")


def _large(symbol: str, rest: list[str]) -> tuple[str, list[str]]:
    """A sum or product with its range: Σ(r=1..k)."""
    range_: dict[str, str] = {}
    while rest and rest[0] in "_^":
        range_[rest[0]], rest = _item(unspaced(rest[1:]))
    shown = "..".join(range_[script].strip() for script in "_^" if script in range_)
    return f"{symbol}({shown}) " if shown else f"{symbol} ", unspaced(rest)


def _script(kind: str, script: str) -> str:
    if kind == "^" and script in ("*", "′"):
        return script
    script = script.strip()
    return kind + (script if re.fullmatch(r"[\w*]+", script) else f"({script})")


def _grouped(text: str) -> str:
    """The text in brackets where a division would tear it apart."""
    text = text.strip()
    whole = re.fullmatch(r"[\w.*^|]+|\w*\([^()]*\)|\[[^\[\]]*\]", text)
    return text if whole else f"({text})"


def unspaced(tokens: list[str]) -> list[str]:
    while tokens and tokens[0] == " ":
        tokens = tokens[1:]
    return tokens
