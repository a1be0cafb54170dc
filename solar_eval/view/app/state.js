/* What is looked at, kept in the address after #: #<part>?i=<step id>&p=<protocol>&v=W&q=words ... */
"use strict";

/* Filters by their key in the address, with what they are called. */
SOLAR.FILTERS = { v: "verdict", k: "action", r: "reason", c: "cluster", a: "app", l: "length", t: "tag", q: "search" };
SOLAR.VERDICTS = { R: ["✓", "right"], W: ["✗", "wrong"], N: ["–", "not counted"], O: ["…", "owed"] };
SOLAR.LENGTHS = { "1-4": [1, 4], "5-7": [5, 7], "8-13": [8, 13], "14+": [14, Infinity] };

SOLAR.readState = () => {
  const [part, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const state = Object.fromEntries(new URLSearchParams(query));
  state.part = part in SOLAR.parts ? part : SOLAR.firstPart;
  const names = (SOLAR.run.protocols || []).map((protocol) => protocol.name);
  if (!names.includes(state.p)) state.p = names[0];
  return state;
};

SOLAR.address = (state) => {
  const query = new URLSearchParams();
  const names = (SOLAR.run.protocols || []).map((protocol) => protocol.name);
  for (const [key, value] of Object.entries(state)) {
    if (key === "part" || !value || (key === "p" && value === names[0])) continue;
    query.set(key, value);
  }
  const text = query.toString();
  return `#${state.part}${text ? `?${text}` : ""}`;
};

/* Changes the state. step: stepping through samples leaves no trail in the browser's history. */
SOLAR.go = (changes, step = false) => {
  const address = SOLAR.address({ ...SOLAR.state, ...changes });
  if (address === location.hash) return;
  if (step) {
    history.replaceState(null, "", address);
    SOLAR.render();
  } else location.hash = address;
};

/* A link to the state with changes. */
SOLAR.link = (changes, ...children) =>
  SOLAR.el("a", { href: SOLAR.address({ ...SOLAR.state, ...changes }) }, ...children);

SOLAR.noFilter = () => Object.fromEntries(Object.keys(SOLAR.FILTERS).map((key) => [key, ""]));

SOLAR.protocol = () => (SOLAR.run.protocols || []).find((protocol) => protocol.name === SOLAR.state.p);

SOLAR.kindOf = (brief) => brief.split(" ", 1)[0];

/* Steps of each episode, by episode number. */
SOLAR.stepsOf = (episode) => {
  if (!SOLAR.episodeSteps) {
    SOLAR.episodeSteps = SOLAR.index.episodes.map(() => []);
    SOLAR.index.episode.forEach((number, row) => SOLAR.episodeSteps[number].push(row));
  }
  return SOLAR.episodeSteps[episode];
};

/* Rows of the index that pass the filters of `state`, in order. */
SOLAR.filtered = (state) => {
  const { index } = SOLAR;
  const tests = [];
  if (state.v) tests.push((row) => index.verdict[state.p][row] === state.v);
  if (state.k) tests.push((row) => SOLAR.kindOf(index.label[row]) === state.k);
  if (state.a) tests.push((row) => index.app[row] === state.a);
  if (state.c) tests.push((row) => String(index.cluster[state.p][row]) === state.c);
  if (state.r) {
    const code = index.reason[state.p].names.indexOf(state.r);
    tests.push((row) => index.reason[state.p].codes[row] === code);
  }
  if (state.l && state.l in SOLAR.LENGTHS) {
    const [low, high] = SOLAR.LENGTHS[state.l];
    tests.push((row) => {
      const length = SOLAR.stepsOf(index.episode[row]).length;
      return length >= low && length <= high;
    });
  }
  if (state.t) tests.push((row) => index.episodes[index.episode[row]].tags.includes(state.t));
  if (state.q) tests.push(SOLAR.searching(state.q));
  const out = [];
  for (let row = 0; row < index.id.length; row += 1) if (tests.every((test) => test(row))) out.push(row);
  return out;
};

/* Every word must stand in the step's id, goal, instruction, app or one of its two actions. */
SOLAR.searching = (query) => {
  if (!SOLAR.haystack) {
    const { index } = SOLAR;
    SOLAR.haystack = index.id.map((id, row) =>
      [id, index.episodes[index.episode[row]].goal, index.low[row], index.app[row], index.label[row], index.said[row],
        index.fault[row]].join("\n").toLowerCase());
  }
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => words.every((word) => SOLAR.haystack[row].includes(word));
};

/* The filtered rows, kept until a filter changes. */
SOLAR.rows = () => {
  const { state } = SOLAR;
  const key = JSON.stringify([state.p, ...Object.keys(SOLAR.FILTERS).map((name) => state[name] || "")]);
  if (SOLAR.rowsKey !== key) {
    SOLAR.rowsKey = key;
    SOLAR.rowsFound = SOLAR.filtered(state);
  }
  return SOLAR.rowsFound;
};

SOLAR.rowOf = (id) => {
  if (!SOLAR.rowById) SOLAR.rowById = new Map(SOLAR.index.id.map((name, row) => [name, row]));
  return SOLAR.rowById.has(id) ? SOLAR.rowById.get(id) : -1;
};
