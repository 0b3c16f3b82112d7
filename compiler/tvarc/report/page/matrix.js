"use strict";
(() => {
  const data = JSON.parse(document.getElementById("matrix").textContent);
  const at = (id) => document.getElementById(id);
  const NONE = "\u2013";
  const MOST_KINDS = 60;

  const make = (name, attributes, ...inner) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) element.setAttribute(key, value);
    }
    element.append(...inner);
    return element;
  };
  const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  // --- what there is -----------------------------------------------------------------------

  const valueOf = (cell, axis) => axis in cell.values ? data.axes[axis][cell.values[axis]] : NONE;
  const axesOf = (cell) => Object.keys(cell.values).map((axis) => [axis, valueOf(cell, axis)]);
  const settings = data.variants.map((variant) => {
    const own = new Map();
    for (const number of variant.entries) own.set(data.entries[number].path, number);
    return own;
  });
  data.variants.forEach((variant, number) => { variant.number = number; });

  const kinds = new Map();
  const textAt = (path) => (variant) => {
    const number = settings[variant.number].get(path);
    return number === undefined ? NONE : data.entries[number].text;
  };
  const lintsOf = (variant) => [...new Set(variant.lints.map((one) => data.lints[one].name))];
  const told = (variant) => variant.state ? variant.state.state : NONE;
  const differing = (tell) => {
    const found = new Set();
    for (const variant of data.variants) {
      found.add(tell(variant));
      if (found.size > MOST_KINDS) return 0;
    }
    return found.size > 1 ? found.size : 0;
  };
  const groups = [];
  const offer = (title, entries) => {
    if (entries.length) groups.push([title, entries]);
    for (const [key, , tell] of entries) kinds.set(key, tell);
  };
  if (data.variants.some((variant) => variant.state)) {
    offer("Build", [["state", "state of the build", told]]);
  }
  if (data.lints.length) {
    const names = [...new Set(data.lints.map((one) => one.name))].sort();
    offer("Findings", [
      ["lint", "what lints find", (variant) => lintsOf(variant).join(", ") || NONE],
      ...names.map((name) => [
        `lint:${name}`, name, (variant) => lintsOf(variant).includes(name) ? "found" : NONE,
      ]),
    ]);
  }
  offer("Axes", Object.keys(data.axes).map((axis) => [
    `axis:${axis}`, axis, (variant) => valueOf(variant, axis),
  ]));
  const paths = [...new Set(data.entries.filter((one) => !one.within).map((one) => one.path))];
  offer("Settings", paths.sort().map((path) => [`set:${path}`, path, textAt(path)])
    .filter(([, path, tell]) => !path.startsWith("files.") && differing(tell)));

  // --- controls ----------------------------------------------------------------------------

  const option = (value, text) => make("option", { value }, text);
  const axes = Object.keys(data.axes);
  const sized = [...axes].sort((a, b) => data.axes[b].length - data.axes[a].length);
  for (const id of ["rows", "columns"]) {
    at(id).append(option("", "(none)"), ...axes.map((axis) => option(axis, axis)));
  }
  at("rows").value = sized[0] || "";
  at("columns").value = sized[1] || "";
  const matrices = Object.keys(data.matrices);
  at("of").append(option("", "all"), ...matrices.map((name) => option(name, name)));
  if (matrices.length < 2) at("of").parentElement.hidden = true;
  const within = sized.filter((axis) => data.axes[axis].length > 1).slice(2);
  for (const [title, entries] of groups) {
    const group = make("optgroup", { label: title });
    group.append(...entries.map(([key, text]) => option(key, text)));
    at("colour").append(group);
  }
  // What the picture does not tell by its rows and columns.
  const telling = kinds.has("state") ? "state" : `axis:${within[0] || sized[0] || ""}`;
  if (kinds.has(telling)) at("colour").value = telling;

  // --- the picture -------------------------------------------------------------------------

  let tiles = [];
  let tileOf = new Map();
  let rowsOfTiles = [];
  let matching = null;
  let first = null;
  let second = null;
  let comparing = false;

  const HUES = { there: 165, cached: 165, fetched: 190, built: 130, failed: 4, lost: 32,
    unplaced: 55, refused: 320, stopped: 250 };
  const letters = (number) => {
    let text = "";
    for (let rest = number; rest >= 0; rest = Math.floor(rest / 26) - 1) {
      text = String.fromCharCode(97 + rest % 26) + text;
    }
    return text;
  };

  const drawn = () => {
    const own = at("of").value;
    return [data.variants, data.dropped].map((all) =>
      own ? all.filter((one) => one.matrix === own) : all);
  };

  const bucketed = (variants, dropped, rows, columns) => {
    const found = new Map();
    const bucket = (cell) => {
      const row = rows ? valueOf(cell, rows) : "";
      const column = columns ? valueOf(cell, columns) : "";
      if (!found.has(row)) found.set(row, new Map());
      const inner = found.get(row);
      if (!inner.has(column)) inner.set(column, { variants: [], dropped: [] });
      return inner.get(column);
    };
    for (const one of variants) bucket(one).variants.push(one);
    for (const one of dropped) bucket(one).dropped.push(one);
    return found;
  };

  const heads = (axis, found) => {
    if (!axis) return [""];
    const known = new Set(found);
    return [...data.axes[axis], NONE].filter((text) => known.has(text));
  };

  const draw = () => {
    const [variants, dropped] = drawn();
    const rows = at("rows").value;
    const columns = at("columns").value === rows ? "" : at("columns").value;
    const found = bucketed(variants, dropped, rows, columns);
    const rowTexts = heads(rows, found.keys());
    const columnTexts = heads(columns, [...found.values()].flatMap((one) => [...one.keys()]));
    const rest = axes.filter((axis) => axis !== rows && axis !== columns);
    tiles = [];
    tileOf = new Map();
    rowsOfTiles = [];
    const table = make("table", {});
    const caption = [rows && `rows: ${rows}`, columns && `columns: ${columns}`,
      rest.length && `within a cell: ${rest.join(", ")}`];
    table.append(make("caption", {}, caption.filter(Boolean).join("; ")));
    const head = make("tr", {}, make("th", { scope: "col" }, rows && columns ?
      `${rows} \\ ${columns}` : rows || columns));
    for (const text of columnTexts) head.append(make("th", { scope: "col" }, text || "all"));
    table.append(make("thead", {}, head));
    const body = make("tbody", {});
    for (const row of rowTexts) {
      const line = make("tr", {}, make("th", { scope: "row" }, row || "all"));
      const own = [];
      columnTexts.forEach((column, place) => {
        const cell = found.get(row)?.get(column);
        const box = make("div", { class: "tiles" });
        for (const variant of cell ? cell.variants : []) {
          const tile = make("button", { type: "button", class: "tile", tabindex: "-1" });
          tile.cell = variant;
          tileOf.set(variant, tile);
          own.push([tile, place]);
          box.append(tile);
        }
        if (cell && cell.dropped.length) {
          const many = cell.dropped.length;
          const tile = make("button", {
            type: "button", class: "tile out", tabindex: "-1",
            "aria-label": `${counted(many, "dropped cell")} at ${[row, column].filter(Boolean)
              .join(", ")}: ${reasonsOf(cell.dropped)}`,
          }, many === 1 ? "\u00d7" : `\u00d7${many}`);
          tile.dropped = cell.dropped;
          own.push([tile, place]);
          box.append(tile);
        }
        line.append(make("td", {}, box));
      });
      rowsOfTiles.push(own);
      tiles.push(...own.map(([tile]) => tile));
      body.append(line);
    }
    table.append(body);
    const most = Math.max(1, ...[...found.values()].flatMap((one) => [...one.values()]
      .map((cell) => cell.variants.length + (cell.dropped.length ? 1 : 0))));
    // The last axis varies first, so that a line of tiles goes once through its values.
    const last = rest.map((axis) => data.axes[axis].length).filter((many) => many > 1).pop() || 1;
    const wide = last > 1 && last <= 8 ? last : Math.ceil(Math.sqrt(2 * most));
    table.style.setProperty("--many", String(Math.min(most, wide)));
    at("grid").replaceChildren(table);
    colour();
    dim();
    mark();
    if (tiles.length) (tileOf.get(first) || tiles[0]).tabIndex = 0;
  };

  const reasonsOf = (dropped) => {
    const found = new Set(dropped.flatMap((one) => one.reasons.map(([cause]) => cause)));
    return [...found].map((one) => data.causes[one].because || data.causes[one].text).join("; ");
  };

  const colour = () => {
    const tell = kinds.get(at("colour").value);
    const [variants] = drawn();
    const counts = new Map();
    for (const variant of variants) {
      const text = tell(variant);
      counts.set(text, (counts.get(text) || 0) + 1);
    }
    const order = [...counts.keys()].filter((text) => text !== NONE);
    const byAxis = at("colour").value.startsWith("axis:");
    if (byAxis) {
      const known = data.axes[at("colour").value.slice(5)];
      order.sort((a, b) => known.indexOf(a) - known.indexOf(b));
    } else {
      order.sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
    }
    const numbers = new Map(order.map((text, number) => [text, number]));
    const hue = (text) => at("colour").value === "state" && text in HUES ? HUES[text] :
      Math.round(numbers.get(text) * 137.5 + 205) % 360;
    const paint = (tile, text) => {
      tile.classList.toggle("none", text === NONE);
      if (text === NONE) tile.style.removeProperty("--hue");
      else tile.style.setProperty("--hue", String(hue(text)));
      tile.textContent = text === NONE ? "\u00b7" : letters(numbers.get(text));
    };
    const named = at("colour").selectedOptions[0]?.textContent || "";
    for (const [variant, tile] of tileOf) {
      const text = tell(variant);
      paint(tile, text);
      const short = text.length > 80 ? `${text.slice(0, 80)}\u2026` : text;
      const lints = variant.lints.length ? `; ${counted(variant.lints.length, "finding")}` : "";
      tile.setAttribute("aria-label", `${variant.name}; ${named}: ${short}${lints}`);
      tile.title = `${variant.name}\n${axesOf(variant).map((pair) => pair.join(" = ")).join(", ")}` +
        `\n${named}: ${short}`;
    }
    const legend = [...order, ...counts.has(NONE) ? [NONE] : []].map((text) => {
      const sign = make("span", { class: "tile", "aria-hidden": "true" });
      paint(sign, text);
      const code = text === NONE ? "none" : letters(numbers.get(text));
      const short = text.length > 160 ? `${text.slice(0, 160)}\u2026` : text;
      const head = make("span", { class: "value" }, text === NONE ? "nothing" : short);
      return make("li", { "data-code": code }, sign, head, ` (${counts.get(text)})`);
    });
    at("legend").replaceChildren(...legend);
  };

  // --- searching ---------------------------------------------------------------------------

  const lowered = data.entries.map((one) => `${one.path}=${one.text}`.toLowerCase());

  const search = () => {
    const words = at("search").value.toLowerCase().split(/\s+/u).filter(Boolean);
    if (!words.length) {
      matching = null;
    } else {
      const hits = words.map((word) => {
        const found = new Set();
        lowered.forEach((text, number) => { if (text.includes(word)) found.add(number); });
        return [word, found];
      });
      matching = new Set(data.variants.filter((variant) => hits.every(([word, found]) =>
        variant.name.toLowerCase().includes(word) ||
        axesOf(variant).some((pair) => pair.join("=").toLowerCase().includes(word)) ||
        lintsOf(variant).some((name) => name.includes(word)) ||
        variant.entries.some((number) => found.has(number)))));
    }
    dim();
  };

  const dim = () => {
    const [variants, dropped] = drawn();
    let seen = 0;
    for (const [variant, tile] of tileOf) {
      const out = matching !== null && !matching.has(variant);
      tile.classList.toggle("dim", out);
      if (!out) seen += 1;
    }
    for (const tile of tiles) if (tile.dropped) tile.classList.toggle("dim", matching !== null);
    const all = counted(variants.length, "variant");
    const counts = Object.entries(data.matrices).filter(([name, one]) => "dropped" in one &&
      (!at("of").value || at("of").value === name)).map(([, one]) => one.dropped);
    const cells = counts.reduce((sum, one) => sum + one, 0);
    const drawnCells = cells > dropped.length ? `, the first ${dropped.length} of which are drawn` : "";
    const left = counts.length ? `, ${counted(cells, "dropped cell")}${drawnCells}` : "";
    say(matching === null ? `${all}${left}.` :
      `${seen} of ${all}.`);
  };

  const say = (text) => { at("status").textContent = text; };

  // --- one variant -------------------------------------------------------------------------

  const mark = () => {
    for (const tile of tiles) {
      tile.classList.toggle("first", Boolean(tile.cell) && tile.cell === first);
      tile.classList.toggle("second", Boolean(tile.cell) && tile.cell === second);
      if (tile.cell) tile.setAttribute("aria-pressed", String(tile.cell === first ||
        tile.cell === second));
    }
  };

  const cell = (name, text, more) => make(name, more || {}, text);

  const placesOf = (file, line) => {
    const [, made, around] = data.lines[line];
    const own = new Set(data.sets[made]);
    const reach = new Map();
    for (const other of file.lines) {
      for (const place of data.sets[data.lines[other][1]]) reach.set(place, (reach.get(place) || 0) + 1);
    }
    const sharp = (numbers) => [...numbers].sort((a, b) =>
      (reach.get(a) || 0) - (reach.get(b) || 0) ||
      (data.places[a][0] !== data.program) - (data.places[b][0] !== data.program) ||
      data.places[b][1] - data.places[a][1]);
    return [sharp(own), sharp(data.sets[around].filter((one) => !own.has(one)))];
  };

  const sourcesOf = (title, numbers) => numbers.length ? [
    make("p", {}, title),
    ...numbers.map((number) => {
      const [file, line, text] = data.places[number];
      return make("p", {}, make("span", { class: "place" }, `${file}:${line} `),
        make("span", { class: "value" }, text.trim()));
    }),
  ] : [];

  const recipeOf = (file) => {
    const from = make("div", { class: "from", role: "status" },
      make("p", { class: "note" }, "Choose a line: here stands what made it."));
    const list = make("div", { class: "recipe", role: "listbox", "aria-label": file.path });
    const lines = file.lines.map((line, place) => {
      const one = make("div", {
        class: "line", role: "option", tabindex: place ? "-1" : "0", "aria-selected": "false",
      }, cell("span", String(place + 1), { class: "number" }), cell("span", data.texts[data.lines[line][0]]));
      list.append(one);
      return one;
    });
    const choose = (place) => {
      lines.forEach((one, number) => {
        one.setAttribute("aria-selected", String(number === place));
        one.tabIndex = number === place ? 0 : -1;
      });
      lines[place].focus();
      const [made, around] = placesOf(file, file.lines[place]);
      from.replaceChildren(...sourcesOf("made of", made), ...sourcesOf("around it", around));
      if (!made.length && !around.length) from.append(make("p", {}, "no line of source alone"));
    };
    list.addEventListener("click", (event) => {
      const place = lines.indexOf(event.target.closest(".line"));
      if (place >= 0) choose(place);
    });
    list.addEventListener("keydown", (event) => {
      const place = lines.indexOf(event.target.closest(".line"));
      const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: lines.length - 1,
        Enter: place, " ": place, PageDown: Math.min(place + 15, lines.length - 1),
        PageUp: Math.max(place - 15, 0) }[event.key];
      if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (lines[next]) choose(next);
    });
    return [make("h3", {}, file.path), list, from];
  };

  const settingsOf = (variant) => {
    const blocks = new Map();
    for (const number of variant.entries) {
      const entry = data.entries[number];
      const block = entry.path.split(".")[0];
      if (!blocks.has(block)) blocks.set(block, make("tbody", {}));
      const notes = entry.notes.map((note) => make("div", { class: "note" }, note));
      blocks.get(block).append(make("tr", {}, cell("th", entry.path, { scope: "row" }),
        make("td", {}, cell("div", entry.text, { class: "value" }), ...notes),
        cell("td", entry.place, { class: "place" })));
    }
    return make("table", {}, make("thead", {}, make("tr", {}, cell("th", "setting"),
      cell("th", "value"), cell("th", "where"))), ...blocks.values());
  };

  const findingsOf = (variant) => variant.lints.length ? [
    make("h3", {}, "Findings"),
    ...variant.lints.map((number) => {
      const one = data.lints[number];
      return make("p", {}, make("span", { class: "warn" }, `${one.name}: `), `${one.what}: `,
        one.case, make("span", { class: "place" }, ` ${one.place}`),
        make("span", { class: "note" }, ` ${one.help}`));
    }),
  ] : [];

  const stateOf = (variant) => variant.state ? [make("p", {}, "Build: ", Object.entries(
    variant.state).filter(([, value]) => value !== null && value !== "")
    .map((pair) => pair.join(" ")).join(", "))] : [];

  const acts = (...more) => make("p", {}, ...more);
  const act = (text, does, attributes) => {
    const button = make("button", { type: "button", class: "act", ...attributes }, text);
    button.addEventListener("click", does);
    return button;
  };

  const explain = () => {
    const summary = axesOf(first).map((pair) => pair.join(" = ")).join(", ");
    const beside = first.beside.length ? [make("h3", {}, "On no line"), ...first.beside.map(
      ([text, set]) => make("p", {}, text, make("span", { class: "place" }, ` ${data.sets[set]
        .map((one) => data.places[one].slice(0, 2).join(":")).join(", ")}`)))] : [];
    at("detail").replaceChildren(
      make("h2", {}, first.name), make("p", { class: "note" }, `${first.matrix}: ${summary}`),
      acts(act("Compare with the next one", compare, { "aria-pressed": String(comparing) }),
        act("Close", close)),
      ...stateOf(first), ...findingsOf(first), ...first.files.flatMap(recipeOf),
      ...first.files.length ? [] : [make("p", { class: "note" }, "No output writes its recipe.")],
      ...beside,
      make("h3", {}, "Settings"), settingsOf(first),
    );
    say(comparing ? `${first.name}: choose another to compare it with.` :
      `${first.name} is explained.`);
  };

  const compare = () => {
    comparing = !comparing;
    explain();
    (tileOf.get(first) || tiles[0]).focus();
  };

  const close = () => {
    const tile = tileOf.get(first);
    first = second = null;
    comparing = false;
    mark();
    at("detail").replaceChildren(make("p", { class: "note" }, introduction));
    history.replaceState(null, "", "#");
    dim();
    if (tile) tile.focus();
  };

  // --- two variants ------------------------------------------------------------------------

  // The longest common run of lines: what begins and ends alike is no part of the search.
  const edits = (a, b) => {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let ends = 0;
    while (ends < a.length - start && ends < b.length - start &&
      a[a.length - 1 - ends] === b[b.length - 1 - ends]) ends += 1;
    const left = a.slice(start, a.length - ends);
    const right = b.slice(start, b.length - ends);
    const best = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        best[i][j] = left[i] === right[j] ? best[i + 1][j + 1] + 1 :
          Math.max(best[i + 1][j], best[i][j + 1]);
      }
    }
    const found = a.slice(0, start).map((line) => [" ", line]);
    let i = 0;
    let j = 0;
    while (i < left.length || j < right.length) {
      if (i < left.length && j < right.length && left[i] === right[j]) {
        found.push([" ", left[i]]);
        i += 1;
        j += 1;
      } else if (j === right.length || (i < left.length && best[i + 1][j] >= best[i][j + 1])) {
        found.push(["-", left[i]]);
        i += 1;
      } else {
        found.push(["+", right[j]]);
        j += 1;
      }
    }
    return [...found, ...a.slice(a.length - ends).map((line) => [" ", line])];
  };

  const linesDiffer = (a, b) => {
    const list = make("div", { class: "recipe" });
    const textOf = (file) => file.lines.map((line) => data.lines[line][0]);
    const all = edits(textOf(a), textOf(b));
    const near = all.map((_, place) => all.slice(Math.max(place - 2, 0), place + 3)
      .some(([sign]) => sign !== " "));
    let gap = 0;
    const flush = () => {
      if (gap) list.append(make("div", { class: "gap" }, `\u22ee ${counted(gap, "equal line")}`));
      gap = 0;
    };
    all.forEach(([sign, line], place) => {
      if (!near[place]) {
        gap += 1;
        return;
      }
      flush();
      const kind = { "-": " old", "+": " new", " ": "" }[sign];
      list.append(make("div", { class: `line still${kind}` }, cell("span", sign,
        { class: "number" }), cell("span", data.texts[line])));
    });
    flush();
    return [make("h3", {}, `${a.path} \u2192 ${b.path}`), list];
  };

  const differ = () => {
    const [a, b] = [settings[first.number], settings[second.number]];
    const own = [...new Set([...a.keys(), ...b.keys()])].filter((path) =>
      a.get(path) !== b.get(path));
    const rows = own.map((path) => {
      const [left, right] = [a, b].map((one) => data.entries[one.get(path)]);
      if (left && right && left.text === right.text) return null;
      const side = (entry) => make("td", {}, cell("div", entry ? entry.text : NONE,
        { class: "value" }), ...entry ? [cell("div", entry.place, { class: "place" })] : []);
      return make("tr", {}, cell("th", path, { scope: "row" }), side(left), side(right));
    }).filter(Boolean);
    const files = first.files.map((file, place) => [file, second.files[place]])
      .filter(([, other]) => other);
    at("detail").replaceChildren(
      make("h2", {}, `${first.name} \u2192 ${second.name}`),
      acts(act("Exchange", exchange), act("Close", close)),
      make("h3", {}, `${counted(rows.length, "setting")} differ${rows.length === 1 ? "s" : ""}`),
      make("table", {}, make("thead", {}, make("tr", {}, cell("th", "setting"),
        cell("th", first.name), cell("th", second.name))), make("tbody", {}, ...rows)),
      ...files.flatMap(([file, other]) => linesDiffer(file, other)),
    );
    say(`${first.name} and ${second.name} are compared: ${counted(rows.length, "setting")}.`);
  };

  const exchange = () => {
    [first, second] = [second, first];
    mark();
    differ();
    remember();
  };

  // --- dropped cells -----------------------------------------------------------------------

  const tellDropped = (dropped) => {
    first = second = null;
    comparing = false;
    mark();
    const shown = dropped.slice(0, 200).map((one) => make("li", {},
      axesOf(one).map((pair) => pair.join(" = ")).join(", "),
      ...one.reasons.map(([cause, values]) => {
        const { text, place, because, through } = data.causes[cause];
        return make("div", { class: "note" }, because ? `${because}: ` : "",
          make("span", { class: "value" }, text), values ? ` (${values})` : "", ` ${place}`,
          through ? `, brought in by ${through}` : "");
      })));
    const more = dropped.length - shown.length;
    at("detail").replaceChildren(
      make("h2", {}, counted(dropped.length, "dropped cell")), acts(act("Close", close)),
      make("ul", {}, ...shown),
      ...more > 0 ? [make("p", { class: "note" }, `and ${more} more`)] : []);
    say(`${counted(dropped.length, "dropped cell")}: ${reasonsOf(dropped)}`);
  };

  // --- choosing ----------------------------------------------------------------------------

  const remember = () => {
    const names = [first, second].filter(Boolean).map((one) => encodeURIComponent(one.name));
    history.replaceState(null, "", `#${names.join("&")}`);
  };

  const choose = (tile, also) => {
    for (const one of tiles) one.tabIndex = -1;
    tile.tabIndex = 0;
    if (tile.dropped) {
      tellDropped(tile.dropped);
      return;
    }
    if (first && first !== tile.cell && (comparing || also)) {
      second = tile.cell;
      comparing = false;
      mark();
      differ();
    } else {
      first = tile.cell;
      second = null;
      mark();
      explain();
    }
    remember();
  };

  const neighbour = (tile, key) => {
    const row = rowsOfTiles.findIndex((own) => own.some(([one]) => one === tile));
    const own = rowsOfTiles[row].map(([one]) => one);
    const place = own.indexOf(tile);
    switch (key) {
      case "ArrowRight": return own[place + 1];
      case "ArrowLeft": return own[place - 1];
      case "Home": return own[0];
      case "End": return own[own.length - 1];
      case "ArrowDown": case "ArrowUp": {
        const step = key === "ArrowDown" ? 1 : -1;
        const column = rowsOfTiles[row][place][1];
        const within = rowsOfTiles[row].slice(0, place).filter(([, one]) => one === column).length;
        for (let next = row + step; rowsOfTiles[next]; next += step) {
          const there = rowsOfTiles[next].filter(([, one]) => one === column);
          if (there.length) return there[Math.min(within, there.length - 1)][0];
        }
        return undefined;
      }
      default: return undefined;
    }
  };

  at("grid").addEventListener("click", (event) => {
    const tile = event.target.closest(".tile");
    if (tile) choose(tile, event.shiftKey);
  });
  at("grid").addEventListener("keydown", (event) => {
    const tile = event.target.closest(".tile");
    if (!tile || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      close();
      return;
    }
    if (event.key === "c" && first) {
      compare();
      return;
    }
    const next = neighbour(tile, event.key);
    if (!next) return;
    event.preventDefault();
    tile.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  at("detail").addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  for (const id of ["rows", "columns", "of"]) at(id).addEventListener("change", draw);
  at("colour").addEventListener("change", colour);
  let waiting = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 60);
  });

  const introduction = at("detail").textContent.trim();
  draw();
  const named = location.hash.slice(1).split("&").map((text) => {
    try {
      return data.variants.find((one) => one.name === decodeURIComponent(text));
    } catch {
      return undefined;
    }
  });
  if (named[0]) choose(tileOf.get(named[0]));
  if (named[0] && named[1]) choose(tileOf.get(named[1]), true);
})();
