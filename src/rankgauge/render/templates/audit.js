// Which tool to compare with, and for which run: draws the parts of each difference anew.
(() => {
  const data = JSON.parse(document.getElementById("attributions").textContent);
  const rows = document.getElementById("parts");
  const base = document.getElementById("base");
  const run = document.getElementById("run");
  const signed = (x) => {
    if (x === null || x === 0) return x === null ? "–" : "0";
    return Math.abs(x) < 5e-5 ? "~0" : (x > 0 ? "+" : "−") + Math.abs(x).toFixed(4);
  };
  const made = (name, parent, text) => {
    const node = document.createElement("div");
    node.className = name;
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  };

  const draw = () => {
    const differences = data.runs[run ? run.value : data.first][base.value];
    const reach = (parts, sign) => parts.reduce((sum, [, amount]) => sum + Math.max(0, sign * amount), 0);
    const all = Object.values(differences);
    const low = Math.max(...all.map((one) => reach(one.parts, -1)), 1e-9);
    const high = Math.max(...all.map((one) => reach(one.parts, 1)), 1e-9);
    const place = (x) => 2 + (96 * (x + low)) / (low + high);
    rows.replaceChildren();
    for (const [tool, one] of Object.entries(differences)) {
      const row = made("row", rows);
      made("name", row, tool);
      const track = made("track", row);
      let left = 0;
      let right = 0;
      for (const [cause, amount, words] of one.parts) {
        const start = amount < 0 ? (left += amount) : (right += amount) - amount;
        const piece = made("piece", track);
        piece.style.left = `${place(start)}%`;
        piece.style.width = `${place(start + Math.abs(amount)) - place(start)}%`;
        piece.style.background = data.colours[cause];
        piece.title = `${cause} ${signed(amount)}: ${words}`;
      }
      made("zero", track).style.left = `${place(0)}%`;
      made("value", row, signed(one.difference));
      made("words", row, one.parts.map(([cause, amount]) => `${cause} ${signed(amount)}`).join(", "));
    }
  };
  base.addEventListener("change", draw);
  if (run) run.addEventListener("change", draw);
  draw();
})();
