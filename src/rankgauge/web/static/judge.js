// Judging by keyboard, without reloading the page. Without this script the form works as a plain form.
"use strict";

const place = document.getElementById("task");
const status = document.getElementById("status");
let busy = false;

function form() { return place.querySelector("form.task"); }

function field(name) { return form()?.querySelector(`input[name=${name}]`); }

function shown(selector) { return [...place.querySelectorAll(selector)]; }

// What was typed and what was answered but not acknowledged stays in this browser: a session may end, a tab may close.
const kept = {
  name: (what) => `rankgauge ${what} ${place.dataset.address} ${place.dataset.person}`,
  get(what) { try { return JSON.parse(localStorage.getItem(this.name(what))); } catch { return null; } },
  set(what, value) { try { localStorage.setItem(this.name(what), JSON.stringify(value)); } catch { /* no storage */ } },
  drop(what) { try { localStorage.removeItem(this.name(what)); } catch { /* no storage */ } },
};

class Refused extends Error {
  constructor(words, code) { super(words); this.code = code; }
}

// A second try sends the same answer with the same key, so that it is recorded once.
async function send(body) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await fetch(place.dataset.address, {
        method: "POST", body, headers: { "x-fragment": "1" }, redirect: "error",
      });
      // After the last try, show what the room says.
      if (answer.status < 500 || attempt >= 3) return answer;
    } catch (error) {
      if (attempt >= 3) throw error;
    }
    status.textContent = "No answer yet; trying again …";
    await new Promise((done) => setTimeout(done, 400 * 2 ** attempt));
  }
}

function busily(on) {
  busy = on;
  place.classList.toggle("busy", on);
  place.setAttribute("aria-busy", String(on));
}

async function show(answer) {
  const text = await answer.text();
  if (!answer.ok) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const words = page.querySelector("main .problem") ?? page.querySelector("main");
    throw new Refused(words?.innerText.trim() || `error ${answer.status}`, answer.status);
  }
  place.innerHTML = text;
  status.textContent = "";
  window.scrollTo(0, 0);
  place.querySelector(".document")?.scrollTo(0, 0);
  ready();
}

const ENDED = "Your session has ended. Nothing is lost: what you typed is kept in this browser. " +
  "Open your personal link again, and it will be sent.";

// The room has refused for good what it would refuse again; a session that ended, or a room that is away, has not.
function explain(error) {
  if (error.code === 401) { status.textContent = ENDED; return; }
  if (error.code === 403) { status.textContent = "You have signed in again elsewhere. Reload the page: your answer is kept, and will be sent."; return; }
  if (error.code < 500) kept.drop("answer");
  status.textContent = `Not recorded: ${error.message}. Your answer is still here; try again.`;
}

async function post(body) {
  busily(true);
  try {
    await show(await send(body));
    kept.drop("answer");
    kept.drop("comment");
    return true;
  } catch (error) {
    explain(error);
    return false;
  } finally {
    busily(false);
  }
}

async function submit(button) {
  if (busy) return;
  const body = new URLSearchParams(new FormData(form()));
  body.set(button.name, button.value);
  kept.set("answer", [...body].filter(([name]) => name !== "csrf"));
  await post(body);
}

// Sends the answer that was not acknowledged when the page was left.
async function resend() {
  const answer = kept.get("answer");
  const csrf = document.querySelector("input[name=csrf]")?.value;
  if (!answer || !csrf) return;
  if (await post(new URLSearchParams([["csrf", csrf], ...answer]))) {
    status.textContent = "Your last answer had not been sent; it is recorded now.";
  }
}

async function go(address) {
  if (busy) return;
  busily(true);
  try {
    await show(await fetch(address, { headers: { "x-fragment": "1" } }));
  } catch (error) {
    status.textContent = error.code === 401 ? ENDED : error.message;
  } finally {
    busily(false);
  }
}

// If there is nothing to judge, another assessor's answer may release the next document.
let timer = 0;
function wait() {
  clearTimeout(timer);
  if (place.querySelector("[data-waiting]")) timer = setTimeout(() => go(place.dataset.address), 5000);
}

// A document in a frame is as high as it needs to be, so that its card scrolls, and the keys stay with this page.
function fit() {
  for (const frame of shown("iframe.framed")) {
    const sized = () => { frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 4}px`; };
    frame.addEventListener("load", sized);
    if (frame.contentDocument?.readyState === "complete") sized();
  }
}

window.addEventListener("blur", () => setTimeout(() => {
  if (document.activeElement?.matches("iframe.framed")) document.activeElement.blur();
}));

function ready() {
  wait();
  fit();
  const typed = kept.get("comment");
  if (typed && typed.document === field("document")?.value && typed.query === field("query")?.value) {
    field("comment").value = typed.comment;
  }
}

place.addEventListener("input", (event) => {
  if (event.target.name !== "comment") return;
  kept.set("comment", { query: field("query").value, document: field("document").value, comment: event.target.value });
});

place.addEventListener("submit", (event) => {
  event.preventDefault();
  submit(event.submitter || shown(".grades button")[0]);
});

place.addEventListener("click", (event) => {
  const link = event.target.closest("#undo, #keep, .waiting a");
  if (!link) return;
  event.preventDefault();
  go(link.href);
});

function reasons() { return place.querySelector("details.cannot[open]"); }

function ask(open) {
  const list = place.querySelector("details.cannot");
  if (!list) return;
  list.open = open;
  (open ? list.querySelector("button") : document.activeElement)?.[open ? "focus" : "blur"]();
}

function move(step) {
  const all = shown(reasons() ? ".reasons button" : ".grades button");
  const now = all.indexOf(document.activeElement);
  all[(now + step + all.length) % all.length]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, textarea, select");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter") { event.preventDefault(); event.target.blur(); }
    return;
  }
  if (event.repeat) return;
  const button = shown(reasons() ? ".answer button" : ".grades button").find((one) => one.dataset.key === event.key);
  if (button) { event.preventDefault(); submit(button); return; }
  const other = {
    ArrowRight: () => move(1), ArrowLeft: () => move(-1),
    ArrowDown: () => place.querySelector(".document")?.scrollBy(0, 80),
    ArrowUp: () => place.querySelector(".document")?.scrollBy(0, -80),
    u: () => place.querySelector("#undo")?.click(), Backspace: () => place.querySelector("#undo")?.click(),
    s: () => ask(!reasons()),
    Escape: () => (reasons() ? ask(false) : place.querySelector("#keep")?.click()),
    c: () => field("comment")?.focus(),
  }[event.key];
  if (other) { event.preventDefault(); other(); }
});

const guide = document.querySelector(".guide details");
if (guide && window.matchMedia("(max-width: 899px)").matches) guide.open = false;
ready();
resend();
