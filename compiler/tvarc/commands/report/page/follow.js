"use strict";
// A page that a server shows follows the program: the server says which page is the present one, and
// which errors the program has.
{
  const errors = document.getElementById("errors");
  const options = document.getElementById("options");
  const KEY = "tvarc options";

  // What a person has chosen under "Rows, columns, colours, search" holds on the next page as well.
  // The address has the chosen cells.
  const controls = () => options ? [...options.querySelectorAll("select, input")] : [];
  const nameOf = (one) => one.id || one.parentElement.textContent;
  const fieldOf = (one) => one.type === "checkbox" ? "checked" : "value";
  let changed = false;
  for (const kind of ["change", "input"]) {
    options?.addEventListener(kind, () => { changed = true; });
  }

  const leave = () => {
    if (changed) {
      const values = controls().map((one) => [nameOf(one), one[fieldOf(one)]]);
      sessionStorage.setItem(KEY, JSON.stringify([options.open, values]));
    }
    location.reload();
  };

  const kept = options && sessionStorage.getItem(KEY);
  if (kept) {
    sessionStorage.removeItem(KEY);
    const [open, values] = JSON.parse(kept);
    const chosen = new Map(values);
    options.addEventListener("toggle", () => { // by then the page has offered its settings
      for (const one of controls()) {
        const [field, name] = [fieldOf(one), nameOf(one)];
        const before = one[field];
        if (!chosen.has(name) || chosen.get(name) === before) continue;
        one[field] = chosen.get(name);
        if (one[field] !== chosen.get(name)) one[field] = before; // it is not offered any more
        one.dispatchEvent(new Event(one.type === "search" ? "input" : "change", { bubbles: true }));
      }
      options.open = open;
    }, { once: true });
    options.open = true;
  }

  // The errors are seen wherever the page is scrolled to.
  document.styleSheets[0].insertRule("#errors { position: sticky; top: 0; z-index: 3; " +
    "max-height: 45vh; overflow: auto; background: var(--paper); border-bottom: 3px solid }");
  const tell = (text) => {
    errors.querySelector("pre").textContent = text;
    errors.hidden = !text;
  };
  const events = new EventSource("events");
  events.addEventListener("message", (event) => {
    const said = JSON.parse(event.data);
    if (said.page === errors.dataset.page) tell(said.errors);
    else leave();
  });
  events.addEventListener("error", () => tell("This page follows the program no more: " +
    "tvarc report --serve has ended."));
}
