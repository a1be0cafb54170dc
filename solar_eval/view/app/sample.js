/* Every step: a list with filters at the left, and the step that is looked at. */
"use strict";

SOLAR.parts.samples = {
  name: "Samples",
  show(main) {
    if (!SOLAR.samplePane || !SOLAR.samplePane.root.isConnected) {
      SOLAR.samplePane = SOLAR.makePane(SOLAR.filterBar(), new SOLAR.WindowedList("Samples", 68, SOLAR.stepEntry, SOLAR.openRow));
      main.replaceChildren(SOLAR.samplePane.root);
    }
    const pane = SOLAR.samplePane;
    const rows = SOLAR.rows();
    const row = SOLAR.state.i ? SOLAR.rowOf(SOLAR.state.i) : -1;
    pane.bar.update(rows.length);
    pane.list.show(rows, row);
    document.body.classList.toggle("has-sample", Boolean(SOLAR.state.i));
    SOLAR.showStep(pane.detail, row);
  },
  rows: () => SOLAR.rows(),
  current: () => (SOLAR.state.i ? SOLAR.rowOf(SOLAR.state.i) : -1),
  failed: (row) => SOLAR.index.verdict[SOLAR.state.p][row] === "W",
};

SOLAR.makePane = (bar, list) => {
  const detail = SOLAR.el("section", { class: "detail", "aria-label": "Sample", tabindex: "-1" });
  const side = SOLAR.el("div", { class: "side" }, bar.box, list.box);
  return { root: SOLAR.el("div", { class: "pane" }, side, detail), bar, list, detail };
};

SOLAR.openRow = (row) => SOLAR.go({ i: SOLAR.index.id[row] }, !!SOLAR.state.i);

SOLAR.mark = (letter) => {
  const [sign, text] = SOLAR.VERDICTS[letter];
  return SOLAR.el("span", { class: `verdict v${letter}`, title: text }, SOLAR.el("span", { "aria-hidden": "true" }, sign), SOLAR.el("span", { class: "unseen" }, text));
};

SOLAR.thumb = (name) => (name ? SOLAR.el("img", { src: `thumbs/${name}`, alt: "", loading: "lazy", decoding: "async" })
  : SOLAR.el("span", { class: "no-thumb", "aria-hidden": "true" }));

SOLAR.stepEntry = (row) => {
  const { el, index } = SOLAR;
  return [SOLAR.thumb(index.thumb[row]), el("div", { class: "entry-text" },
    el("div", { class: "entry-head" }, SOLAR.mark(index.verdict[SOLAR.state.p][row]), el("span", { class: "entry-id" }, SOLAR.plain(index.id[row], 60))),
    el("div", { class: "entry-line" }, SOLAR.plain(index.low[row] || index.episodes[index.episode[row]].goal, 160)),
    el("div", { class: "entry-line mute" }, SOLAR.plain(`${index.label[row] || "?"} → ${index.said[row] || index.fault[row] || "nothing"}`, 160)))];
};

