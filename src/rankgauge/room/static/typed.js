// Keeps what was typed into a form while it is sent. If the room does not take it, as when a session has ended, the text
// comes back: once the person has signed in again, if need be. Judging has a script of its own for this.
"use strict";

const TYPED = "rankgauge typed ";
const WEEK = 7 * 24 * 3600 * 1000;
const whose = document.body.dataset.person;

// Storage may be switched off; then nothing is kept, and nothing is promised.
const typed = {
  all() {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(TYPED))
        .map((key) => ({ key, ...JSON.parse(localStorage.getItem(key)) }));
    } catch { return []; }
  },
  // An answer that judging keeps counts as well.
  isEmpty() { try { return !Object.keys(localStorage).some((key) => key.startsWith("rankgauge ")); } catch { return true; } },
  mine() { return this.all().filter((one) => one.person === whose); },
  put(one) { try { localStorage.setItem(one.key, JSON.stringify(one)); } catch { /* no storage */ } },
  drop(one) { try { localStorage.removeItem(one.key); } catch { /* no storage */ } },
};

function boxes(form) {
  return [...form.elements].filter((one) => one.name && !["hidden", "file", "submit", "button"].includes(one.type));
}

// Forms that are alike, such as one for each disagreement, differ by their hidden fields.
function name(form) {
  const hidden = [...form.querySelectorAll("input[type=hidden]")].filter((one) => !["csrf", "after"].includes(one.name));
  return [form.getAttribute("action"), ...hidden.map((one) => `${one.name}=${one.value}`)].join("&");
}

function isTyped(form) {
  return form.method === "post" && !form.matches(".task") && boxes(form).some((one) => ["text", "textarea"].includes(one.type));
}

function values(form) {
  return boxes(form).filter((one) => !["checkbox", "radio"].includes(one.type) || one.checked)
    .map((one) => [one.name, one.value]);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.getAttribute("action").endsWith("/leave")) typed.mine().forEach((one) => typed.drop(one));
  if (event.defaultPrevented || !whose || !isTyped(form)) return;
  const page = location.pathname + location.search;
  const key = `${TYPED}${whose} ${name(form)}`;
  typed.put({ key, person: whose, form: name(form), page, values: values(form), made: Date.now(), refused: false });
});

// Fills the form with what was typed; whether that changed anything.
function fill(form, one) {
  const before = JSON.stringify(values(form));
  for (const box of boxes(form)) {
    const given = one.values.filter(([known]) => known === box.name).map(([, value]) => value);
    if (["checkbox", "radio"].includes(box.type)) box.checked = given.includes(box.value);
    else if (given.length) box.value = given[0];
  }
  return JSON.stringify(values(form)) !== before;
}

function note(words, one, link) {
  const line = document.createElement("p");
  line.className = "card note";
  line.setAttribute("role", "status");
  line.append(words, " ");
  if (link) line.append(Object.assign(document.createElement("a"), { href: one.page, textContent: link }), " ");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Forget it" });
  button.className = "quiet";
  button.addEventListener("click", () => { typed.drop(one); line.remove(); });
  line.append(button);
  return line;
}

function bringBack(one) {
  const form = [...document.forms].find((known) => isTyped(known) && name(known) === one.form);
  if (!form) {
    document.querySelector("main").prepend(note("What you typed was not saved. It is kept.", one, "Go back to it"));
  } else if (fill(form, one)) {
    form.before(note("What you typed is back. It was not saved yet.", one));
  }
}

for (const one of typed.all()) {
  if (Date.now() - one.made > WEEK) typed.drop(one);
  else if ("refused" in document.body.dataset) typed.put({ ...one, refused: true });
  else if (one.person === whose && !one.refused) typed.drop(one);
}
if (whose) typed.mine().forEach(bringBack);
const promise = document.querySelector(".kept");
if (promise) promise.hidden = typed.isEmpty();
