"use strict";
// The pane of a variant, with its recipes beside the sources and all of its settings, and what
// differs between two variants.

const at = (id) => document.getElementById(id);
const NONE = "\u2013";

const make = (name, attributes, ...inner) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inner);
  return element;
};
const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const dataOf = (id) => JSON.parse(at(id).textContent);
const say = (text) => { at("status").textContent = text; };
const button = (text, does, attributes) => {
  const one = make("button", { type: "button", ...attributes }, text);
  one.addEventListener("click", does);
  return one;
};

// What reaches the build comes first; facts are folded.
const FACTS = new Set(["axes", "matrix", "recipe", "flags", "files"]);
const AFTER = new Set(["meta", "passthru"]);
const GROUPS = ["What reaches the build", "What does not reach the build", "Facts and choices"];
const groupOf = (path) => {
  const block = path.split(".")[0];
  if (FACTS.has(block)) return 2;
  return AFTER.has(block) ? 1 : 0;
};

// What variants share is kept once: runs of numbers, and texts. A text that each variant fills in is
// a list: of texts, of the numbers of late parts, and of null for the variant's name. A reader gives
// one variant by itself.
const makeReader = (details) => {
  const runs = (numbers) => numbers.flatMap((number) => details.runs[number]);
  const filler = (variant) => {
    let texts = null;
    return (text) => {
      if (!Array.isArray(text)) return text;
      texts ||= new Map(runs([variant.fills]).map((one) => details.fills[one]));
      return text.map((one) => typeof one === "string" ? one : texts.get(one) ?? variant.name)
        .join("");
    };
  };
  const rank = (place) => {
    const [file, line] = details.places[place];
    return [Object.keys(details.sources).indexOf(file), line];
  };
  const before = (one, other) => {
    const [[a, b], [c, d]] = [rank(one), rank(other)];
    return a - c || b - d;
  };

  // The lines of its files have their texts, and the places that made each and those around it.
  const filesOf = (variant) => {
    const fill = filler(variant);
    const made = new Map(runs([variant.made]).map((one) => details.made[one]));
    const places = (set) => {
      const all = details.sets[set];
      if (!all.some((one) => one < 0)) return all;
      const found = all.flatMap((one) => one < 0 ? details.sets[made.get(one)] : [one]);
      return [...new Set(found)].sort(before);
    };
    return variant.files.map(({ path, head, runs: several }) => ({
      path: fill(path),
      lines: [...head, ...runs(several)].map((line) => {
        const [text, own, around] = details.lines[line];
        return { text: fill(details.texts[text]), made: places(own), around: places(around) };
      }),
    }));
  };
  const entriesOf = (variant) => {
    const fill = filler(variant);
    return runs(variant.entries).map((number) => {
      const entry = details.entries[number];
      return { ...entry, text: fill(entry.text), notes: entry.notes.map(fill) };
    });
  };
  const besideOf = (variant) => runs([variant.beside]).map((number) => {
    const [text, set] = details.beside[number];
    return { text, made: details.sets[set] };
  });
  return { runs, filler, filesOf, entriesOf, besideOf };
};

