/* Curves of a training run, or of several drawn over each other; the search chooses which metrics. */
"use strict";

SOLAR.parts.training = {
  name: "Training",
  show(main) {
    const { el, run, state } = SOLAR;
    const { training } = run;
    if (!SOLAR.trainingCards || !SOLAR.trainingCards.isConnected) {
      const search = el("input", { type: "search", id: "search", placeholder: "Metrics by name ( / )", "aria-label": "Metrics by name", value: state.q || "", oninput: (event) => SOLAR.go({ q: event.target.value }, true) });
      SOLAR.trainingCards = el("div", { class: "cards" });
      SOLAR.trainingCount = el("span", { class: "mute", role: "status" });
      main.replaceChildren(el("div", { class: "page" },
        el("section", { class: "card" }, el("h2", {}, "Training"),
          run.facts.length ? el("dl", { class: "facts" }, run.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, SOLAR.shown(value))))) : null,
          training.runs.length > 1 ? SOLAR.legend(training.runs.map((name, i) => [`s${i % 6}`, SOLAR.plain(name)])) : null,
          el("div", { class: "counter" }, search, SOLAR.trainingCount)),
        SOLAR.trainingCards, SOLAR.rolloutCard(run.rollouts || []),
        run.notes.length ? el("section", { class: "card" }, el("h2", {}, "Notes"), el("ul", {}, run.notes.slice(0, 50).map((note) => el("li", {}, SOLAR.shown(note))))) : null));
    }
    const words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    const names = Object.keys(training.metrics).filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    SOLAR.trainingCount.textContent = `${names.length} of ${Object.keys(training.metrics).length} metrics, ${training.lines.map(SOLAR.count).join(", ")} lines`;
    SOLAR.trainingCards.replaceChildren(...names.slice(0, 80).map(SOLAR.metricCard));
  },
};

SOLAR.metricCard = (name) => {
  const { training } = SOLAR.run;
  const series = training.metrics[name].map((points, i) => ({ name: training.runs[i], points }));
  const ends = series.filter((one) => one.points.length).map((one) => [SOLAR.plain(one.name), SOLAR.short(one.points[0][1]), SOLAR.short(one.points.at(-1)[1]),
    SOLAR.short(Math.min(...one.points.map((p) => p[1]))), SOLAR.short(Math.max(...one.points.map((p) => p[1])))]);
  const title = SOLAR.plain(name, 80);
  return SOLAR.figure(title, SOLAR.lines(title, series, { names: [training.counter, ""] }), null,
    SOLAR.table(`${title}, first to last`, [["run"], ["first", true], ["last", true], ["lowest", true], ["highest", true]], ends));
};

/* Sampled rollouts of one step as a table; a list chooses the step. All of it is text. */
SOLAR.rolloutCard = (rollouts) => {
  const { el } = SOLAR;
  if (!rollouts.length) return null;
  const many = new Set(rollouts.map((one) => one.run)).size > 1;
  const place = el("div", { id: "rollouts" });
  const show = (index) => {
    const one = rollouts[index];
    const rows = one.rows.map((row, i) => [String(i + 1), SOLAR.shown(row.score), SOLAR.rolloutText(row, "input"), SOLAR.rolloutText(row, "output"),
      SOLAR.rolloutText(row, "gts"), el("dl", {}, Object.entries(row.other).map(([name, value]) => el("div", {}, el("dt", {}, SOLAR.shown(name)), el("dd", {}, SOLAR.shown(value)))))]);
    place.replaceChildren(el("p", { class: "mute" }, `${SOLAR.count(one.rows.length)} of ${SOLAR.count(one.total)} rollouts of step ${one.step}`),
      SOLAR.table(`Rollouts of step ${one.step}`, [["row"], ["score", true], ["input"], ["output"], ["label"], ["more"]], rows));
  };
  const names = rollouts.map((one) => `${many ? `${SOLAR.plain(one.run, 60)}, ` : ""}step ${one.step}`);
  const choice = el("select", { id: "rollout-step", onchange: (event) => show(Number(event.target.value)) },
    names.map((name, i) => el("option", { value: i, selected: i === names.length - 1 }, name)));
  show(rollouts.length - 1);
  return el("section", { class: "card" }, el("h2", {}, "Rollouts"), el("label", {}, "step ", choice), place);
};

SOLAR.rolloutText = (row, part) => SOLAR.el("pre", { class: "rollout" }, SOLAR.shown(row[part]), row.cut.includes(part) ? SOLAR.el("span", { class: "mute" }, " ... cut") : null);
