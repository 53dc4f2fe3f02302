"""Previews of documents: what is rebuilt of HTML and Markdown, and what can never be."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError
from rankgauge.room.previews import ATTRIBUTES, ELEMENTS, LONGEST, STYLE, preview, safe_image
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
        ("<td colspan=2 rowspan='3' width=9>", '<td colspan="2" rowspan="3">'),
        ("<td colspan='2&quot; onclick=&quot;x'>", '<td colspan="2&#34; onclick=&#34;x">'),
        ("<iframe src=//x>inside</iframe><form><input>text", "text"),
        (f"<img src={PIXEL} onerror=x alt='a dot'>", f'<img src="{PIXEL}" alt="a dot" referrerpolicy="no-referrer">'),
        ("<img src=https://evil.example/x.png alt=words>", "words"),
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
        ("one\ntwo\n\nthree", "<p>one two</p>\n\n<p>three</p>"),
        ("- a\n- **b**", "<ul><li>a</li><li><strong>b</strong></li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        (
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        ("```\n<b>\n```", "\n<pre><code>&lt;b&gt;</code></pre>\n"),
        ("[words](javascript:x) `<i>`", "<p><u>words</u> <code>&lt;i&gt;</code></p>"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        (f"![dot]({PIXEL})", f'<p><img src="{PIXEL}" alt="dot" referrerpolicy="no-referrer"></p>'),
    ],
)
def test_what_markdown_becomes(source: str, shown: str) -> None:
    """The usual marks become elements; HTML inside is text."""
    assert body({"markdown": source}).strip("\n") == shown.strip("\n")


def test_the_words_of_the_query_are_marked() -> None:
    """In a framed document as in plain text, and never inside a tag."""
    found = body({"html": "<p lang='battery'>Batterys &amp; a battery</p>"}, "battery range")
    assert found == '<p lang="battery"><mark>Batterys</mark> &amp; a <mark>battery</mark></p>'


@given(st.text(alphabet=st.sampled_from("<>/=\"'&; ab!-scriptmg\n"), max_size=200))
def test_nothing_but_known_elements(source: str) -> None:
    """Whatever the text is, every tag of the result is a known element with known attributes."""
    for kind in ("html", "markdown"):
        made = (preview({kind: source}, "ab script") or "").partition("</style>")[2]
        for name, attributes in re.findall(r"<(/?[^\s>]*)([^>]*)>", made):
            assert name.removeprefix("/") in ELEMENTS | {"img"}
            kept = re.findall(r'\s([\w-]+)="[^"]*"', attributes)
            assert set(kept) <= ATTRIBUTES | {"src", "alt", "referrerpolicy"}
            assert re.sub(r'\s[\w-]+="[^"]*"', "", attributes) == ""


@pytest.mark.parametrize("piece", ["<", "<a ", "<!--", "<title></", '<td x="', "&", "*x", "`x", "[", "| "])
def test_long_documents_take_no_longer_than_they_are(piece: str) -> None:
    """Scanning is linear: the worst texts take a fraction of a second for 40,000 letters."""
    source, begun = piece * (40_000 // len(piece)), time.perf_counter()
    for kind in ("html", "markdown"):
        preview({kind: source}, "battery cold")
    assert time.perf_counter() - begun < 5


def test_long_documents_are_cut() -> None:
    """The rest of a long document is left out, without half a tag at the end, and the page says so."""
    made = preview({"html": "word " * (LONGEST // 5 - 1) + "<p title='" + "x" * 100}, "") or ""
    assert made.endswith("word <p><em>The rest is left out.</em></p>")
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
