/* A screenshot with what was asked and what was done drawn over it, in pixels of the screen. */
"use strict";

SOLAR.marks = { label: true, said: true, tolerance: true, boxes: false };

/* entry: {screen: [w, h], pic, boxes, label, action}; rule: the click rule of a protocol, or null. */
SOLAR.screen = (entry, rule, alt) => {
  const { el, svg } = SOLAR;
  const [width, height] = entry.screen;
  const picture = entry.pic
    ? el("img", { src: `pics/${entry.pic}`, alt, width, height, decoding: "async" })
    : el("div", { class: "no-picture" }, el("p", {}, entry.pic_fault ? "The screenshot can't be shown: " : "no screenshot", SOLAR.shown(entry.pic_fault || "")));
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const draw = () => {
    drawn.replaceChildren(...SOLAR.overlay(entry, rule));
  };
  draw();
  const frame = el("div", { class: "screen" }, picture, drawn);
  frame.style.setProperty("aspect-ratio", `${width} / ${height}`);
  const choice = (name, text) => el("label", { class: `choice mark-${name}` },
    el("input", {
      type: "checkbox", checked: SOLAR.marks[name],
      onchange: (event) => {
        SOLAR.marks[name] = event.target.checked;
        draw();
      },
    }), text);
  const choices = el("div", { class: "choices", role: "group", "aria-label": "What is drawn" },
    entry.label && choice("label", "label"), entry.action && choice("said", "predicted"),
    SOLAR.pointOf(entry.label) && rule && choice("tolerance", "tolerance"),
    entry.boxes && choice("boxes", `all ${entry.boxes.length} boxes`));
  return el("figure", { class: `shot${width > height ? " landscape" : ""}` }, frame, choices);
};

SOLAR.pointOf = (action) => (action && (action.point || action.start)) || null;

SOLAR.overlay = (entry, rule) => {
  const [width, height] = entry.screen;
  const out = [];
  const target = SOLAR.pointOf(entry.label);
  if (SOLAR.marks.boxes) for (const box of entry.boxes || []) out.push(SOLAR.boxMark(box, "box", width, height));
  if (target && SOLAR.marks.label) {
    for (const box of SOLAR.holding(entry.boxes || [], target)) out.push(SOLAR.boxMark(box, "box holds", width, height));
  }
  if (target && rule && SOLAR.marks.tolerance) out.push(...SOLAR.radius(target, rule, width, height));
  if (entry.label && SOLAR.marks.label) out.push(...SOLAR.actionMark(entry.label, "wanted", width, height));
  if (entry.action && SOLAR.marks.said) out.push(...SOLAR.actionMark(entry.action, "said", width, height));
  return out;
};

/* The boxes of up to half the screen that hold the point, the smallest three. */
SOLAR.holding = (boxes, [x, y]) => {
  const area = (box) => (box[2] - box[0]) * (box[3] - box[1]);
  return boxes.filter((box) => box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3] && area(box) <= 0.5)
    .sort((a, b) => area(a) - area(b)).slice(0, 3);
};

SOLAR.boxMark = (box, name, width, height) => SOLAR.svg("rect", {
  class: name, x: box[0] * width, y: box[1] * height, width: Math.max(0, box[2] - box[0]) * width,
  height: Math.max(0, box[3] - box[1]) * height,
});

/* The ellipse in which a point is near enough, in the unit of the protocol's norm. */
SOLAR.radius = (point, rule, width, height) => {
  if (rule.distance === null || rule.boxes === "ellipse") return [];
  const limit = rule.distance;
  const radii = {
    axis: [limit * width, limit * height], diagonal: Array(2).fill(limit * Math.hypot(width, height)),
    pixels: [limit, limit], pixels_1080x2400: [limit * width / 1080, limit * height / 2400],
  }[rule.norm];
  return [SOLAR.svg("ellipse", { class: "tolerance", cx: point[0] * width, cy: point[1] * height, rx: radii[0], ry: radii[1] })];
};

/* A cross for a wanted point, a ring for a predicted one, an arrow for a swipe. */
SOLAR.actionMark = (action, name, width, height) => {
  const unit = Math.min(width, height) / 100;
  if (action.kind === "swipe") return SOLAR.arrow(action, name, width, height, unit);
  if (!action.point) return [];
  const [x, y] = [action.point[0] * width, action.point[1] * height];
  const twice = (make) => [make(`${name} under`), make(name)];
  if (name === "said") {
    return [...twice((cls) => SOLAR.svg("circle", { class: cls, cx: x, cy: y, r: 4 * unit })),
      SOLAR.svg("circle", { class: "said dot", cx: x, cy: y, r: 0.8 * unit })];
  }
  const size = 3 * unit;
  return twice((cls) => SOLAR.svg("path", { class: cls, d: `M${x - size} ${y}H${x + size}M${x} ${y - size}V${y + size}` }));
};

SOLAR.arrow = (action, name, width, height, unit) => {
  const [from, to] = SOLAR.swipeEnds(action, name);
  if (!from) return [];
  const [x0, y0, x1, y1] = [from[0] * width, from[1] * height, to[0] * width, to[1] * height];
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const wing = (turn) => `L${x1 - 5 * unit * Math.cos(angle + turn)} ${y1 - 5 * unit * Math.sin(angle + turn)}`;
  const path = `M${x0} ${y0}L${x1} ${y1}${wing(0.5)}M${x1} ${y1}${wing(-0.5)}`;
  return [`${name} under`, name].flatMap((cls) => [SOLAR.svg("path", { class: cls, d: path }),
    SOLAR.svg("circle", { class: cls, cx: x0, cy: y0, r: 1.2 * unit })]);
};

/* Where a swipe begins and ends; one of a direction alone is drawn through the middle, the two side by side. */
SOLAR.swipeEnds = (action, name) => {
  if (action.start && action.end) return [action.start, action.end];
  const by = { up: [0, -0.15], down: [0, 0.15], left: [-0.25, 0], right: [0.25, 0] }[action.direction];
  if (!by) return [null, null];
  const aside = name === "said" ? 0.06 : -0.06;
  const middle = action.start || (by[0] ? [0.5, 0.5 + aside / 2] : [0.5 + aside, 0.5]);
  return [[middle[0] - by[0], middle[1] - by[1]], [middle[0] + by[0], middle[1] + by[1]]];
};
