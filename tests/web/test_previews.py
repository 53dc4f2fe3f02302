"""Previews of documents: what is rebuilt of HTML and Markdown, and what can never be."""

from __future__ import annotations

import gc
import re
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.room import previews
from rankgauge.room.previews import (
    ATTRIBUTES,
    ELEMENTS,
    LONGEST,
    STYLE,
    _beginnings,
    highlight,
    preview,
    render,
    safe_image,
)
from rankgauge.room.sandbox import Sandbox
from rankgauge.room.settings import RoomSettings

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def body(texts: dict[str, str], query: str = "") -> str:
    """What the page of a document shows, without its head."""
    page = preview(texts, query, ("https://img.example.org",))
    assert page is not None
    return page.partition("</style>")[2]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<p onclick=x>Hi <b>you</b></p>", "<p>Hi <b>you</b></p>"),
        ("<script>steal()</script>after", "after"),
        ("<SCRIPT>never closed", ""),
        ("<style>p{}</style><h1 style='x'>A</h1>", "<h1>A</h1>"),
        ("<a href='javascript:x'>go</a>", "<a>go</a>"),
        ("a <!-- <b> --> c", "a  c"),
        ("2 < 3 &amp; 4 &lt;b&gt;", "2 &lt; 3 &amp; 4 &lt;b&gt;"),
        (
            "<table><td colspan=2 rowspan='3' width=9>x",
            '<table><tbody><tr><td colspan="2" rowspan="3">x</td></tr></tbody></table>',
        ),
        ("<p lang='2&quot; onclick=&quot;x'>a", '<p lang="2&quot; onclick=&quot;x">a</p>'),
        ("<iframe src=//x>inside</iframe><form><input>text", "text"),
        (f"<img src={PIXEL} onerror=x alt='a dot'>", f'<img src="{PIXEL}" alt="a dot">'),
        ("<img src=https://evil.example/x.png alt=words>", '<img alt="words">'),
        ("<base href=//x><meta http-equiv=refresh content=0><link rel=stylesheet href=//x>", ""),
    ],
)
def test_what_stays_of_html(source: str, shown: str) -> None:
    """Known elements and text stay; scripts, styles, handlers, addresses and frames do not."""
    assert body({"html": source}) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("# A *big* title", "<h1>A <em>big</em> title</h1>"),
        ("one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"),
        ("- a\n- **b**", "<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("- a\n  - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"),
        ("[words](javascript:x) `<i>`", "<p>[words](javascript:x) <code>&lt;i&gt;</code></p>"),
        ("[words](https://a.example)", "<p><a>words</a></p>"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        (f"![dot]({PIXEL})", f'<p><img src="{PIXEL}" alt="dot"></p>'),
    ],
)
def test_what_markdown_becomes(source: str, shown: str) -> None:
    """The usual marks become elements; HTML inside is text; a link keeps its words, not its address."""
    assert body({"markdown": source}).strip("\n") == shown


def test_tables_of_markdown() -> None:
    """A table has a head and rows."""
    made = body({"markdown": "| a | b |\n|---|---|\n| 1 | 2 |"})
    assert "<th>a</th>" in made
    assert "<td>2</td>" in made


def test_the_words_of_the_query_are_marked() -> None:
    """In a framed document as in plain text, and never inside a tag."""
    found = body({"html": "<p lang='battery'>Batterys &amp; a battery</p>"}, "battery range")
    assert found == '<p lang="battery"><mark>Batterys</mark> &amp; a <mark>battery</mark></p>'


@given(st.text(alphabet=st.sampled_from("<>/=\"'&; ab!-scriptmg\n"), max_size=200))
def test_nothing_but_known_elements(source: str) -> None:
    """Whatever the text is, every tag of the result is a known element with known attributes."""
    for kind in ("html", "markdown"):
        made = render(kind, source, "ab script", ()).partition("</style>")[2]
        for name, attributes in re.findall(r"<(/?[^\s>]*)((?:\"[^\"]*\"|[^\">])*)>", made):
            assert name.removeprefix("/") in ELEMENTS | {"img"}
            kept = re.findall(r'\s([\w-]+)="[^"]*"', attributes)
            assert set(kept) <= ATTRIBUTES | {"src", "alt"}
            assert re.sub(r'\s[\w-]+="[^"]*"', "", attributes) == ""


HTML = r"""
<b> <b><p> <p> <div> <table> <table><tr><td> <a> <a_href=x> <b_i=#> <b_i=#><p> <font_size=#><p>x <i><b><a> </p>
</b> <li> <ul><li> <dd> <!-- <!--x--> <script> <script></script> <style> <title></ <svg> <math> <svg><p>
<select><option> <form> <input> <frameset> <template> <h1> <h1><h2> <nobr> <button> <td> <table><b> <table>x
<b></p> <b><div></b> <a><div><a> <em><p></em> &amp & &lt; < </ <a_b=c_ <a_b=' <x> <![CDATA[ <? <!DOCTYPE <pre>
<ruby><rt> <plaintext> <xmp> <noscript> <iframe> <object> <applet> <body_a=#> <html_a=#> <img_src=x>
<p><b><i><u><s><a> <dl><dt> <hr> <br> </br> <image> battery_ &battery; <div/> <p_#='"> <b></b> <p></p> <a></b>
<td_x=" <mark> <q><q> <sub><sup> <caption> <li></ul> <ul></li> <nobr></nobr> <s></i>
"""
MARKDOWN = r"""
![]( [ ![ [a]( < <!-- ` ``a` *a_ **a _a_ #_###x~ >_ -_ 1._ | a|b~ |- [a]:_b~ & &amp \ %%a <a_ [a]:_< ] [] ()
![a](_ *_ ***a `a`` ~~-_a >_>_ a~ ![[]]() [[a]](b) <http://a &# a__~ -~ =~---~ ```~ %%% [a][ [a]:~ '"
http://a.b_ [x](< [x](" [x](a_' __-_a~ *_*_* |a~|-~ **_ *a**b [^a] [a]:# ###_ ______ ***_ <b> <script> &#x41;
1)_ +_ \* \[ !( )] _*_ *a*b* [![ ](]( ``` ~~~~a `_`_ >~ >->_ |:-:| a~=~ a~-~ ====~ <!--x--> <?x?> #~ #a~
[a](b_"c") [a](<b>) &nbsp; ﬀ battery_ \~ ![a][ [a]:_'~
"""
WORDS = r"""
a_ ab_ battery_ bat_ s_ ß_ é_ _a_ 0_ <_ &_ &amp; aaaaaaaa 日本_ ꙮ #_ word#_ batterys rangerange -battery- b́_
"""
"""Pieces of hostile documents: _ is a blank, ~ the end of a line, % a tilde, # a number that counts."""


