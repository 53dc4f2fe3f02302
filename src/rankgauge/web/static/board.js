// The dashboard follows what happens. Without this script a new load of the page shows it.
"use strict";

const board = document.getElementById("board");
const PAUSE = 3000;

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch(board.dataset.address);
      if (answer.ok) {
        const text = await answer.text();
        if (text !== board.dataset.shown) { board.innerHTML = text; board.dataset.shown = text; }
      }
    } catch { /* the room may be closed for a moment; the next look tells */ }
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
