
// The page of a matrix: the picture, its legend, and the cell that is chosen.
{
  const data = dataOf("matrix");
  const MOST_KINDS = 24;
  const { cells } = data;
  const isBuilt = (cell) => !cell.reasons && cell.change !== "gone";
  const built = cells.filter(isBuilt);
  data.hues.forEach((hue, number) => {
    document.styleSheets[0].insertRule(`.k${number} { --hue: ${hue} }`);
  });

  // What is known of variants is many times as much as the picture: it is read when it is needed.
  let read = null;
  const known = () => {
    if (!read) {
      const details = dataOf("details");
      const byName = new Map(details.variants.map((one) => [one.name, one]));
      const reader = makeReader(details);
      const panes = makePanes(details, reader, data.program);
      const of = (cell) => byName.get(cell.name);
      read = { details, panes, reader, of, numbers: (cell) => reader.runs(of(cell).entries) };
    }
    return read;
  };

  const axisOf = new Map(data.axes.map((axis, number) => [axis.name, { ...axis, number }]));
  const valueOf = (cell, name) => name ? cell.values[axisOf.get(name).number] : cell.matrix;
  const textOf = (name, number) => {
    if (!name) return data.matrices[number];
    return number < 0 ? `no ${name}` : axisOf.get(name).values[number];
  };
  const labelOf = (name, number) => name && number >= 0 ? axisOf.get(name).labels[number] : "";
  const pairsOf = (cell) => data.axes.filter((axis) => valueOf(cell, axis.name) >= 0)
    .map(({ name }) => [name, textOf(name, valueOf(cell, name))]);

  // --- kinds of cells -----------------------------------------------------------------------

  // A way to colour says of a variant what it is; "" is nothing worth a colour.
  const changeOf = (cell) => cell.change || "as before";
  const lintsOf = (cell) => {
    const { details, of } = known();
    return [...new Set(of(cell).lints.map((one) => details.lints[one].name))].sort();
  };
  const ways = new Map([["kept", ["what is kept", () => "kept"]]]);
  if (data.against) ways.set("change", [`change since ${data.against}`, changeOf]);
  if (built.some((cell) => cell.state)) {
    ways.set("state", ["state of the build", (cell) => cell.state?.state || "not in the report"]);
  }
  const start = [...ways.keys()].pop();
  const HUES = { kept: 138, built: 138, there: 138, cached: 160, fetched: 190, failed: 2, lost: 28,
    unplaced: 52, refused: 320, stopped: 250, new: 208, changed: 30, renamed: 265, gone: 2 };
  const SIGNS = { kept: "\u2713", built: "\u2713", new: "+", changed: "~", renamed: "=", failed: "!" };
  const QUIET = new Set(["as before", "not in the report", "nothing found", NONE]);

  let way = start;
  let kinds = new Map();
  let kindsOf = new Map();

  const because = (cause) => data.causes[cause].because || data.causes[cause].text;

  const alike = ([one, ...others]) => {
    let length = 0;
    while (length < one.length && others.every((text) => text[length] === one[length])) length += 1;
    while (length && /[\w-]/u.test(one[length - 1])) length -= 1; // back to where a word begins
    return length;
  };

  // The kinds in the order of the legend. The first kind of a cell colours it.
  const sort = (shown) => {
    const [, tell] = ways.get(way);
    kinds = new Map();
    kindsOf = new Map();
    const put = (cell, key, kind) => {
      if (!kinds.has(key)) kinds.set(key, { count: 0, ...kind });
      kinds.get(key).count += 1;
      kindsOf.get(cell).push(key);
    };
    for (const cell of shown) {
      kindsOf.set(cell, []);
      if (!isBuilt(cell)) continue;
      const text = tell(cell);
      put(cell, `is ${text}`, { text });
    }
    const values = [...kinds.values()];
    values.sort((a, b) => QUIET.has(a.text) - QUIET.has(b.text) || b.count - a.count ||
      (a.text < b.text ? -1 : 1));
    const byOwn = ["kept", "change", "state"].includes(way);
    // Long values are told apart by where they begin to differ.
    const common = values.length > 1 ? alike(values.map((kind) => kind.text)) : 0;
    values.forEach((kind, number) => {
      kind.short = `${common > 10 ? "\u2026" : ""}${kind.text.slice(common > 10 ? common : 0)}`
        .slice(0, 60);
      kind.name = QUIET.has(kind.text) ? "quiet" : `k${(number + 2) % data.hues.length}`;
      if (byOwn) kind.hue = HUES[kind.text];
      kind.sign = byOwn ? SIGNS[kind.text] || "" : "";
    });
    kinds = new Map(values.map((kind) => [`is ${kind.text}`, kind]));
    for (const cell of shown) {
      if (cell.change === "gone") {
        put(cell, "gone", {
          text: "gone", short: "gone", name: "k6", hue: HUES.gone, out: true, sign: "\u2212",
        });
      }
      for (const [cause] of cell.reasons || []) {
        put(cell, `cause ${cause}`, {
          cause, text: `dropped: ${because(cause)}`,
          name: byOwn ? `k${cause % data.hues.length}` : "quiet",
          out: true, sign: String(cause + 1),
        });
      }
    }
    for (const kind of kinds.values()) {
      if (kind.cause !== undefined) kind.count = data.causes[kind.cause].count;
    }
    const order = (key) => kinds.get(key).cause ?? -1;
    kinds = new Map([...kinds.keys()].sort((a, b) => order(a) - order(b))
      .map((key) => [key, kinds.get(key)]));
  };

  const paint = (element, kind) => {
    element.classList.add(kind.name);
    if (kind.out) element.classList.add("out");
    if (kind.hue !== undefined) element.style.setProperty("--hue", String(kind.hue));
  };

  // --- the legend -----------------------------------------------------------------------------

  const pressed = new Set();
  let hovered = null;
  let matching = null;

  const legend = () => {
    const noteOf = (kind) => {
      if (kind.cause === undefined) return [];
      const { text, place, because: said, through } = data.causes[kind.cause];
      const more = [place, ...said ? [text] : [], ...through ? [`brought in by ${through}`] : []];
      return [make("span", { class: "note" }, more.join(" \u00b7 "))];
    };
    at("legend").replaceChildren(...[...kinds].map(([key, kind]) => {
      const swatch = make("span", { class: "swatch", "aria-hidden": "true" }, kind.sign);
      paint(swatch, kind);
      const short = kind.text.length > 160 ? `${kind.text.slice(0, 160)}\u2026` : kind.text;
      const one = button("", () => {
        if (!pressed.delete(key)) pressed.add(key);
        one.setAttribute("aria-pressed", String(pressed.has(key)));
        dim();
      }, { "aria-pressed": String(pressed.has(key)), class: "entry" });
      one.append(swatch, make("span", {}, make("strong", {}, String(kind.count)), ` ${short}`,
        ...noteOf(kind)));
      const hover = (what) => () => {
        hovered = what;
        dim();
      };
      one.addEventListener("mouseenter", hover(key));
      one.addEventListener("mouseleave", hover(null));
      return one;
    }));
  };

  const dim = () => {
    const lit = hovered !== null ? new Set([hovered]) : pressed;
    for (const [cell, box] of boxOf) {
      const off = (lit.size && !kindsOf.get(cell).some((key) => lit.has(key))) ||
        (matching !== null && !matching.has(cell));
      box.classList.toggle("dim", Boolean(off));
    }
  };

  // --- the picture ----------------------------------------------------------------------------

  let boxOf = new Map();
  let boxes = [];
  let first = null;
  let second = null;
  let comparing = false;

  const columnsChosen = new Set(data.columns);
  const sided = [...data.rows, ...data.columns];

  const keysOf = (shown, names) => {
    const keys = new Map();
    for (const cell of shown) {
      const key = names.map((name) => valueOf(cell, name));
      keys.set(key.join(), key);
    }
    const rank = (number) => number < 0 ? Infinity : number;
    return [...keys.values()].sort((a, b) => {
      const place = a.findIndex((number, at) => number !== b[at]);
      return place < 0 ? 0 : rank(a[place]) - rank(b[place]);
    });
  };

  // Of each axis the runs of equal values: [number, how many].
  const runsOf = (keys, names) => names.map((_, depth) => {
    const runs = [];
    keys.forEach((key, place) => {
      const same = place && keys[place - 1].slice(0, depth + 1).join() ===
        key.slice(0, depth + 1).join();
      if (same) runs[runs.length - 1][1] += 1;
      else runs.push([key[depth], 1, place]);
    });
    return runs;
  });

  const LETTER = 8; // pixels, of a bold one
  const EDGE = 4; // between groups of columns
  const draw = () => {
    const own = at("of").value;
    const shown = own === "" ? cells : cells.filter((cell) => cell.matrix === Number(own));
    const rows = sided.filter((name) => !columnsChosen.has(name));
    const columns = sided.filter((name) => columnsChosen.has(name));
    sort(shown);
    const [rowKeys, columnKeys] = [keysOf(shown, rows), keysOf(shown, columns)];
    const [rowRuns, columnRuns] = [runsOf(rowKeys, rows), runsOf(columnKeys, columns)];
    const numbers = (keys) => new Map(keys.map((key, number) => [key.join(), number]));
    const [rowAt, columnAt] = [numbers(rowKeys), numbers(columnKeys)];
    const found = rowKeys.map(() => new Array(columnKeys.length));
    for (const cell of shown) {
      const key = (names) => names.map((name) => valueOf(cell, name)).join();
      found[rowAt.get(key(rows))][columnAt.get(key(columns))] = cell;
    }

    const edges = new Set(columns.length > 1 ? columnRuns[columns.length - 2]
      .map(([, , place]) => place).slice(1) : []);

    // How wide everything is: cells share what the heads of rows and two scroll bars leave.
    const phone = matchMedia("(max-width: 50rem)").matches;
    const last = rows.length - 1;
    const headWidths = rows.map((name, depth) => Math.min(phone ? 120 : 420, 20 + LETTER * Math.max(
      ...rowRuns[depth].map(([number]) => textOf(name, number).length +
        (depth === last && !phone ? labelOf(name, number).length + 1 : 0)))));
    const room = at("grid").clientWidth - headWidths.reduce((sum, one) => sum + one, 0) - 34 -
      EDGE * edges.size;
    const coarse = matchMedia("(pointer: coarse)").matches;
    const wide = Math.max(coarse ? 26 : 12, Math.min(150, Math.floor(room / columnKeys.length)));
    const high = coarse || wide >= 26 ? 27 : Math.max(wide, 15);
    const head = make("thead", {});
    const said = (names, arrow) => names.length ? `${names.map((name) => name || "matrix")
      .join(", ")} ${arrow}` : "";
    columnRuns.forEach((runs, depth) => {
      const row = make("tr", {});
      if (!depth) {
        const size = { rowspan: columns.length, colspan: rows.length || 1 };
        row.append(make("td", { class: "corner", ...size },
          make("span", {}, said(rows, "\u2193")), make("span", {}, said(columns, "\u2192"))));
      }
      const name = columns[depth];
      const turned = runs.some(([number, count]) =>
        textOf(name, number).length * LETTER > wide * count - 6);
      for (const [number, count] of runs) {
        const label = labelOf(name, number);
        const text = make("span", {}, textOf(name, number));
        const th = make("th", { scope: count > 1 ? "colgroup" : "col", colspan: count,
          class: turned ? "turned" : undefined, title: label || undefined }, text);
        if (label && !turned && label.length * 6.4 < wide * count - 8) {
          th.append(make("small", {}, label));
        }
        row.append(th);
      }
      head.append(row);
    });
    if (!columns.length) {
      head.append(make("tr", {}, make("td", { class: "corner", colspan: rows.length || 1 },
        said(rows, "\u2193")), make("td", { class: "corner" })));
    }
    const body = make("tbody", {});
    const starts = rowRuns.map((runs) => new Map(runs.map(([number, count, place]) =>
      [place, [number, count]])));
    boxOf = new Map();
    boxes = found.map((line, place) => {
      const row = make("tr", {});
      rows.forEach((name, depth) => {
        const run = starts[depth].get(place);
        if (!run) return;
        const [number, count] = run;
        const label = labelOf(name, number);
        const th = make("th", { scope: count > 1 ? "rowgroup" : "row", rowspan: count },
          make("span", {}, textOf(name, number)));
        if (label && depth === last && !phone) th.append(" ", make("small", {}, label));
        if (label) th.title = label;
        th.style.left = `${headWidths.slice(0, depth).reduce((sum, one) => sum + one, 0)}px`;
        row.append(th);
      });
      if (!rows.length) row.append(make("th", { scope: "row" }, "all"));
      const group = rows.length > 1 && starts[last - 1].has(place);
      if (group && place) row.className = "group";
      const own = [];
      for (let column = 0; column < line.length; column += 1) {
        const cell = line[column];
        const box = document.createElement("td");
        if (cell) {
          dress(box, cell, wide);
          boxOf.set(cell, box);
        }
        if (edges.has(column)) box.classList.add("edge");
        row.append(box);
        own.push(cell ? box : null);
      }
      body.append(row);
      return own;
    });
    const caption = make("caption", {}, "The matrix. Each cell is a combination of axis values.");
    const table = make("table", { role: "grid" }, caption, make("colgroup", {},
      ...(rows.length ? headWidths : [60]).map((one) => colOf(one)),
      ...columnKeys.map((_, place) => colOf(wide + (edges.has(place) ? EDGE : 0)))), head, body);
    table.style.setProperty("--high", `${high}px`);
    table.style.width = `${(rows.length ? headWidths.reduce((sum, one) => sum + one, 0) : 60) +
      wide * columnKeys.length + EDGE * edges.size}px`;
    table.classList.toggle("tight", wide < 18);
    at("grid").replaceChildren(table);
    const some = boxOf.get(first) || boxes.flat().find(Boolean);
    if (some) some.tabIndex = 0;
    legend();
    dim();
    mark();
  };

  const colOf = (width) => {
    const col = document.createElement("col");
    col.style.width = `${width}px`;
    return col;
  };

  const dress = (box, cell, wide) => {
    const own = kindsOf.get(cell);
    const kind = kinds.get(own[0]);
    box.tabIndex = -1;
    box.cell = cell;
    box.className = kind.out ? `${kind.name} out` : kind.name;
    if (kind.hue !== undefined) box.style.setProperty("--hue", String(kind.hue));
    const told = own.map((key) => kinds.get(key)).map(({ cause, text, short }) =>
      cause === undefined ? short : `${cause + 1}, ${text}`).join("; ");
    box.setAttribute("aria-label", `${cell.name || "no name"}: ${told}`);
    if (wide >= 18) {
      const text = kind.cause === undefined && !["kept", "built"].includes(kind.text) ? kind.short : "";
      const fits = text && (text.length * LETTER < wide - 8 || (!kind.sign && wide >= 64));
      box.textContent = fits ? text : kind.sign;
    }
  };

  // --- searching ------------------------------------------------------------------------------

  let lowered = null;
  const search = () => {
    const words = at("search").value.toLowerCase().split(/\s+/u).filter(Boolean);
    matching = null;
    if (words.length) {
      const { details, reader, numbers, of } = known();
      const lower = (one, fill) => `${one.path}=${fill(one.text)}`.toLowerCase();
      lowered ||= details.entries.map((one) =>
        Array.isArray(one.text) ? null : lower(one, (text) => text));
      const hits = words.map((word) => [word, new Set(lowered.flatMap((text, number) =>
        text !== null && text.includes(word) ? [number] : []))]);
      const has = (cell, word, found) => {
        const fill = reader.filler(of(cell));
        return numbers(cell).some((number) => lowered[number] === null ?
          lower(details.entries[number], fill).includes(word) : found.has(number));
      };
      matching = new Set(cells.filter((cell) => hits.every(([word, found]) =>
        (cell.name || "").toLowerCase().includes(word) ||
        pairsOf(cell).some((pair) => pair.join("=").toLowerCase().includes(word)) ||
        (isBuilt(cell) && (lintsOf(cell).some((name) => name.includes(word)) ||
          has(cell, word, found))))));
      const some = built.filter((cell) => matching.has(cell)).length;
      say(`${some} of ${counted(built.length, "variant")} match.`);
    } else {
      say("");
    }
    dim();
  };

  // --- the chosen cell ------------------------------------------------------------------------

  const mark = () => {
    for (const row of boxes) {
      for (const box of row) {
        if (!box) continue;
        const chosen = box.cell === first || box.cell === second;
        if (chosen) box.setAttribute("aria-selected", "true");
        else if (box.hasAttribute("aria-selected")) box.removeAttribute("aria-selected");
      }
    }
    document.body.classList.toggle("chosen", first !== null);
  };

  // What is chosen, under the picture; where it would be out of sight the page moves up to both.
  const pane = (title, acts, ...inner) => {
    const head = make("div", { class: "head" }, make("h2", {}, title),
      ...acts.map(([text, does, more]) => button(text, does, more)), button("Close", close));
    at("detail").replaceChildren(head, ...inner);
    document.body.classList.add("chosen");
    if (at("detail").getBoundingClientRect().top > innerHeight * 0.55) at("grid").scrollIntoView();
  };

  const stateOf = (cell) => cell.state ? [make("p", {}, "Build: ", Object.entries(cell.state)
    .filter(([, value]) => value !== null && value !== "").map((pair) => pair.join(" "))
    .join(", "))] : [];

  const summaryOf = (cell) => make("p", { class: "note" }, `${data.matrices[cell.matrix]}: ${
    pairsOf(cell).map((pair) => pair.join(" = ")).join(", ")}`);

  const changeOfFirst = (panes) => {
    if (!first.change) return [];
    const changes = data.changes.filter((block) => block.variants.includes(first.name))
      .flatMap((block) => block.changes);
    return [make("p", {}, `Since ${data.against}: ${first.change}`),
      ...panes.changed(changes, data.against)];
  };

  let sides = null;
  const explain = () => {
    const { panes, of } = known();
    const variant = of(first);
    sides = panes.sides(variant, (id) => remember(id));
    pane(first.name, [["Compare with the next one", compare,
      { "aria-pressed": String(comparing) }]], summaryOf(first),
      ...changeOfFirst(panes), ...stateOf(first), ...panes.findings(variant), sides.body,
      ...panes.settings(variant));
    say(comparing ? `${first.name}: choose another variant.` : `${first.name} is shown.`);
  };

  const tellDropped = () => {
    pane(`${first.name || "A cell without a name"} is not a variant`, [], summaryOf(first),
      ...first.change === "gone" ? [make("p", {}, `It was a variant in ${data.against}.`)] : [],
      make("ul", {}, ...(first.reasons || []).map(([number, values]) => {
        const { text, place, because: said, through } = data.causes[number];
        const note = make("div", { class: "note" }, make("span", { class: "value" }, text),
          values ? ` (${values})` : "", ` ${place}`, through ? `, brought in by ${through}` : "");
        return make("li", {}, said || "an exclusion without a reason", note);
      })));
    say(`${first.name} is not a variant.`);
  };

  const differ = () => {
    const { panes, of } = known();
    const { count, body } = panes.differ(of(first), of(second));
    const text = `${counted(count, "setting")} differ${count === 1 ? "s" : ""}`;
    pane(`${first.name} \u2192 ${second.name}`, [["Exchange", () => {
      [first, second] = [second, first];
      differ();
      remember();
    }]], make("p", {}, text), ...body);
    say(`${text} between ${first.name} and ${second.name}.`);
  };

  const compare = () => {
    comparing = !comparing;
    explain();
    boxOf.get(first)?.focus();
  };

  const introduction = [...at("detail").childNodes];
  const close = () => {
    const box = boxOf.get(first);
    first = second = null;
    comparing = false;
    mark();
    at("detail").replaceChildren(...introduction);
    history.replaceState(null, "", "#");
    say("");
    if (box) box.focus();
  };

  const remember = (line) => {
    const names = [first, second].filter((one) => one?.name)
      .map((one) => encodeURIComponent(one.name));
    history.replaceState(null, "", `#${[...names, ...line ? [line] : []].join("&")}`);
  };

  const choose = (cell, also) => {
    if (isBuilt(cell) && first && isBuilt(first) && first !== cell && (comparing || also)) {
      second = cell;
      comparing = false;
      differ();
    } else {
      first = cell;
      second = null;
      if (isBuilt(cell)) explain();
      else tellDropped();
    }
    mark();
    const box = boxOf.get(cell);
    for (const row of boxes) for (const one of row) if (one?.tabIndex === 0) one.tabIndex = -1;
    if (box) {
      box.tabIndex = 0;
      box.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    remember();
  };

  const next = (box, key) => {
    const row = boxes.findIndex((own) => own.includes(box));
    const column = boxes[row].indexOf(box);
    const walk = (down, across) => {
      for (let r = row + down, c = column + across; boxes[r] && c >= 0 && c < boxes[r].length;
        r += down, c += across) {
        if (boxes[r][c]) return boxes[r][c];
      }
      return undefined;
    };
    const own = boxes[row].filter(Boolean);
    switch (key) {
      case "ArrowRight": return walk(0, 1);
      case "ArrowLeft": return walk(0, -1);
      case "ArrowDown": return walk(1, 0);
      case "ArrowUp": return walk(-1, 0);
      case "Home": return own[0];
      case "End": return own[own.length - 1];
      default: return undefined;
    }
  };

  at("grid").addEventListener("click", (event) => {
    const box = event.target.closest("td");
    if (box?.cell) choose(box.cell, event.shiftKey);
  });
  at("grid").addEventListener("mouseover", (event) => {
    const box = event.target.closest("td");
    if (!box?.cell || box.title) return;
    box.title = `${box.getAttribute("aria-label")}\n${pairsOf(box.cell)
      .map((pair) => pair.join(" = ")).join(", ")}`;
  });
  at("grid").addEventListener("keydown", (event) => {
    const box = event.target.closest("td");
    if (!box?.cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") close();
    else if (event.key === "c" && first && isBuilt(first)) compare();
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(box.cell, event.shiftKey);
    } else {
      const other = next(box, event.key);
      if (!other) return;
      event.preventDefault();
      box.tabIndex = -1;
      other.tabIndex = 0;
      other.focus();
    }
  });
  at("detail").addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

  // --- options --------------------------------------------------------------------------------

  const option = (value, text) => make("option", { value }, text);
  at("of").append(option("", "all"), ...data.matrices.map((name, number) => option(number, name)));
  if (data.matrices.length < 2) at("of").parentElement.hidden = true;
  for (const name of sided) {
    const box = make("input", { type: "checkbox" });
    box.checked = columnsChosen.has(name);
    box.addEventListener("change", () => {
      if (box.checked) columnsChosen.add(name);
      else columnsChosen.delete(name);
      draw();
    });
    at("columns").append(make("label", {}, box, ` ${name || "matrix"}`));
  }
  for (const [key, [text]] of ways) at("colour").append(option(key, text));
  at("colour").value = start;

  // Settings that differ, but not as one axis alone does: rows and columns say that already.
  const offerSettings = () => {
    const { details, reader, numbers, of } = known();
    const offer = (title, found) => {
      if (!found.length) return;
      const group = make("optgroup", { label: title });
      for (const [key, text, tell] of found) {
        ways.set(key, [text, tell]);
        group.append(option(key, text));
      }
      at("colour").append(group);
    };
    if (details.lints.length) {
      const names = [...new Set(details.lints.map((one) => one.name))].sort();
      offer("Findings", [
        ["lint", "what lints find", (cell) => lintsOf(cell).join(", ") || "nothing found"],
        ...names.map((name) => [`lint:${name}`, name,
          (cell) => lintsOf(cell).includes(name) ? "found" : "nothing found"]),
      ]);
    }
    const columns = new Map();
    built.forEach((cell, number) => {
      for (const one of numbers(cell)) {
        const { path, within } = details.entries[one];
        if (within || path.startsWith("files.")) continue;
        if (!columns.has(path)) columns.set(path, new Int32Array(built.length).fill(-1));
        columns.get(path)[number] = one;
      }
    });
    const partition = (numbers) => {
      const names = new Map();
      for (const one of numbers) {
        if (!names.has(one)) names.set(one, names.size);
        if (names.size > MOST_KINDS) return [];
      }
      return names.size < 2 ? [] : [...numbers].map((one) => names.get(one));
    };
    const same = (a, b) => a.every((one, place) => one === b[place]);
    const byAxis = data.axes.map(({ name }) => partition(built.map((cell) => valueOf(cell, name))))
      .filter((one) => one.length);
    const fillers = built.map((cell) => reader.filler(of(cell)));
    const textAt = (column, place) => column[place] < 0 ? NONE :
      fillers[place](details.entries[column[place]].text);
    const telling = [...columns].filter(([, column]) => {
      const parts = partition(built.map((_, place) => textAt(column, place)));
      return parts.length && !byAxis.some((one) => same(one, parts));
    }).map(([path]) => path).sort();
    const places = new Map(built.map((cell, number) => [cell, number]));
    GROUPS.forEach((title, group) => offer(title, telling.filter((path) => groupOf(path) === group)
      .map((path) => [`set:${path}`, path,
        (cell) => textAt(columns.get(path), places.get(cell))])));
  };
  at("options").addEventListener("toggle", offerSettings, { once: true });
  at("of").addEventListener("change", draw);
  at("colour").addEventListener("change", () => {
    way = at("colour").value;
    pressed.clear();
    draw();
  });
  let waiting = 0;
  at("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 60);
  });
  let drawnAt = 0;
  addEventListener("resize", () => {
    if (innerWidth === drawnAt) return;
    drawnAt = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 100);
  });

  // A sheet of paper is narrower than most windows, and nothing on it scrolls.
  const PAPER = 680;
  const zoom = (factor) => { at("grid").firstElementChild.style.zoom = factor; };
  addEventListener("beforeprint", () => zoom(Math.min(1, PAPER / at("grid").scrollWidth)));
  addEventListener("afterprint", () => zoom(1));

  drawnAt = innerWidth;
  draw();
  const missing = data.dropped - cells.filter((cell) => cell.reasons).length;
  say(missing > 0 ? `${counted(missing, "dropped cell")} more are not drawn.` : "");
  // The address says which variants are chosen, and the line of a recipe or the setting. Of a page
  // with one variant, this one is chosen.
  const byName = new Map(cells.filter((cell) => cell.name).map((cell) => [cell.name, cell]));
  const follow = () => {
    const words = location.hash.slice(1).split("&").map((text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return "";
      }
    });
    const named = byName.has(words[0]) ? byName.get(words.shift()) : null;
    const chosen = named || (cells.length === 1 ? cells[0] : null);
    if (!chosen) return;
    choose(chosen);
    const [other] = words;
    if (byName.has(other)) choose(byName.get(other), true);
    else if (other && sides && isBuilt(chosen) && !sides.follow(other)) {
      if (known().panes.followSetting(at("detail"), other)) remember(encodeURIComponent(other));
    }
  };
  addEventListener("hashchange", follow);
  follow();
}