def repeated(piece: str, length: int) -> str:
    """A text of that length of the piece, again and again."""
    plain = piece.replace("_", " ").replace("~", "\n").replace("%", "~")
    if "#" not in piece or piece.startswith("#"):
        return (plain * (length // len(plain) + 1))[:length]
    return "".join(plain.replace("#", str(n)) for n in range(length // len(plain)))[:length]


CASES = [
    (kind, piece)
    for kind, pieces in {"html": HTML, "markdown": MARKDOWN, "words": WORDS}.items()
    for piece in pieces.split()
]


def render_seconds(kind: str, source: str) -> float:
    """How much time of a processor it takes to show the text; as words, it is the query too. The garbage of the tests
    before is not collected meanwhile."""
    gc.disable()
    begun = time.process_time()
    _beginnings.cache_clear()
    highlight(source, source) if kind == "words" else render(kind, source, "battery range", ())
    seconds = time.process_time() - begun
    gc.enable()
    return seconds


@pytest.mark.parametrize("length", [2_000, pytest.param(30_000, marks=pytest.mark.study)])
def test_rendering_takes_linear_time(length: int) -> None:
    """Of 200 hostile patterns, each takes about four times as long if it is four times as long, and no more."""

    def grows(kind: str, piece: str) -> bool:
        short, long = (render_seconds(kind, repeated(piece, factor * length)) for factor in (1, 4))
        return long > 7 * short + 0.02

    # What grows too fast does so every time; what a busy machine delays does not.
    assert len(CASES) >= 200
    suspects = [case for case in CASES if grows(*case)]
    assert [case for case in suspects if all(grows(*case) for _ in range(6))] == []


def test_what_takes_too_long_is_shown_as_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """A document that passes the limits of time or memory is text, for this one reader; the next is rendered again."""
    monkeypatch.setattr(previews, "SECONDS", 0.5)
    fonts = "".join(f"<b lang={n}><object></b></object><p>" for n in range(10_000))
    for evading in (fonts, fonts + "<p>"):
        begun = time.perf_counter()
        shown = body({"html": evading})
        assert shown.startswith("<p><em>This document takes too long")
        assert "&lt;" in shown
        assert time.perf_counter() - begun < 5
    assert body({"html": "<b>next</b>"}) == "<b>next</b>"


def test_the_time_of_a_document_begins_when_its_process_can_work() -> None:
    """Starting a process takes longer than most documents, and is no reason to show one as its source."""
    sandbox = Sandbox("rankgauge.room.previews", megabytes=256, waiting=1)
    try:
        assert sandbox.run(len, "abc", seconds=0.1) == 3
    finally:
        sandbox.close()


def test_nobody_waits_behind_too_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """One document more than may wait is shown as its source, and laid out when it is opened again."""
    monkeypatch.setattr(previews._SANDBOX, "_places", threading.Semaphore(0))
    assert body({"html": "<b>one too many</b>"}).startswith("<p><em>Too many documents are being laid out")
    monkeypatch.setattr(previews._SANDBOX, "_places", threading.Semaphore(1))
    assert body({"html": "<b>one too many</b>"}) == "<b>one too many</b>"
    assert body({"html": "<b>another</b>"}) == "<b>another</b>"


def test_long_documents_are_cut() -> None:
    """The rest of a long document is left out, without half a tag at the end, and the page says so."""
    made = preview({"html": "word " * (LONGEST // 5 - 1) + "<p title='" + "x" * 100}, "") or ""
    assert made.endswith("word <p><em>The rest is left out.</em></p>")
    assert "left out" in (preview({"html": "<div>" * 1_000}, "") or "")
    assert "The rest is left out." in (preview({"html": "word " * LONGEST}, "") or "")


def test_where_images_may_come_from() -> None:
    """From the text itself or an allowed address; not from one that only begins like it."""
    allowed = ("https://img.example.org",)
    assert safe_image(PIXEL) == PIXEL
    assert safe_image("https://img.example.org/a.png", allowed) == "https://img.example.org/a.png"
    refused = [
        "https://img.example.org.evil.example/a.png",
        "http://img.example.org/a.png",
        "data:text/html,x",
        "x.png",
    ]
    assert [safe_image(source, allowed) for source in refused] == [None] * len(refused)


@pytest.mark.parametrize("images", ["https://a.example; script-src *", "ftp://a", "https://a.example/path", "*"])
def test_addresses_of_images_are_checked(images: str) -> None:
    """Nothing but origins gets into the security policy."""
    with pytest.raises(ParameterError, match="images"):
        RoomSettings(images=images)


def test_the_style_has_nothing_to_load() -> None:
    """The one style of a preview refers to nothing."""
    assert "url" not in STYLE
    assert "@" not in STYLE
