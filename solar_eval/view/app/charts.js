/* Small charts as SVG: lines with bands, bars. Each comes with its numbers as a table for those who can't see it. */
"use strict";

SOLAR.CHART = { width: 640, height: 300, left: 52, right: 14, top: 12, bottom: 42 };

/* Round steps over low..high, at most `count` or so. */
SOLAR.ticks = (low, high, count = 6) => {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
  const out = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
    out.push(Number(value.toPrecision(10)));
  }
  return out;
};

SOLAR.scale = (low, high, from, to) => (value) => from + (to - from) * ((value - low) / (high - low || 1));

/* Axes of a chart: {svg, x, y}. xs, ys: [low, high]; names: [below, left]; percent: y in per cent. */
SOLAR.axes = (title, xs, ys, names, percent, xTicks) => {
  const { svg } = SOLAR;
  const { width, height, left, right, top, bottom } = SOLAR.CHART;
  const x = SOLAR.scale(xs[0], xs[1], left, width - right);
  const y = SOLAR.scale(ys[0], ys[1], height - bottom, top);
  const show = (value) => (percent ? `${Number((100 * value).toPrecision(6))}` : SOLAR.short(value));
  const grid = SOLAR.ticks(ys[0], ys[1], 5).flatMap((value) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, show(value))]);
  const marks = (xTicks || SOLAR.ticks(xs[0], xs[1], 7).map((value) => [value, SOLAR.short(value)])).map(([value, text]) =>
    svg("text", { class: "tick", x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, text));
  const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    grid, marks, svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    svg("text", { class: "name", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, names[0]),
    svg("text", { class: "name", x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 14 ${(top + height - bottom) / 2})` }, names[1]));
  return { svg: drawn, x, y };
};

SOLAR.short = (value) => {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return size !== 0 && size < 1e-3 ? value.toExponential(1) : `${Number(value.toPrecision(4))}`;
};

/* A chart with its title, a sentence, and its table folded below. */
SOLAR.figure = (title, drawn, note, table) => SOLAR.el("figure", { class: "card" },
  SOLAR.el("figcaption", {}, SOLAR.el("h3", {}, title), note && SOLAR.el("p", { class: "mute" }, note)), drawn,
  table && SOLAR.el("details", {}, SOLAR.el("summary", {}, "as a table"), table));

/* series: [{name, points: [[x, y, low, high]]}]; marks: [[x, text]] vertical lines. */
SOLAR.lines = (title, series, { names, percent = false, marks = [], from0 = false }) => {
  const { svg } = SOLAR;
  const all = series.flatMap((one) => one.points);
  const ys = all.flatMap((point) => point.slice(1)).filter((value) => Number.isFinite(value));
  if (!ys.length) return SOLAR.el("p", { class: "mute" }, "nothing to draw");
  const low = from0 || percent ? 0 : Math.min(...ys);
  const high = percent ? 1 : Math.max(...ys);
  const pad = percent || high === low ? 0 : (high - low) * 0.05;
  const xs = SOLAR.extent(all.map((point) => point[0]));
  const { svg: drawn, x, y } = SOLAR.axes(title, xs, [low - (from0 ? 0 : pad), high + pad || 1], names, percent);
  const { height, bottom, top } = SOLAR.CHART;
  marks.filter(([value]) => value >= xs[0] && value <= xs[1]).forEach(([value, text]) => drawn.append(
    svg("line", { class: "mark", x1: x(value), x2: x(value), y1: top, y2: height - bottom }),
    svg("text", { class: "tick", x: x(value) + 4, y: height - bottom - 6 }, text)));
  series.forEach((one, number) => {
    const points = one.points.filter((point) => Number.isFinite(point[1]));
    const band = points.filter((point) => Number.isFinite(point[2]) && Number.isFinite(point[3]));
    if (band.length > 1) {
      const there = band.map((point) => `${x(point[0])},${y(point[3])}`);
      const back = band.map((point) => `${x(point[0])},${y(point[2])}`).reverse();
      drawn.append(svg("polygon", { class: `band s${number % 6}`, points: [...there, ...back].join(" ") }));
    }
    drawn.append(svg("polyline", { class: `line s${number % 6}`, points: points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ") }));
    if (points.length <= 40) {
      points.forEach((p) => drawn.append(svg("circle", { class: `dot s${number % 6}`, cx: x(p[0]), cy: y(p[1]), r: 2.6 },
        svg("title", {}, `${SOLAR.short(p[0])}: ${percent ? SOLAR.percent(p[1]) : SOLAR.short(p[1])}`))));
    }
  });
  return drawn;
};

SOLAR.extent = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
  [Infinity, -Infinity]);

/* bins: [{text, parts: [[class, number, title]], open}]: stacked columns; open(): a column was chosen. */
SOLAR.columns = (title, bins, names) => {
  const { svg } = SOLAR;
  const high = Math.max(1, ...bins.map((bin) => bin.parts.reduce((sum, part) => sum + part[1], 0)));
  const ticks = bins.map((bin, i) => [i, bin.text]).filter((_, i) => bins.length <= 14 || i % 2 === 0);
  const { svg: drawn, x, y } = SOLAR.axes(title, [-0.5, bins.length - 0.5], [0, high], names, false, ticks);
  const width = (x(1) - x(0)) * 0.84;
  bins.forEach((bin, i) => {
    let below = 0;
    bin.parts.forEach(([name, number, text]) => {
      if (!number) return;
      drawn.append(svg("rect", { class: `bar ${name}`, x: x(i) - width / 2, y: y(below + number), width,
        height: y(below) - y(below + number) }, svg("title", {}, `${bin.text}: ${text} ${number}`)));
      below += number;
    });
  });
  return drawn;
};

/* Points with whiskers over names: bins [{text, estimate}]. */
SOLAR.whiskers = (title, bins, names) => {
  const { svg } = SOLAR;
  const ticks = bins.map((bin, i) => [i, bin.text]);
  const { svg: drawn, x, y } = SOLAR.axes(title, [-0.5, bins.length - 0.5], [0, 1], names, true, ticks);
  bins.forEach((bin, i) => {
    const { value, low, high } = bin.estimate;
    if (value === null) return;
    if (low !== null) drawn.append(svg("path", { class: "whisker", d: `M${x(i)} ${y(low)}V${y(high)}M${x(i) - 8} ${y(low)}h16M${x(i) - 8} ${y(high)}h16` }));
    drawn.append(svg("circle", { class: "dot s0", cx: x(i), cy: y(value), r: 5 }, svg("title", {}, `${bin.text}: ${SOLAR.estimate(bin.estimate)}`)));
  });
  return drawn;
};

SOLAR.legend = (names) => SOLAR.el("ul", { class: "legend" }, names.map(([name, text]) =>
  SOLAR.el("li", {}, SOLAR.el("span", { class: `key ${name}`, "aria-hidden": "true" }), text)));