const makePanes = (details, reader, program) => {
  const CONTEXT = 3;
  const SMALLEST_GAP = 2;
  const sourceNames = Object.keys(details.sources)
    .sort((a, b) => (a !== program) - (b !== program));

  // --- recipes beside the sources ---------------------------------------------------------

  const codeOf = (text) => {
    const bare = text.trimStart();
    const indent = text.slice(0, text.length - bare.length);
    return make("code", {}, ...indent ? [make("span", { class: "indent" }, indent)] : [], bare);
  };

  const reachOf = (file) => {
    const reach = new Map();
    for (const place of file.lines.flatMap((line) => line.made)) {
      reach.set(place, (reach.get(place) || 0) + 1);
    }
    return reach;
  };

  // What tells most about a line first: what few lines come from, the program, the last line.
  const sharp = (reach, numbers) => [...numbers].sort((a, b) => {
    const [one, other] = [details.places[a], details.places[b]];
    return (reach.get(a) || 0) - (reach.get(b) || 0) ||
      (one[0] !== program) - (other[0] !== program) || other[1] - one[1];
  });

  const recipeRows = (variant, add) => {
    const shortOf = (path) => path.split("/").pop();
    reader.filesOf(variant).forEach((file, number) => {
      const reach = reachOf(file);
      add.head(variant.written ? file.path : `${file.path}, which no output writes`);
      file.lines.forEach((line, place) => {
        const own = new Set(line.made);
        const beside = line.around.filter((one) => !own.has(one));
        const id = `recipe${number ? number + 1 : ""}:${place + 1}`;
        add.row(id, `${shortOf(file.path)}:${place + 1}`, String(place + 1), line.text,
          sharp(reach, own), sharp(reach, beside));
      });
    });
    const beside = reader.besideOf(variant);
    if (beside.length) add.head("on no line");
    beside.forEach(({ text, made }, place) => {
      add.row(`entry:${place + 1}`, text, "", text, made, []);
    });
  };

  const sourceRows = (reached, add) => {
    sourceNames.forEach((name, number) => {
      const source = details.sources[name];
      const own = new Map([...reached].filter((one) => details.places[one][0] === name)
        .map((one) => [details.places[one][1], one]));
      if (!own.size) return;
      add.head(name);
      const near = [];
      for (let line = 1; line <= source.count; line += 1) {
        for (let by = -CONTEXT; by <= CONTEXT; by += 1) {
          if (own.has(line + by)) {
            near.push(line);
            break;
          }
        }
      }
      let last = 0;
      const show = (line) => add.row(`source${number + 1}:${line}`, `${name}:${line}`,
        String(line), source.lines[line], undefined, undefined, own.get(line));
      for (const line of [...near, source.count + 1]) {
        const gap = line - last - 1;
        if (gap <= SMALLEST_GAP) for (let one = last + 1; one < line; one += 1) show(one);
        else add.gap(gap);
        if (line <= source.count) show(line);
        last = line;
      }
    });
  };

  // The two panes; `remember` gets the name of the line that is chosen.
  const sides = (variant, remember) => {
    const introduction = () => {
      const mark = (kind, text) => make("span", { class: `mark ${kind}` }, text);
      return ["Choose a line, by mouse or with \u2191 \u2193: the other side shows ",
        mark("made", "what made it"), " and ", mark("around", "what is around it"),
        ". \u2192 goes to the source, \u2190 back."];
    };
    const told = make("p", { class: "told", role: "status" }, ...introduction());
    const panes = ["Recipe", "Sources"].map((label) =>
      make("div", { class: "pane", role: "region", "aria-label": label }));
    const rows = [[], []];
    const byPlace = new Map();
    const byId = new Map();
    const adder = (side) => ({
      head: (text) => panes[side].append(make("h3", {}, text)),
      gap: (count) => panes[side].append(
        make("div", { class: "gap" }, `\u22ee ${counted(count, "line")}`)),
      row: (id, place, number, text, made, around, source) => {
        const leads = side ? source !== undefined : made.length + around.length > 0;
        const element = make("div", { class: leads ? "line leads" : "line quiet" },
          make("span", { class: "number" }, number), codeOf(text));
        panes[side].append(element);
        if (!leads) return;
        const row = { element, side, id, place, made: made || [], around: around || [] };
        element.dataset.place = place;
        element.tabIndex = rows[side].length ? -1 : 0;
        element.row = row;
        rows[side].push(row);
        byId.set(id, row);
        if (source !== undefined) byPlace.set(source, row);
      },
    });
    recipeRows(variant, adder(0));
    const reached = new Set(rows[0].flatMap((row) => [...row.made, ...row.around]));
    sourceRows(reached, adder(1));
    for (const row of rows[0]) {
      for (const kind of ["made", "around"]) {
        row[kind] = row[kind].map((place) => byPlace.get(place));
        for (const other of row[kind]) other[kind].push(row);
      }
      const [first, ...more] = [...row.made, ...row.around];
      row.element.append(make("span", { class: "from" },
        `${first.place}${more.length ? ` +${more.length}` : ""}`));
    }

    let chosen = null;
    let came = null;
    const all = [...rows[0], ...rows[1]];
    const linked = (row) => [...row.made, ...row.around];
    const show = (row) => {
      const pane = panes[row.side];
      if (getComputedStyle(pane).overflowY === "visible") return;
      const top = row.element.offsetTop - pane.scrollTop;
      if (top < 48 || top + row.element.offsetHeight > pane.clientHeight - 24) {
        pane.scrollTop = row.element.offsetTop - pane.clientHeight / 3;
      }
    };
    const clear = () => {
      for (const { element } of all) {
        element.classList.remove("chosen", "made", "around");
        element.removeAttribute("aria-current");
      }
    };
    const tell = (row) => {
      const said = [`${row.place}: `];
      for (const [kind, words] of [
        ["made", row.side ? "makes" : "made of"],
        ["around", row.side ? "brings about what is around" : "around it"],
      ]) {
        const several = row[kind];
        if (!several.length) continue;
        const most = matchMedia("(max-width: 50rem)").matches ? 4 : 8;
        const more = several.length > most ? ` and ${several.length - most} more` : "";
        said.push(make("span", { class: `mark ${kind}` }, words),
          ` ${several.slice(0, most).map((one) => one.place).join(", ")}${more} `);
      }
      told.replaceChildren(...said);
    };
    const choose = (row) => {
      if (chosen && chosen !== row) came = chosen;
      clear();
      chosen = row;
      for (const one of rows[row.side]) one.element.tabIndex = -1;
      row.element.tabIndex = 0;
      row.element.classList.add("chosen");
      row.element.setAttribute("aria-current", "true");
      for (const kind of ["around", "made"]) {
        for (const other of row[kind]) other.element.classList.add(kind);
      }
      show(row);
      const [first] = linked(row);
      if (first) show(first);
      tell(row);
      row.element.focus({ preventScroll: true });
      remember(row.id);
    };
    const cross = (row) => linked(row).includes(came) ? came : linked(row)[0];
    const step = (row, key) => {
      const own = rows[row.side];
      const place = own.indexOf(row);
      switch (key) {
        case "ArrowDown": return own[place + 1];
        case "ArrowUp": return own[place - 1];
        case "Home": return own[0];
        case "End": return own[own.length - 1];
        case "PageDown": return own[Math.min(place + 15, own.length - 1)];
        case "PageUp": return own[Math.max(place - 15, 0)];
        case "ArrowRight": return row.side ? undefined : cross(row);
        case "ArrowLeft": return row.side ? cross(row) : undefined;
        case "Enter": case " ": return row === chosen ? cross(row) : row;
        default: return undefined;
      }
    };
    const body = make("div", { class: "sides" }, told, make("div", { class: "panes" }, ...panes));
    body.addEventListener("click", (event) => {
      const row = event.target.closest(".leads")?.row;
      if (row) choose(row);
    });
    body.addEventListener("keydown", (event) => {
      const row = event.target.closest(".leads")?.row;
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape" && chosen) {
        event.stopPropagation();
        clear();
        chosen = came = null;
        told.replaceChildren(...introduction());
        return;
      }
      const next = step(row, event.key);
      if (!next) return;
      event.preventDefault();
      choose(next);
    });
    return { body, follow: (id) => {
      if (byId.has(id)) choose(byId.get(id));
      return byId.has(id);
    } };
  };

  // --- settings ---------------------------------------------------------------------------

  const headed = (...texts) => make("thead", {}, make("tr", {},
    ...texts.map((text) => make("th", { scope: "col" }, text))));

  // Tables of rows by their group; all but the first are folded. An item is a path or has one.
  const grouped = (items, rowOf, ...heads) => GROUPS.flatMap((title, group) => {
    const rows = items.filter((one) => groupOf(one.path ?? one) === group).map(rowOf);
    if (!rows.length) return [];
    const table = make("table", {}, headed(...heads), make("tbody", {}, ...rows));
    if (!group) return [make("h3", {}, title), table];
    return [make("details", {}, make("summary", {}, `${title} (${rows.length})`), table)];
  });

  const byPath = (variant) =>
    new Map(reader.entriesOf(variant).map((entry) => [entry.path, entry]));

  const settings = (variant) => {
    const entries = byPath(variant);
    return grouped([...entries.keys()], (path) => {
      const entry = entries.get(path);
      const notes = entry.notes.map((note) => make("div", { class: "note" }, note));
      const row = make("tr", {}, make("th", { scope: "row", class: `depth${entry.depth}` }, path),
        make("td", {}, make("div", { class: "value" }, entry.text), ...notes),
        make("td", { class: "place" }, entry.place));
      row.dataset.path = path;
      return row;
    }, "setting", "value", "where");
  };

  // The row of a setting, or the first one of a block.
  const followSetting = (within, path) => {
    const rows = [...within.querySelectorAll("tr[data-path]")];
    const row = rows.find((one) => one.dataset.path === path) ||
      rows.find((one) => one.dataset.path.startsWith(`${path}.`));
    if (!row) return false;
    const fold = row.closest("details");
    if (fold) fold.open = true;
    row.classList.add("found");
    row.scrollIntoView({ block: "center" });
    return true;
  };

  const findings = (variant) => variant.lints.length ? [
    make("h3", {}, "Findings"),
    ...variant.lints.map((number) => {
      const one = details.lints[number];
      return make("p", {}, make("span", { class: "warn" }, `${one.name}: `), `${one.what}: `,
        one.case, make("span", { class: "place" }, ` ${one.place}`),
        make("span", { class: "note" }, ` ${one.help}`));
    }),
  ] : [];

  // --- two variants -----------------------------------------------------------------------

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
    const list = make("div", { class: "lines" });
    const textsOf = (file) => file.lines.map((line) => line.text);
    const all = edits(textsOf(a), textsOf(b));
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
      list.append(make("div", { class: `line${kind}` },
        make("span", { class: "number" }, sign), codeOf(line)));
    });
    flush();
    return [make("h3", {}, `${a.path} \u2192 ${b.path}`), list];
  };

  const differ = (one, other) => {
    const [a, b] = [byPath(one), byPath(other)];
    const own = [...new Set([...a.keys(), ...b.keys()])].filter((path) => {
      const [left, right] = [a.get(path), b.get(path)];
      return left?.text !== right?.text && !(left || right).within;
    });
    const side = (entry) => make("td", {}, make("div", { class: "value" }, entry?.text ?? NONE),
      make("div", { class: "place" }, entry?.place ?? ""));
    const tables = grouped(own, (path) => make("tr", {}, make("th", { scope: "row" }, path),
      side(a.get(path)), side(b.get(path))), "setting", one.name, other.name);
    const others = reader.filesOf(other);
    const files = reader.filesOf(one).map((file, place) => [file, others[place]])
      .filter(([, second]) => second);
    return { count: own.length, body: [...tables,
      ...files.flatMap(([file, second]) => linesDiffer(file, second))] };
  };

  // What changed in a variant since another state.
  const changed = (changes, label) => grouped(changes, ({ path, before, after, example }) => {
    const side = (lines) => make("td", {},
      make("div", { class: "value" }, lines.join("\n") || NONE));
    const note = example ? [make("div", { class: "note" }, `as in ${example}`)] : [];
    return make("tr", {}, make("th", { scope: "row" }, path, ...note), side(before), side(after));
  }, "setting", label, "now");

  return { changed, sides, settings, findings, differ, followSetting };
};

addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("#detail details")) one.open = true;
});
