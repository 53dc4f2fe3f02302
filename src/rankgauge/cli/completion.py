"""Tab: what shells offer, the scripts that ask, and their installation.

A script calls the program with `_RANKGAUGE_COMPLETE=complete_SHELL`. The words so far are in COMP_WORDS, a line each,
and COMP_CWORD is the place of the one that is being typed. Nothing offered means files, which shells know better.
"""

from __future__ import annotations

import os
import re
import sys

from rankgauge.cli.command import HELP_ALL, PROGRAM, find
from rankgauge.cli.parser import Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgauge.cli.command import Command
    from rankgauge.cli.parser import Parameter

VARIABLE = "_RANKGAUGE_COMPLETE"

BREAK = re.compile(r"[@=:]+")
"""Where bash breaks a word in two, with the break as a word of its own."""

SCRIPTS = {
    "bash": r"""_rankgauge_completion() {
    local IFS=$'\n'
    COMPREPLY=( $( COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _RANKGAUGE_COMPLETE=complete_bash "$1" ) )
}
complete -o default -F _rankgauge_completion rankgauge
""",
    "zsh": r"""#compdef rankgauge
_rankgauge_completion() {
    local -a offers
    offers=("${(@f)$(COMP_WORDS="${(F)words}" COMP_CWORD=$((CURRENT - 1)) _RANKGAUGE_COMPLETE=complete_zsh rankgauge)}")
    if [[ -n "${offers[1]}" ]]; then
        _describe -V name offers
    else
        _files
    fi
}
compdef _rankgauge_completion rankgauge
""",
    "fish": r"""function __rankgauge_offers
    set -l words (commandline -opc) (commandline -ct)
    set -lx COMP_WORDS (string join \n -- $words | string collect)
    set -lx COMP_CWORD (math (count $words) - 1)
    _RANKGAUGE_COMPLETE=complete_fish rankgauge
end
complete --command rankgauge --keep-order --no-files --condition '__rankgauge_offers | string length --quiet' \
    --arguments '(__rankgauge_offers)'
""",
    "powershell": r"""Register-ArgumentCompleter -Native -CommandName rankgauge -ScriptBlock {
    param($word, $line, $cursor)
    $words = @($line.CommandElements | ForEach-Object { $_.ToString() })
    if ($word -eq '') { $words += '' }
    $env:COMP_WORDS = $words -join "`n"
    $env:COMP_CWORD = $words.Count - 1
    $env:_RANKGAUGE_COMPLETE = 'complete_powershell'
    rankgauge | ForEach-Object {
        $name, $about = $_ -split "`t", 2
        [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', ($about ? $about : $name))
    }
    Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:_RANKGAUGE_COMPLETE
}
""",
}

