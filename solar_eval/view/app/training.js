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
        SOLAR.trainingCards,
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
