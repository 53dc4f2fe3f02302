// Copies what a button names. Without this script the links can be selected.
"use strict";

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  const words = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it, and copy by hand";
    }
    setTimeout(() => { button.textContent = words; }, 2500);
  });
}
