r"""Formulas from LaTeX: one readable line for a terminal, MathML for pages, which browsers draw by themselves.

`\frac{1}{R}\sum_{r=1}^{k} P@r` reads `1/R Σ(r=1..k) P@r`. One reader serves both, knows the LaTeX of the measures, and
refuses the rest, so that no measure shows half a formula; a library would do MathML only, and pass on what it does not
know.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys(("left", "right", "!", "big", "Big", "bigl", "bigr", "displaystyle"), ""),
    **dict.fromkeys((",", ";", ":", " "), " "),
    **dict.fromkeys(("quad", "qquad"), "\u2003"),
    **{name: name for name in ("exp", "ln", "log", "max", "min", "arg")},
    **{"{": "{", "}": "}", "|": "|", "lvert": "|", "rvert": "|", "mid": "|", "%": "%", "_": "_", "#": "#", "&": "&"},
    **{"ge": "≥", "geq": "≥", "le": "≤", "leq": "≤", "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫", "approx": "≈"},
    **{"cdot": "·", "times": "×", "pm": "±", "div": "÷", "in": "∈", "notin": "∉", "cup": "∪", "cap": "∩", "succ": "≻"},
    **{"setminus": "∖", "subset": "⊂", "subseteq": "⊆", "emptyset": "∅", "infty": "∞", "to": "→", "mapsto": "↦"},
    **{"ldots": "…", "dots": "…", "cdots": "…", "prime": "′", "forall": "∀", "exists": "∃", "ell": "ℓ"},
    **{"partial": "∂", "propto": "∝", "psi": "ψ"},
    **{"lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "land": "∧", "lor": "∨"},
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε", "theta": "θ"},
    **{"lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "varphi": "φ", "phi": "φ"},
    **{"Delta": "Δ", "Lambda": "Λ", "Phi": "Φ", "Gamma": "Γ", "Omega": "Ω", "omega": "ω", "eta": "η", "kappa": "κ"},
}
LARGE: Mapping[str, str] = {"sum": "Σ", "prod": "Π"}
UPRIGHT = ("mathrm", "text", "textrm", "mathit", "mathbf", "mathcal", "operatorname")
LIMITS = ("max", "min", *LARGE)
"""What has its scripts below and above it where a formula is on a line of its own."""
SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.25em", "quad": "1em", "qquad": "2em"}

Node: TypeAlias = tuple[Any, ...]
"""A part of a formula: what it is, and its own parts."""

_TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}_^]|\d+(?:\.\d+)?|[^\\{}_^]")


def readable(latex: str) -> str:
    """Return the formula as one line of plain text."""
    single = re.sub(r" +", " ", _join(_parse(latex), _text))
    return re.sub(r" *\u2003 *", "  ", re.sub(r" +([,.;)\]])", r"\1", single)).strip()


def mathml(latex: str, *, block: bool = False) -> str:
    """Return the formula as an element of a page, in its line or by itself."""
    return f'<math display="{"block" if block else "inline"}">{_join(_parse(latex), _element)}</math>'


def _parse(latex: str) -> list[Node]:
    tokens = deque(_TOKEN.findall(latex))
    nodes = _group(tokens)
    if tokens:
        raise ValueError(f"a closing brace too many in {latex}")
    return nodes


def _group(tokens: deque[str]) -> list[Node]:
    """Return what comes before the next closing brace, each part with its scripts."""
    parts = []
    while tokens and tokens[0] != "}":
        base, scripts = _item(tokens), dict[str, Node]()
        while tokens and tokens[0] in ("_", "^"):
            kind = tokens.popleft()
            scripts[kind] = _argument(tokens)
        large = base[0] == "symbol" and base[1] in LARGE
        parts.append(("scripts", base, scripts) if scripts or large else base)
    return parts


def _item(tokens: deque[str]) -> Node:
    token = tokens.popleft()
    if token == "{":
        nodes = _group(tokens)
        tokens.popleft()
        return "row", nodes
    if token[0] != "\\":
        return "plain", token
    name = token[1:]
    if name in UPRIGHT:
        return "words", name, _argument(tokens)
    if name in ("frac", "tfrac", "dfrac"):
        return "fraction", _argument(tokens), _argument(tokens)
    if name == "sqrt":
        return "root", _argument(tokens)
    if name in SYMBOLS or name in LARGE:
        return "symbol", name
    raise ValueError(f"nothing is known of \\{name}")


def _argument(tokens: deque[str]) -> Node:
    while tokens and tokens[0] == " ":
        tokens.popleft()
    return _item(tokens)


def _join(nodes: Sequence[Node], written: Callable[[Node], str]) -> str:
    return "".join(map(written, nodes))


def _text(node: Node) -> str:
    """Return a part as plain text."""
    match node:
        case "plain", token:
            return str(token)
        case "symbol", name:
            return SYMBOLS[name] if name in SYMBOLS else LARGE[name]
        case "row", inside:
            return _join(inside, _text)
        case "words", _, inside:
            return _text(inside)
        case "fraction", above, below:
            return f"{_bracket(_text(above))}/{_bracket(_text(below))} "
        case "root", inside:
            return f"√{_bracket(_text(inside))}"
        case "scripts", ("symbol", name), scripts if name in LARGE:  # a sum or product with its range: Σ(r=1..k)
            range_ = "..".join(_text(scripts[kind]).strip() for kind in "_^" if kind in scripts)
            return f"{LARGE[name]}({range_}) " if range_ else f"{LARGE[name]} "
        case "scripts", base, scripts:
            return _text(base) + "".join(_script(kind, _text(script).strip()) for kind, script in scripts.items())
    raise AssertionError(node)


def _script(kind: str, script: str) -> str:
    if kind == "^" and script in ("*", "′"):
        return script
    return kind + (script if re.fullmatch(r"[\w*]+", script) else f"({script})")


def _bracket(text: str) -> str:
    """Return the text in brackets where a division would tear it apart."""
    text = text.strip()
    whole = re.fullmatch(r"[\w.*^|]+|\w*\([^()]*\)|\[[^\[\]]*\]", text)
    return text if whole else f"({text})"


def _element(node: Node) -> str:
    """Return a part as an element of MathML."""
    match node:
        case "plain", token:
            return _plain(token)
        case "symbol", name if name in SPACES:
            return f'<mspace width="{SPACES[name]}"/>'
        case "symbol", name:
            return f"<mo>{'∑' if name == 'sum' else '∏'}</mo>" if name in LARGE else _plain(SYMBOLS[name])
        case "row", inside:
            return f"<mrow>{_join(inside, _element)}</mrow>"
        case "words", name, inside:
            shown = escape(_text(inside)).replace(" ", "\u00a0")  # spaces at the ends would be lost
            return f"<mtext>{shown}</mtext>" if name.startswith("text") else f'<mi mathvariant="normal">{shown}</mi>'
        case "fraction", above, below:
            return f"<mfrac>{_element(above)}{_element(below)}</mfrac>"
        case "root", inside:
            return f"<msqrt>{_element(inside)}</msqrt>"
        case "scripts", base, scripts:
            tags = {"_": "under", "^": "over"} if base[1] in LIMITS else {"_": "sub", "^": "sup"}
            tag = "".join(name for kind, name in tags.items() if kind in scripts)
            inside = "".join(_element(scripts[kind]) for kind in tags if kind in scripts)
            return f"<m{tag}>{_element(base)}{inside}</m{tag}>" if scripts else _element(base)
    raise AssertionError(node)


def _plain(token: str) -> str:
    """Return a number, a letter or an operator; blanks are for the browser to set."""
    if not token.strip(" "):
        return ""
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{token}</mi>" if token.isalpha() else f"<mo>{escape(token.replace('-', '−'))}</mo>"