FILES = {
    "bash": (".bash_completions/rankgauge.sh", ".bashrc", "source ~/.bash_completions/rankgauge.sh"),
    "zsh": (".zfunc/_rankgauge", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/rankgauge.fish", "", ""),
}
"""Where a shell's script is installed, the file that must load it, and the line that does, from the home folder."""


def answer(words: Sequence[str]) -> None:
    """Answer a shell that asks what to offer, or a user who wants its script."""
    shell = os.environ.get(VARIABLE, "").removeprefix("complete_")
    if shell:
        _offer(shell)
    elif words[0] == "--show-completion":
        print(SCRIPTS[_shell(words)], end="")
    else:
        _install(_shell(words))


def offers(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return what fits the last of the words after `rankgauge`, each with a few words on it."""
    *before, last = words
    asked, rest = find(before)
    known = _offers(asked, rest, last)
    return [(name, about) for name, about in known if name.startswith(last)]


def _offers(asked: Command, rest: Sequence[str], last: str) -> list[tuple[str, str]]:
    if asked.is_group:
        children = [(name, known.about.partition("\n")[0]) for name, known in asked.children().items()]
        flags = ["--help"] if asked.name else ["--help", "--version", "--install-completion", "--show-completion"]
        return children if not last.startswith("-") else [(flag, "") for flag in flags]
    parameters = asked.parameters
    line = Line(parameters, rest)
    flag, equals, value = last.partition("=")
    if line.awaited is None and equals and flag.startswith("--"):
        named = next((parameter for parameter in parameters if flag in parameter.spellings), None)
        return [(f"{flag}={name}", about) for name, about in _complete_name(named, value, rest)]
    if line.awaited is None and last.startswith("-"):
        return [
            *((flag, parameter.help) for parameter in parameters for flag in _long(parameter)),
            ("--help", ""),
            (HELP_ALL, ""),
        ]
    return _complete_name(line.awaited or _place(parameters, len(line.places)), last, rest)


def _long(parameter: Parameter) -> list[str]:
    return [part for flag in parameter.flags for part in flag.split("/") if part.startswith("--")]


def _place(parameters: Sequence[Parameter], place: int) -> Parameter | None:
    """Return the argument at a place: the last one if that may be repeated."""
    arguments = [parameter for parameter in parameters if parameter.is_argument]
    if place < len(arguments):
        return arguments[place]
    return arguments[-1] if arguments and arguments[-1].count is None else None


def _complete_name(parameter: Parameter | None, beginning: str, words: Sequence[str]) -> list[tuple[str, str]]:
    return [] if parameter is None or parameter.offer is None else parameter.offer(beginning, words)


def _offer(shell: str) -> None:
    """Print what is offered as the shell wants it."""
    words, current = os.environ.get("COMP_WORDS", "").split("\n"), int(os.environ.get("COMP_CWORD", "1"))
    words, before = [*words, ""][: current + 1], ""
    if shell == "bash":
        words, before = join_broken(words)
    for name, about in offers(words[1:]):
        if shell == "bash":
            print(name.removeprefix(before))
        elif shell == "zsh":
            print(name.replace("\\", "\\\\").replace(":", "\\:") + (f":{about}" if about else ""))
        else:
            print(f"{name}\t{about}" if about else name)


def join_broken(words: list[str]) -> tuple[list[str], str]:
    """Join the words that bash has broken at @, = and :, as in `-m nDCG@10,A`.

    Bash puts what is offered in the place of its own last word: the second value is what comes before that.
    """
    whole: list[str] = []
    before, joins = "", False
    for word in words:
        breaks = BREAK.fullmatch(word) is not None
        if whole and (breaks or joins):
            # A word after @ may be a host's name, which bash completes together with its @.
            before = whole[-1] + word.removesuffix("@") if breaks else before
            whole[-1] += word
        else:
            before = ""
            whole.append(word)
        joins = breaks
    return whole, before


def _shell(words: Sequence[str]) -> str:
    """Return the shell that was named, or that of the user."""
    from rankgauge.errors import UnknownNameError

    name = words[1] if len(words) > 1 else os.path.basename(os.environ.get("SHELL", "bash"))
    name = {"pwsh": "powershell", "sh": "bash"}.get(name, name)
    if name not in SCRIPTS:
        raise UnknownNameError("shell", name, SCRIPTS)
    return name


def _install(shell: str) -> None:
    """Write the script where the shell finds it, and have its own file load it."""
    from pathlib import Path

    if shell not in FILES:
        print(f"Add this line to $PROFILE:\n  {PROGRAM} --show-completion {shell} | Out-String | Invoke-Expression")
        return
    script, settings, line = FILES[shell]
    path = Path.home() / script
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCRIPTS[shell], encoding="utf-8")
    if settings:
        loading = Path.home() / settings
        text = loading.read_text(encoding="utf-8") if loading.exists() else ""
        if line not in text:
            loading.write_text(f"{text.rstrip()}\n\n{line}\n".lstrip(), encoding="utf-8")
    print(f"{shell} completes {PROGRAM} from the next terminal on: {path}", file=sys.stderr)
