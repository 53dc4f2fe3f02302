"""Pages of the judging room in a real browser, Debian's Chromium, headless: opening them, and judging by keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.house import House

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")

QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")

Opener = Callable[..., Page]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser, as long as it is needed."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET])
        yield running
        running.close()


@contextmanager
def open_pages(browser: Browser) -> Iterator[Opener]:
    """Opens a page in a browser of its own by a link; the test fails on any complaint of the page's."""
    complaints: list[str] = []
    contexts = []

    def opened(address: str, *, link: str = "", **options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append("a dialog"), dialog.dismiss()))
        page.goto(address)
        if link:  # without scripts it is pasted
            page.get_by_label("Your personal link").fill(link)
        page.get_by_role("button", name="Sign in").click()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def admin(house: House, opener: Opener, **options: object) -> Page:
    """A page in which an admin has come in."""
    return opener(f"{house.base}/enter#{house.room.people.admin_link()}", **options)


def assessor(house: House, opener: Opener, campaign: int, name: str, **options: object) -> Page:
    """A page in which a new assessor has come in."""
    return opener(f"{house.base}/enter#{house.room.people.invite(campaign, name)[1]}", **options)


def shown(page: Page) -> tuple[str, str]:
    """The query and the document on the page, once its script listens to keys."""
    named = "form => [form.elements.query.value, form.elements.document.value]"
    query, document = page.locator("form.task").evaluate(named)
    page.wait_for_load_state("load")
    return query, document


def press(page: Page, key: str) -> None:
    """Presses a key that answers, and waits for the next document or the word that there is none."""
    _, document = shown(page)
    page.keyboard.press(key)
    page.wait_for_function(
        "before => document.querySelector('.waiting')"
        " || document.querySelector('form.task [name=document]')?.value !== before",
        arg=document,
    )