/* ---- filters */
SOLAR.filterBar = () => {
  const { el, index, run } = SOLAR;
  const search = el("input", { type: "search", id: "search", placeholder: "Search ( / )", "aria-label": "Search id, goal, instruction, app, action", autocomplete: "off" });
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => SOLAR.go({ q: search.value.trim() }, true), 120);
  });
  const pick = (key, text, options) => {
    const select = el("select", { "aria-label": text, onchange: (event) => SOLAR.go({ [key]: event.target.value }, true) },
      el("option", { value: "" }, text), options.map(([value, name]) => el("option", { value }, SOLAR.plain(name, 60))));
    return select.options.length > 2 ? select : null;
  };
  const kinds = [...new Set(index.label.map(SOLAR.kindOf))].filter(Boolean).sort();
  const apps = [...new Set(index.app)].filter(Boolean).sort();
  const tags = [...new Set(index.episodes.flatMap((episode) => episode.tags))].sort();
  const same = (names) => names.map((name) => [name, name]);
  const selects = {
    v: pick("v", "any verdict", Object.entries(SOLAR.VERDICTS).map(([letter, [sign, text]]) => [letter, `${sign} ${text}`])),
    k: pick("k", "any action", same(kinds)), c: el("select", { "aria-label": "cluster", onchange: (event) => SOLAR.go({ c: event.target.value }, true) }),
    l: pick("l", "any length", Object.keys(SOLAR.LENGTHS).map((name) => [name, `${name} steps`])), a: pick("a", "any app", same(apps)), t: pick("t", "any tag", same(tags)),
  };
  const counter = el("span", { class: "mute", id: "counter", role: "status" });
  const reason = el("span", {});
  const clear = el("button", { type: "button", onclick: () => SOLAR.go(SOLAR.noFilter(), true) }, "Clear");
  const box = el("div", { class: "filters", role: "search" }, search, el("div", { class: "selects" }, Object.values(selects)), el("div", { class: "counter" }, counter, reason, clear));
  const update = (found) => {
    const { state } = SOLAR;
    if (document.activeElement !== search) search.value = state.q || "";
    const { clusters } = run.protocols.find((protocol) => protocol.name === state.p);
    selects.c.replaceChildren(el("option", { value: "" }, "any failure"), ...clusters.map(([name, size], number) => el("option", { value: number }, `${SOLAR.plain(name, 50)} (${size})`)));
    for (const [key, select] of Object.entries(selects)) if (select) select.value = state[key] || "";
    counter.textContent = `${SOLAR.count(found)} of ${SOLAR.count(index.id.length)} steps`;
    reason.textContent = state.r ? `reason: ${state.r}` : "";
    clear.hidden = !Object.keys(SOLAR.FILTERS).some((key) => state[key]);
  };
  return { box, update };
};

/* ---- one step */
SOLAR.showStep = async (detail, row) => {
  const { el, index, state } = SOLAR;
  const ticket = {};
  SOLAR.showing = ticket;
  if (row < 0) {
    const lost = state.i ? `There is no step ${SOLAR.plain(state.i)} in this run.` : "Choose a step. Arrow keys step through, f goes to the next failure, / searches, ? lists the keys.";
    detail.replaceChildren(el("p", { class: "mute empty" }, lost), state.i ? SOLAR.backButton() : "");
    return;
  }
  try {
    const entry = await SOLAR.entry(row);
    if (SOLAR.showing !== ticket) return;
    const scroll = detail.scrollTop;
    detail.replaceChildren(SOLAR.stepPage(row, entry));
    detail.scrollTop = scroll;
    detail.setAttribute("aria-label", `Step ${SOLAR.plain(index.id[row])}`);
    document.title = `${SOLAR.plain(index.id[row], 60)}: ${SOLAR.plain(SOLAR.run.title, 60)}`;
  } catch (error) {
    if (SOLAR.showing === ticket) detail.replaceChildren(el("p", { class: "empty" }, `This step can't be shown: ${error.message}`));
  }
};

SOLAR.backButton = () => SOLAR.el("button", { type: "button", class: "back", onclick: () => SOLAR.go({ i: "" }) }, "← List");

