// A number of ours shows the files behind it while it is pointed to or has the focus.  Some tables can be sorted.
"use strict";
{
  const { numbers, files, options } = JSON.parse(document.getElementById("chains").textContent);
  const panel = document.getElementById("chain");
  let kept = null; // the number that was clicked: its files stay until the next click or Escape

  const element = (name, ...children) => {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  };

  // There is one chain for each seed.
  const chain = (made) => ([path, key, value]) => {
    const list = element("dl");
    const add = (what, ...said) => list.append(element("dt", what), element("dd", ...said));
    add("value", value ? `${value}, ${key}` : key);
    for (const [what, file, sha256] of files[path]) {
      add(what, element("code", file), element("small", element("code", sha256)));
    }
    add("made by", element("code", `snakemake --cores all ${path} --config ${made}`));
    return list;
  };

  const show = (button) => {
    panel.replaceChildren(element("h2", `Where ${button.textContent} is from`));
    panel.append(...numbers[button.dataset.chain].map(chain(options[button.dataset.chain])));
    panel.hidden = false;
    // It does not cover the number.
    panel.classList.toggle("left", button.getBoundingClientRect().left > innerWidth / 2);
    for (const other of document.querySelectorAll(".number[aria-expanded]")) other.removeAttribute("aria-expanded");
    button.setAttribute("aria-expanded", "true");
  };
  const hide = () => {
    if (kept) return show(kept);
    panel.hidden = true;
    for (const button of document.querySelectorAll(".number[aria-expanded]")) button.removeAttribute("aria-expanded");
  };

  for (const button of document.querySelectorAll(".number")) {
    button.setAttribute("aria-controls", "chain");
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => show(button));
    for (const event of ["mouseleave", "blur"]) button.addEventListener(event, hide);
    button.addEventListener("click", () => {
      kept = kept === button ? null : button;
      if (kept) show(button);
      else hide();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    kept = null;
    hide();
  });

  // Sorting: rising, falling, then the paper's order again.  Numbers come before words, and blank cells last.
  const ORDERS = { none: "ascending", ascending: "descending", descending: "none" };
  const sort = (table, head) => {
    const order = ORDERS[head.getAttribute("aria-sort") ?? "none"];
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    if (order !== "none") head.setAttribute("aria-sort", order);
    const body = table.tBodies[0];
    table.original ??= [...body.rows].filter((row) => !row.matches(".axis"));
    const sign = order === "descending" ? -1 : 1;
    const compared = (...rows) => {
      const [one, other] = rows.map((row) => row.cells[head.cellIndex].textContent.trim());
      if (!one || !other) return !one - !other;
      const [m, n] = [one, other].map((text) => parseFloat(text.replace(/^[×<]/, "")));
      if (isNaN(m) || isNaN(n)) return isNaN(m) - isNaN(n) || sign * one.localeCompare(other);
      return sign * (m - n);
    };
    body.prepend(...(order === "none" ? table.original : [...table.original].sort(compared)));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[table.tHead.rows.length - 1].querySelectorAll("th:not(.plot)")) {
      const button = element("button", ...head.childNodes);
      button.type = "button";
      button.addEventListener("click", () => sort(table, head));
      head.append(button);
    }
  }
}
