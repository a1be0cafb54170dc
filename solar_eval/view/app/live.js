/* Live runs: success over episodes, and every attempt as a filmstrip with what each step saw, said and did. */
"use strict";

SOLAR.OUTCOMES = { R: "success", W: "failed", N: "not counted", O: "owed" };

SOLAR.RANKS = ["short", "easy", "medium", "long", "hard", "very_long"];

SOLAR.parts.suite = {
  name: "Overview",
  show(main) {
    const { el, run, index } = SOLAR;
    const { tables } = run;
    const to = (letter) => SOLAR.link({ part: "episodes", ...SOLAR.noFilter(), v: letter, i: "", s: "" }, `${index.episodes.filter((one) => one.letter === letter).length} ${SOLAR.OUTCOMES[letter]}`);
    const groups = [["by_length", "length class"], ["by_difficulty", "difficulty"], ["by_template", "template"], ["by_app", "app"], ["by_tag", "tag"], ["by_seed", "seed"]].filter(([key]) => tables[key] && Object.keys(tables[key]).length);
    const tile = (name, value, below) => el("div", { class: "tile" }, el("span", { class: "tile-name" }, name), el("span", { class: "tile-value" }, value), el("span", { class: "mute" }, below));
    const rate = ([name, estimate]) => tile(name, SOLAR.percent(estimate.value), estimate.low === null ? `n ${estimate.n}` : `95 % ${SOLAR.percent(estimate.low)} to ${SOLAR.percent(estimate.high)}, n ${estimate.n}`);
    main.replaceChildren(el("div", { class: "page" },
      SOLAR.runCard(),
      el("section", { class: "card" }, el("h2", {}, "Episodes"),
        el("div", { class: "tiles" }, tables.rates.map(rate), tile("still owed", String(tables.owed), `${index.episodes.length} attempts in all`)),
        el("p", {}, to("R"), ", ", to("W"), ", ", to("O"), ", ", to("N"), ".")),
      el("div", { class: "cards" }, groups.map(([key, title]) => SOLAR.liveGroup(title, key, tables[key])), SOLAR.failuresCard(tables.failures || {}), SOLAR.endingsCard()),
      run.notes.length ? el("section", { class: "card" }, el("h2", {}, "Notes"), el("ul", {}, run.notes.map((note) => el("li", {}, SOLAR.shown(note))))) : null));
  },
};

SOLAR.liveGroup = (name, key, groups) => {
  const title = `By ${name}`;
  groups = Object.fromEntries(Object.entries(groups).sort(([one], [other]) => SOLAR.RANKS.indexOf(one) - SOLAR.RANKS.indexOf(other)));
  const rows = Object.entries(groups).map(([one, estimate]) => [
    key === "by_template" ? SOLAR.link({ part: "episodes", ...SOLAR.noFilter(), t: one, i: "", s: "" }, SOLAR.plain(one)) : SOLAR.plain(one),
    SOLAR.count(estimate.n), SOLAR.estimate(estimate)]);
  const few = ["by_length", "by_difficulty"].includes(key);
  return SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, title),
    few ? SOLAR.whiskers(title, Object.entries(groups).map(([text, estimate]) => ({ text, estimate })), [name, "episode SR, per cent"]) : null,
    SOLAR.table(title, [[name], ["episodes", true], ["strict episode SR", true]], rows));
};

SOLAR.failuresCard = (failures) => (Object.keys(failures).length ? SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, "Why episodes fail"),
  SOLAR.table("Why episodes fail", [["reason"], ["episodes", true]], Object.entries(failures).map(([name, number]) => [name, String(number)]))) : null);

SOLAR.endingsCard = () => {
  const counts = new Map();
  for (const { fields, letter } of SOLAR.index.episodes) {
    const name = [fields.fault ? `fault of ${fields.fault}` : `ended by ${fields.ending || "?"}`, fields.outcome === "model_fault" ? "no reply could be read" : "", fields.repeated ? "same action over and over" : ""].filter(Boolean).join(", ");
    const cell = counts.get(name) || { R: 0, W: 0, N: 0, O: 0 };
    cell[letter] += 1;
    counts.set(name, cell);
  }
  return SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, "How attempts end"),
    SOLAR.table("How attempts end", [["ending"], ["success", true], ["failed", true], ["owed", true], ["not counted", true]],
      [...counts].map(([name, cell]) => [name, String(cell.R), String(cell.W), String(cell.O), String(cell.N)])));
};

