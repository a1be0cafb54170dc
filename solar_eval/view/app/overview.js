/* The first page of an offline run: what it is, its numbers under each protocol, where and how it fails. */
"use strict";

SOLAR.METRICS = [["type_match", "TM"], ["step_sr", "step SR"], ["grounding", "grounding"], ["episode_sr", "episode SR"], ["goal_progress", "progress"]];

SOLAR.parts.overview = {
  name: "Overview",
  show(main) {
    const { el, run } = SOLAR;
    const protocol = SOLAR.protocol();
    const view = protocol.views.subset;
    main.replaceChildren(el("div", { class: "page" },
      SOLAR.runCard(), SOLAR.numbersCard(view, protocol), SOLAR.protocolsCard(),
      el("div", { class: "cards" },
        SOLAR.groupCard("By the label's action", "k", view.by_action), SOLAR.lengthCard(view.by_length),
        SOLAR.clusterCard(protocol), SOLAR.distanceCard(protocol), SOLAR.toleranceCard(protocol),
        SOLAR.reasonCard(protocol), SOLAR.tagCard(view.by_tag), SOLAR.appCard()),
      run.notes.length ? el("section", { class: "card" }, el("h2", {}, "Notes"),
        el("ul", {}, run.notes.map((note) => el("li", {}, SOLAR.shown(note))))) : null));
  },
};

SOLAR.runCard = () => {
  const { el, run } = SOLAR;
  return el("section", { class: "card" }, el("h2", {}, "The run"),
    el("dl", { class: "facts" }, run.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, SOLAR.shown(value))))),
    run.labels && el("p", { class: "mute" }, run.labels),
    SOLAR.parseLine(run.parse || {}));
};

SOLAR.parseLine = (parse) => {
  const pairs = (counts) => Object.entries(counts || {}).map(([name, count]) => `${name} ${count}`).join(", ") || "none";
  if (parse.read === undefined) return null;
  return SOLAR.el("p", { class: "mute" },
    `Replies: ${parse.read} read (${parse.strict_ok} by the family's strict grammar); unreadable: ${pairs(parse.faults)}; liberties taken: ${pairs(parse.flags)}.`);
};

SOLAR.numbersCard = (view, protocol) => {
  const { el } = SOLAR;
  const tile = ([key, name]) => {
    const estimate = view[key] || { value: null, low: null };
    return el("div", { class: "tile" }, el("span", { class: "tile-name" }, name),
      el("span", { class: "tile-value" }, SOLAR.percent(estimate.value)),
      el("span", { class: "mute" }, estimate.low === null || estimate.value === null ? `n ${estimate.n || 0}`
        : `95 % ${SOLAR.percent(estimate.low)} to ${SOLAR.percent(estimate.high)}, n ${SOLAR.count(estimate.n)}`));
  };
  const { counts } = view;
  const owed = counts.owed ? `, ${counts.owed} still owed` : "";
  return el("section", { class: "card" }, el("h2", {}, "Under ", el("code", {}, SOLAR.shown(protocol.name))),
    protocol.title && el("p", { class: "mute" }, protocol.title, protocol.defined_here ? "" : " (not defined for this benchmark by its source: our extension)"),
    el("div", { class: "tiles" }, SOLAR.METRICS.map(tile)),
    el("p", {}, `${SOLAR.count(counts.scored)} steps of ${SOLAR.count(counts.episodes)} episodes in the denominator; `,
      `${counts.unparseable} unreadable replies, ${counts.missing} missing${owed}. `,
      SOLAR.link({ part: "samples", ...SOLAR.noFilter(), v: "W", i: "" }, "See what is wrong")));
};

SOLAR.protocolsCard = () => {
  const { el, run } = SOLAR;
  const rows = run.protocols.map((protocol) => {
    const view = protocol.views.subset;
    const row = [SOLAR.link({ p: protocol.name }, SOLAR.plain(protocol.name) + (protocol.defined_here ? "" : " *")),
      SOLAR.count(view.counts.scored), ...SOLAR.METRICS.map(([key]) => SOLAR.estimate(view[key]))];
    row.current = protocol.name === SOLAR.state.p;
    return row;
  });
  const headings = [["protocol"], ["steps", true], ...SOLAR.METRICS.map(([, name]) => [name, true])];
  return el("section", { class: "card" }, el("h2", {}, "The same replies under every protocol"),
    SOLAR.table("Numbers under each protocol", headings, rows),
    el("p", { class: "mute" }, "Per cent with 95 % intervals clustered by episode. * not defined for this benchmark by its source. ", run.view_notes.subset, "."));
};

SOLAR.groupTable = (caption, key, groups) => SOLAR.table(caption, [["group"], ["steps", true], ["TM", true], ["step SR", true]],
  Object.entries(groups).map(([name, cell]) => [SOLAR.link({ part: "samples", ...SOLAR.noFilter(), [key]: name, i: "" }, SOLAR.plain(name)),
    SOLAR.count(cell.type_match.n), SOLAR.estimate(cell.type_match), SOLAR.estimate(cell.step_sr)]));

SOLAR.groupCard = (title, key, groups) => SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, title), SOLAR.groupTable(title, key, groups));

SOLAR.lengthCard = (groups) => SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, "By length of the episode"),
  SOLAR.whiskers("Step SR by length of the episode", Object.entries(groups).map(([text, cell]) => ({ text, estimate: cell.step_sr })), ["steps of the episode", "step SR, per cent"]),
  SOLAR.groupTable("By length of the episode", "l", groups));

