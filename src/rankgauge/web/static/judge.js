// Judging by keyboard, without reloading the page. Without this script the form works as a plain form.
"use strict";

const place = document.getElementById("task");
const status = document.getElementById("status");
let busy = false;

function form() { return place.querySelector("form.task"); }

function buttons() { return [...place.querySelectorAll(".grades button")]; }

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
    throw new Error(words?.innerText.trim() || `error ${answer.status}`);
  }
  place.innerHTML = text;
  status.textContent = "";
  window.scrollTo(0, 0);
  place.querySelector(".document")?.scrollTo(0, 0);
  wait();
}

async function submit(button) {
  if (busy) return;
  const body = new URLSearchParams(new FormData(form()));
  body.set("grade", button.value);
  busily(true);
  try {
    await show(await send(body));
  } catch (error) {
    status.textContent = `Not recorded: ${error.message}. Your answer is still here; try again.`;
  } finally {
    busily(false);
  }
}

async function go(address) {
  if (busy) return;
  busily(true);
  try {
    await show(await fetch(address, { headers: { "x-fragment": "1" } }));
  } catch (error) {
    status.textContent = error.message;
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

place.addEventListener("submit", (event) => {
  event.preventDefault();
  submit(event.submitter || buttons()[0]);
});

place.addEventListener("click", (event) => {
  const link = event.target.closest("#undo, .waiting a");
  if (!link) return;
  event.preventDefault();
  go(link.href);
});

function move(step) {
  const all = buttons();
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
  const button = buttons().find((one) => one.dataset.key === event.key);
  if (button) { event.preventDefault(); submit(button); return; }
  const other = {
    ArrowRight: () => move(1), ArrowLeft: () => move(-1),
    ArrowDown: () => place.querySelector(".document")?.scrollBy(0, 80),
    ArrowUp: () => place.querySelector(".document")?.scrollBy(0, -80),
    u: () => place.querySelector("#undo")?.click(), Backspace: () => place.querySelector("#undo")?.click(),
    c: () => place.querySelector("input[name=comment]")?.focus(),
  }[event.key];
  if (other) { event.preventDefault(); other(); }
});

wait();
