// Keeps the dashboard up to date. Without this script, reload the page.
"use strict";

const progress = document.getElementById("progress");
const ended = document.getElementById("ended");
const PAUSE = 3000;

async function refresh() {
  if (!document.hidden) {
    try {
      const answer = await fetch(progress.dataset.address);
      ended.hidden = answer.status !== 401;
      if (answer.ok) {
        const text = await answer.text();
        if (text !== progress.dataset.shown) { progress.innerHTML = text; progress.dataset.shown = text; }
      }
    } catch { /* the room may be restarting; try again later */ }
  }
  setTimeout(refresh, PAUSE);
}

setTimeout(refresh, PAUSE);
