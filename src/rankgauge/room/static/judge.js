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
  constructor(words, answer) {
    super(words);
    this.code = answer.status;
    this.elsewhere = answer.headers.get("x-refused") === "session";
  }
}

// What is said below the document, and a way on where there is one.
function say(words, label, act) {
  status.textContent = words;
  if (!label) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  button.addEventListener("click", act);
  status.append(" ", button);
}

// What went wrong, without a full stop; from the words of the browser nobody would learn what to do.
function problem(error) {
  return (error instanceof Refused ? error.message : "the room does not answer; try again").replace(/[.\s]+$/, "");
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
    say("No answer yet; trying again …");
    await new Promise((done) => setTimeout(done, 400 * 2 ** attempt));
  }
}

function busily(on) {
  busy = on;
  place.classList.toggle("busy", on);
  place.setAttribute("aria-busy", String(on));
}

// An answer that the room refuses for good comes with a page of its own, which says why and leads on.
// Gives whether the room agreed.
async function show(answer) {
  const text = await answer.text();
  if (!answer.ok && !answer.headers.has("x-fragment")) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const words = page.querySelector("main .problem") ?? page.querySelector("main");
    throw new Refused(words?.innerText.trim() || `error ${answer.status}`, answer);
  }
  place.innerHTML = text;
  say("");
  window.scrollTo(0, 0);
  place.querySelector(".document")?.scrollTo(0, 0);
  place.querySelector("[data-focus]")?.focus();
  ready();
  return answer.ok;
}

function reload() { window.location.reload(); }

// A session that ended, or a room that is away, has refused nothing: the answer is kept, and sent later.
function explain(error) {
  if (error.code === 401) {
    say(place.dataset.ended);
  } else if (error.elsewhere) {
    say("You have signed in again in this browser. Your answer is kept, and sent once the page is reloaded.", "Reload", reload);
  } else if (error.code === undefined || error.code === 429 || error.code >= 500) {
    say(`Not recorded: ${problem(error)}. Your answer is still here.`);
  } else {
    kept.drop("answer");
    say(`Not recorded: ${problem(error)}.`, "Reload", reload);
  }
}

async function post(body) {
  busily(true);
  try {
    const recorded = await show(await send(body));
    kept.drop("answer");
    kept.drop("comment");
    return recorded;
  } catch (error) {
    explain(error);
    return false;
  } finally {
    busily(false);
    wait();
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
    say("Your last answer had not been sent; it is recorded now.");
  }
}

async function go(address) {
  if (busy) return;
  busily(true);
  try {
    await show(await fetch(address, { headers: { "x-fragment": "1" } }));
  } catch (error) {
    const again = isWaiting() ? " This page asks again by itself." : "";
    say(error.code === 401 ? place.dataset.ended : `That did not work: ${problem(error)}.${again}`);
  } finally {
    busily(false);
    wait();
  }
}

function isWaiting() { return place.querySelector("[data-waiting]") !== null; }

// If there is nothing to judge, another assessor's answer may release the next document. The room may be away for a
// while, and a session may end: the page asks until it is told.
let timer = 0;
function wait() {
  clearTimeout(timer);
  if (isWaiting()) timer = setTimeout(() => go(place.dataset.address), 5000);
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
  if (!event.submitter) return; // a browser that does not say which button it was sends the plain form
  event.preventDefault();
  submit(event.submitter);
});

place.addEventListener("click", (event) => {
  const link = event.target.closest("#undo, #keep, .waiting a.button");
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
place.addEventListener("click", (event) => { if (event.target.closest(".to-guide")) guide.open = true; });
ready();
resend();