SOLAR.parts.episodes = {
  name: "Episodes",
  show(main) {
    if (!SOLAR.livePane || !SOLAR.livePane.root.isConnected) {
      SOLAR.livePane = SOLAR.makePane(SOLAR.liveBar(), new SOLAR.WindowedList("Episodes", 68, SOLAR.episodeEntry, SOLAR.openEpisode));
      main.replaceChildren(SOLAR.livePane.root);
    }
    const pane = SOLAR.livePane;
    const rows = this.rows();
    pane.bar.update(rows.length);
    pane.list.show(rows, this.current());
    document.body.classList.toggle("has-sample", Boolean(SOLAR.state.i));
    SOLAR.showEpisode(pane.detail, this.current());
  },
  rows() {
    const { state, index } = SOLAR;
    const key = JSON.stringify([state.v, state.t, state.q]);
    if (SOLAR.liveKey !== key) {
      SOLAR.liveKey = key;
      const words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
      SOLAR.liveRows = index.episodes.map((_, number) => number).filter((number) => {
        const one = index.episodes[number];
        const text = [one.id, one.goal, one.fields.answer, one.fields.error, ...index.said.slice(one.first, one.first + one.count)].join("\n").toLowerCase();
        return (!state.v || one.letter === state.v) && (!state.t || one.template === state.t) && words.every((word) => text.includes(word));
      });
    }
    return SOLAR.liveRows;
  },
  current: () => (SOLAR.state.i ? SOLAR.index.episodes.findIndex((one) => one.id === SOLAR.state.i) : -1),
  failed: (number) => SOLAR.index.episodes[number].letter === "W",
  open: (number) => SOLAR.openEpisode(number),
  /* Left and right step through the episode's screens; up and down through episodes. */
  side(by) {
    const { state, index } = SOLAR;
    const number = this.current();
    if (number < 0) return SOLAR.move(by);
    const step = Number(state.s || 0) + by;
    if (step < 0 || step >= index.episodes[number].count) return SOLAR.say(by > 0 ? "This is the end of the episode." : "This is its beginning.");
    return SOLAR.go({ s: String(step) }, true);
  },
};

SOLAR.openEpisode = (number) => SOLAR.go({ i: SOLAR.index.episodes[number].id, s: "" }, !!SOLAR.state.i);

SOLAR.outcomeMark = (letter) => {
  const mark = SOLAR.mark(letter);
  mark.title = SOLAR.OUTCOMES[letter];
  mark.lastChild.textContent = SOLAR.OUTCOMES[letter];
  return mark;
};

SOLAR.episodeEntry = (number) => {
  const { el, index } = SOLAR;
  const one = index.episodes[number];
  return [SOLAR.thumb(index.thumb[one.first + one.count - 1] || index.thumb[one.first]), el("div", { class: "entry-text" },
    el("div", { class: "entry-head" }, SOLAR.outcomeMark(one.letter), el("span", { class: "entry-id" }, SOLAR.plain(one.id, 60))),
    el("div", { class: "entry-line" }, SOLAR.plain(one.goal, 160)),
    el("div", { class: "entry-line mute" }, `${one.count - 1} steps, ${SOLAR.plain(one.fields.ending || one.fields.fault || "", 40)}`))];
};

SOLAR.liveBar = () => {
  const { el, index } = SOLAR;
  const search = el("input", { type: "search", id: "search", placeholder: "Search ( / )", "aria-label": "Search id, goal, answer, actions", autocomplete: "off", oninput: (event) => SOLAR.go({ q: event.target.value.trim() }, true) });
  const verdict = el("select", { "aria-label": "outcome", onchange: (event) => SOLAR.go({ v: event.target.value }, true) },
    el("option", { value: "" }, "any outcome"), Object.entries(SOLAR.OUTCOMES).map(([letter, text]) => el("option", { value: letter }, text)));
  const template = el("select", { "aria-label": "template", onchange: (event) => SOLAR.go({ t: event.target.value }, true) },
    el("option", { value: "" }, "any template"), [...new Set(index.episodes.map((one) => one.template))].sort().map((name) => el("option", { value: name }, SOLAR.plain(name, 60))));
  const counter = el("span", { class: "mute", id: "counter", role: "status" });
  const clear = el("button", { type: "button", onclick: () => SOLAR.go(SOLAR.noFilter(), true) }, "Clear");
  const box = el("div", { class: "filters", role: "search" }, search, el("div", { class: "selects" }, verdict, template), el("div", { class: "counter" }, counter, clear));
  const update = (found) => {
    const { state } = SOLAR;
    if (document.activeElement !== search) search.value = state.q || "";
    verdict.value = state.v || "";
    template.value = state.t || "";
    counter.textContent = `${SOLAR.count(found)} of ${SOLAR.count(index.episodes.length)} attempts`;
    clear.hidden = !["q", "v", "t"].some((key) => state[key]);
  };
  return { box, update };
};

SOLAR.showEpisode = async (detail, number) => {
  const { el, index, state } = SOLAR;
  const ticket = {};
  SOLAR.showing = ticket;
  if (number < 0) {
    const lost = state.i ? `There is no episode ${SOLAR.plain(state.i)} in this run.` : "Choose an episode. Up and down go through episodes, left and right through steps, f goes to the next failure.";
    detail.replaceChildren(el("p", { class: "mute empty" }, lost), state.i ? SOLAR.backButton() : "");
    return;
  }
  const one = index.episodes[number];
  const step = Math.min(Math.max(0, Number(state.s) || 0), one.count - 1);
  try {
    const entry = await SOLAR.entry(one.first + step);
    if (SOLAR.showing !== ticket) return;
    const strip = detail.querySelector(".film");
    const left = strip ? strip.scrollLeft : 0;
    detail.replaceChildren(SOLAR.episodePage(one, step, entry));
    detail.querySelector(".film").scrollLeft = left;
    document.title = `${SOLAR.plain(one.id, 60)}: ${SOLAR.plain(SOLAR.run.title, 60)}`;
  } catch (error) {
    if (SOLAR.showing === ticket) detail.replaceChildren(el("p", { class: "empty" }, `This episode can't be shown: ${error.message}`));
  }
};