SOLAR.clusterCard = (protocol) => {
  const { el } = SOLAR;
  const total = protocol.clusters.reduce((sum, [, size]) => sum + size, 0);
  const largest = protocol.clusters.length ? protocol.clusters[0][1] : 1;
  const rows = protocol.clusters.map(([name, size], number) => {
    const meter = el("span", { class: "meter", "aria-hidden": "true" });
    meter.style.setProperty("width", `${100 * size / largest}%`);
    return [SOLAR.link({ part: "samples", ...SOLAR.noFilter(), c: String(number), i: "" }, SOLAR.plain(name)),
      SOLAR.count(size), SOLAR.percent(size / total), el("span", { class: "meter-box" }, meter)];
  });
  return el("section", { class: "card" }, el("h3", {}, "How it fails"),
    rows.length ? SOLAR.table("Failure clusters", [["cluster"], ["steps", true], ["% of failures", true], [""]], rows)
      : el("p", { class: "mute" }, "No step is wrong."));
};

SOLAR.distanceCard = (protocol) => {
  const { el, index } = SOLAR;
  const edges = [0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.14, 0.2, 0.3, 0.5, Infinity];
  const bins = edges.slice(0, -1).map((low, i) => ({ text: edges[i + 1] === Infinity ? `≥ ${low}` : `${low}`, counts: { R: 0, W: 0, N: 0, O: 0 } }));
  index.gap.forEach((gap, row) => {
    if (gap === null) return;
    const place = edges.findIndex((edge, i) => gap >= edge && gap < edges[i + 1]);
    bins[place].counts[index.verdict[protocol.name][row]] += 1;
  });
  const drawn = bins.map((bin) => ({ text: bin.text, parts: [["right", bin.counts.R, "right"], ["wrong", bin.counts.W, "wrong"], ["out", bin.counts.N, "not counted"]] }));
  const table = SOLAR.table("Distances", [["from"], ["right", true], ["wrong", true]], bins.map((bin) => [bin.text, String(bin.counts.R), String(bin.counts.W)]));
  return SOLAR.figure("How far predicted points lie from the label",
    el("div", {}, SOLAR.columns("Histogram of distances", drawn, ["distance from the label, fractions of each axis", "steps"]), SOLAR.legend([["right", "right"], ["wrong", "wrong (type or point)"]])),
    "Steps whose label and prediction both have a point.", table);
};

SOLAR.toleranceCard = (protocol) => {
  const { tolerance } = SOLAR.run;
  const points = tolerance.points.map((point) => [point.tolerance, point.value, point.low, point.high]);
  if (!points.length || points[0][1] === null) return null;
  const rule = protocol.click;
  const marks = rule && rule.norm === "axis" && rule.distance !== null ? [[rule.distance, `${rule.distance} (this protocol)`]] : [[0.04, "0.04"], [0.14, "0.14"]];
  const inside = tolerance.in_box && tolerance.in_box.value !== null ? ` In an element box that holds the label: ${SOLAR.estimate(tolerance.in_box)} of ${tolerance.in_box.n}.` : "";
  const table = SOLAR.table("Tolerance curve", [["tolerance"], ["hits", true]], tolerance.points.map((point) => [String(point.tolerance), SOLAR.estimate(point)]));
  return SOLAR.figure("What the click radius makes of it",
    SOLAR.lines("Share of points within a tolerance", [{ name: "hits", points }], { names: ["tolerance, fractions of each axis", "points within it, per cent"], percent: true, marks }),
    `Of ${tolerance.points[0].n} pointing labels, with 95 % intervals.${inside}`, table);
};

SOLAR.reasonCard = (protocol) => SOLAR.el("section", { class: "card" }, SOLAR.el("h3", {}, "Reasons"),
  SOLAR.table("Steps by reason", [["reason"], ["steps", true]], Object.entries(protocol.views.subset.counts.reasons || {})
    .sort((a, b) => b[1] - a[1]).map(([name, size]) => [SOLAR.link({ part: "samples", ...SOLAR.noFilter(), r: name, i: "" }, name), SOLAR.count(size)])));

SOLAR.tagCard = (groups) => Object.keys(groups || {}).length ? SOLAR.groupCard("By tag", "t", groups) : null;

/* Apps by how many steps are wrong; from the index, for the run's summary has none. */
SOLAR.appCard = () => {
  const { el, index } = SOLAR;
  const verdicts = index.verdict[SOLAR.state.p];
  const apps = new Map();
  index.app.forEach((app, row) => {
    if (!app || !"RW".includes(verdicts[row])) return;
    const cell = apps.get(app) || [0, 0];
    cell[verdicts[row] === "R" ? 0 : 1] += 1;
    apps.set(app, cell);
  });
  if (!apps.size) return null;
  const rows = [...apps].sort((a, b) => b[1][1] - a[1][1]).slice(0, 25).map(([app, [right, wrong]]) =>
    [SOLAR.link({ part: "samples", ...SOLAR.noFilter(), a: app, i: "" }, SOLAR.plain(app)), SOLAR.count(right + wrong), SOLAR.count(wrong), SOLAR.percent(right / (right + wrong))]);
  return el("section", { class: "card" }, el("h3", {}, apps.size > 25 ? `Apps (25 of ${apps.size} with most failures)` : "By app"),
    SOLAR.table("By app", [["app"], ["steps", true], ["wrong", true], ["step SR", true]], rows));
};
