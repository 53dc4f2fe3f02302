// Takes the secret from behind the # of a personal link, which browsers send to no server, and shows whose link it is.
"use strict";

const card = document.getElementById("sign-in"), form = card.querySelector("form"), secret = location.hash.slice(1);

async function show() {
  form.elements.link.value = secret;
  form.querySelector("label").hidden = true;
  const body = new URLSearchParams({link: secret});
  const answer = await fetch(`${form.getAttribute("action")}/owner`, {method: "POST", body});
  const title = card.querySelector("h1"), told = card.querySelector(".told");
  form.hidden = !answer.ok;
  if (answer.ok) {
    const owner = await answer.json();
    title.textContent = owner.role === "admin" ? "Open the judging room" : `Hello, ${owner.name}`;
    told.textContent = owner.words;
    form.querySelector("button").focus();
  } else {
    title.textContent = "This link does not work";
    told.textContent = answer.status === 404 ? (await answer.json()).detail : "Wait a minute, and open it again.";
  }
}

if (secret) show();
window.addEventListener("hashchange", () => location.reload());