SOLAR.episodePage = (one, step, entry) => {
  const { el, index } = SOLAR;
  const frames = Array.from({ length: one.count }, (_, place) => {
    const row = one.first + place;
    const end = place === one.count - 1;
    return { thumb: index.thumb[row], letter: end ? one.letter : index.trouble[row] ? "W" : "N", what: end ? SOLAR.OUTCOMES[one.letter] : index.trouble[row] ? "with a mistake or a note" : "", text: end ? "end" : index.said[row] || index.fault[row], current: place === step, open: () => SOLAR.go({ s: String(place) }, true) };
  });
  const alt = `Screen before step ${step + 1} of ${SOLAR.plain(one.id, 60)}`;
  return el("article", { class: "step" },
    el("div", { class: "step-head" }, SOLAR.backButton(), el("h2", {}, SOLAR.outcomeMark(one.letter), " ", SOLAR.shown(one.id)),
      el("span", { class: "mute" }, entry.end ? "end" : `step ${step + 1} of ${one.count - 1}`), SOLAR.stepButtons()),
    el("p", { class: "given" }, SOLAR.shown(one.goal)),
    SOLAR.filmstrip(frames),
    el("div", { class: "step-body" }, SOLAR.screen(entry, null, alt),
      el("div", { class: "step-text" },
        el("p", { class: `because v${one.letter}` }, SOLAR.outcomeMark(one.letter), ` ${SOLAR.OUTCOMES[one.letter]}: `, SOLAR.shown(SOLAR.outcomeText(one.fields))),
        entry.end ? el("p", { class: "mute" }, "What was on the screen when the episode was judged.") : SOLAR.liveStep(one.first + step, entry),
        SOLAR.field("The attempt", el("dl", { class: "facts" }, SOLAR.attemptFacts(one).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, SOLAR.shown(value)))))))));
};

SOLAR.outcomeText = (fields) => {
  const parts = [fields.score === undefined ? "no score" : `score ${fields.score}`];
  if (fields.state_score !== undefined && fields.state_score !== fields.score) parts.push(`the phone's state alone: ${fields.state_score}`);
  if (fields.outcome === "model_fault") parts.push("not one reply could be read");
  if (fields.ending) parts.push(`ended by ${fields.ending}`);
  if (fields.answer) parts.push(`answer "${fields.answer}"`);
  if (fields.error) parts.push(`${fields.fault || "fault"}: ${fields.error}`);
  return `${parts.join("; ")}.`;
};

SOLAR.attemptFacts = (one) => {
  const plain = Object.entries(one.fields).filter(([name]) => !["answer", "error"].includes(name)).map(([name, value]) => [name.replaceAll("_", " "), Array.isArray(value) ? value.join(", ") : String(value)]);
  return [...plain, ...(one.seconds ? [["seconds", one.seconds.toFixed(1)]] : [])];
};

SOLAR.liveStep = (row, entry) => {
  const { el } = SOLAR;
  const given = (name, text) => (text ? SOLAR.field(name, el("p", { class: "given" }, SOLAR.shown(text))) : null);
  const facts = [entry.front && `in front: ${entry.front}`, entry.finish_reason && `finish reason ${entry.finish_reason}`, entry.completion_tokens !== undefined && `tokens ${entry.prompt_tokens ?? "?"} in, ${entry.completion_tokens} out`,
    entry.latency_s !== undefined && `${Number(entry.latency_s).toFixed(2)} s`, (entry.flags || []).length > 0 && `liberties: ${entry.flags.join(", ")}`, entry.no_tree && `no hierarchy: ${entry.no_tree}`, entry.settled === false && "the screen did not settle"];
  return el("div", { class: "step-text" },
    el("dl", { class: "actions" },
      el("div", { class: "a-said" }, el("dt", {}, "Action"), el("dd", {}, entry.action ? SOLAR.actionText(entry.action) : SOLAR.shown(`could not be read: ${entry.fault || ""} ${entry.detail || ""}`))),
      entry.target && el("div", {}, el("dt", {}, "Aimed at"), el("dd", {}, SOLAR.shown(entry.target))),
      el("div", {}, el("dt", {}, "Effect"), el("dd", {}, SOLAR.shown(entry.done || "nothing was done"), entry.note ? el("strong", {}, SOLAR.shown(` ${entry.note}`)) : ""))),
    given("Mistake", typeof entry.mistake === "string" ? entry.mistake : ""), given("Thought", entry.thought), given("Reasoning", entry.reasoning),
    entry.reply !== undefined ? SOLAR.field("Raw reply", SOLAR.longText(row, entry, "reply", "pre")) : null,
    el("p", { class: "mute" }, SOLAR.shown(facts.filter(Boolean).join("; "))));
};