SOLAR.stepPage = (row, entry) => {
  const { el, index, state } = SOLAR;
  const protocol = SOLAR.protocol();
  const verdict = index.verdict[state.p][row];
  const steps = SOLAR.stepsOf(index.episode[row]);
  const reasons = index.reason[state.p];
  const reason = reasons.names[reasons.codes[row]];
  const alt = `Screenshot of step ${SOLAR.plain(index.id[row], 60)}; label ${SOLAR.plain(index.label[row] || "none")}; predicted ${SOLAR.plain(index.said[row] || "nothing")}`;
  return el("article", { class: "step" },
    el("div", { class: "step-head" }, SOLAR.backButton(), el("h2", {}, SOLAR.mark(verdict), " ", SOLAR.shown(index.id[row])),
      el("span", { class: "mute" }, `step ${steps.indexOf(row) + 1} of ${steps.length}`), SOLAR.stepButtons()),
    SOLAR.filmstrip(steps.map((one) => ({ thumb: index.thumb[one], letter: index.verdict[state.p][one], text: index.label[one], current: one === row, open: () => SOLAR.openRow(one) }))),
    el("div", { class: "step-body" },
      SOLAR.screen(entry, protocol.click, alt),
      el("div", { class: "step-text" },
        SOLAR.field("Goal", SOLAR.longText(row, entry, "goal")), entry.low && SOLAR.field("Instruction", SOLAR.longText(row, entry, "low")),
        el("dl", { class: "actions" },
          el("div", { class: "a-wanted" }, el("dt", {}, "Label"), el("dd", {}, entry.label ? SOLAR.actionText(entry.label) : SOLAR.shown(entry.label_fault || "none"))),
          el("div", { class: "a-said" }, el("dt", {}, "Predicted"), el("dd", {}, entry.action ? SOLAR.actionText(entry.action) : SOLAR.noAction(row, entry)))),
        el("p", { class: `because v${verdict}` }, SOLAR.mark(verdict), ` ${SOLAR.VERDICTS[verdict][1]} under `, el("code", {}, SOLAR.shown(state.p)), reason === "right" ? "" : `: ${reason}. `, SOLAR.shown((entry.why || {})[state.p] || "")),
        SOLAR.field("Raw reply", SOLAR.rawReply(row, entry)),
        SOLAR.replyFacts(row, entry),
        SOLAR.field("Under each protocol", SOLAR.verdictTable(row, entry)))));
};

SOLAR.stepButtons = () => {
  const button = (text, label, by) => SOLAR.el("button", { type: "button", "aria-label": label, title: label, onclick: () => SOLAR.move(by) }, text);
  return SOLAR.el("div", { class: "steppers" }, button("←", "Previous sample", -1), button("→", "Next sample", 1),
    SOLAR.el("button", { type: "button", title: "Next failure (f)", onclick: () => SOLAR.nextFailure(1) }, "Next failure"));
};

SOLAR.field = (name, ...content) => SOLAR.el("section", { class: "field" }, SOLAR.el("h3", {}, name), ...content);

SOLAR.noAction = (row, entry) => {
  const fault = SOLAR.index.fault[row];
  return SOLAR.el("span", {}, fault === "missing" ? "no reply" : fault === "owed" ? "still owed" : "could not be read", fault && !["missing", "owed"].includes(fault) ? `: ${fault}` : "", entry.detail ? SOLAR.shown(` (${entry.detail})`) : "");
};

/* An action as words: kind first, then what it carries. */
SOLAR.actionText = (action) => {
  const { el } = SOLAR;
  const parts = Object.entries(action).filter(([name]) => name !== "kind").map(([name, value]) => {
    const text = Array.isArray(value) ? `(${value.map((number) => Number(number).toFixed(3)).join(", ")})` : typeof value === "string" ? value : JSON.stringify(value);
    return [" ", el("span", { class: "mute" }, name), " ", el("span", { class: "value" }, SOLAR.shown(text.slice(0, 2000)), text.length > 2000 ? `... (${SOLAR.count(text.length)} characters)` : "")];
  });
  return el("span", {}, el("strong", {}, action.kind), parts.flat());
};

/* A text of the entry, with a button for the rest where it was cut. */
SOLAR.longText = (row, entry, key, tag = "p") => {
  const box = SOLAR.el(tag, { class: "given", tabindex: tag === "pre" ? "0" : null }, SOLAR.shown(entry[key]));
  const size = entry.long && entry.long[key];
  if (!size) return box;
  const more = SOLAR.el("button", {
    type: "button",
    onclick: async () => {
      const whole = await SOLAR.load(`long-${row}`);
      box.replaceChildren(...SOLAR.blocks(whole[key]));
      more.remove();
      SOLAR.store.delete(`long-${row}`);
    },
  }, `Show all ${SOLAR.count(size)} characters`);
  return SOLAR.el("div", {}, box, more);
};

/* A very long text as blocks, of which the browser lays out only those in sight. */
SOLAR.blocks = (text) => {
  const out = [];
  for (let start = 0, end; start < text.length; start = end) {
    const newline = text.lastIndexOf("\n", start + 4000);
    end = newline > start + 2000 ? newline + 1 : start + 4000;
    if (/[\ud800-\udbff]/.test(text[end - 1])) end += 1;
    out.push(SOLAR.el("div", { class: "block" }, SOLAR.plainText(text.slice(start, end))));
  }
  return out;
};

SOLAR.rawReply = (row, entry) => {
  const { el } = SOLAR;
  if (entry.error) return el("p", { class: "given" }, "No answer: ", SOLAR.shown(entry.error));
  if (entry.missing || entry.reply === undefined) return el("p", { class: "mute" }, entry.missing ? "There is no reply to this step." : "(empty)");
  return el("div", {}, entry.prefill ? el("pre", { class: "given prefill", title: "begun by the prompt" }, SOLAR.shown(entry.prefill)) : "", SOLAR.longText(row, entry, "reply", "pre"));
};

SOLAR.replyFacts = (row, entry) => {
  const { index } = SOLAR;
  const facts = [entry.outcome && `outcome ${entry.outcome}`, entry.strict && "strict grammar", entry.flags && `liberties: ${entry.flags}`,
    entry.finish && `finish reason ${entry.finish}`, entry.tokens && `tokens ${entry.tokens[0] ?? "?"} in, ${entry.tokens[1]} out`,
    entry.latency !== undefined && `${Number(entry.latency).toFixed(2)} s`, entry.image && `model saw ${entry.image.join(" × ")}`, `screen ${entry.screen.join(" × ")}`,
    index.gap[row] !== null && `distance ${index.gap[row].toFixed(4)} of each axis`, entry.source && entry.source !== "none" && `boxes: ${entry.source}`];
  return SOLAR.el("p", { class: "mute" }, SOLAR.shown(facts.filter(Boolean).join("; ")));
};

SOLAR.verdictTable = (row, entry) => {
  const { index, run, state } = SOLAR;
  const rows = run.protocols.map(({ name }) => {
    const reasons = index.reason[name];
    const cells = [SOLAR.link({ p: name }, SOLAR.plain(name)), SOLAR.mark(index.verdict[name][row]), index.type[name][row] === "1" ? "yes" : "no",
      reasons.names[reasons.codes[row]], SOLAR.el("span", { class: "why" }, SOLAR.shown((entry.why || {})[name] || ""))];
    cells.current = name === state.p;
    return cells;
  });
  return SOLAR.table("Verdicts under each protocol", [["protocol"], ["step"], ["type"], ["reason"], ["why"]], rows);
};

/* The steps of an episode as small pictures. steps: [{thumb, letter, text, what, current, open}]; what: "" for a step without a verdict. */
SOLAR.filmstrip = (steps) => {
  const { el } = SOLAR;
  const what = (step) => (step.what === undefined ? SOLAR.VERDICTS[step.letter][1] : step.what);
  const strip = el("ol", { class: "film", "aria-label": "Steps of the episode" }, steps.map((step, number) =>
    el("li", {}, el("button", { type: "button", class: `frame v${step.letter}`, "aria-current": step.current ? "step" : null, "aria-label": `Step ${number + 1}: ${SOLAR.plain(step.text || "", 80)}, ${what(step)}`, onclick: step.open },
      SOLAR.thumb(step.thumb), el("span", { class: "frame-text", "aria-hidden": "true" }, `${what(step) ? SOLAR.VERDICTS[step.letter][0] : ""} ${SOLAR.plain(step.text || "", 24)}`)))));
  requestAnimationFrame(() => {
    const current = strip.querySelector("[aria-current]");
    if (current) strip.scrollLeft = current.parentElement.offsetLeft - strip.clientWidth / 2 + current.clientWidth / 2;
  });
  return strip;
};
