/* Elements and text. Everything that comes from a run goes through textContent: nothing here reads markup. */
"use strict";

/* Characters that have no shape or turn the direction of what follows; they are shown as \u{...}. */
SOLAR.HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/u;

SOLAR.el = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  SOLAR.dress(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

SOLAR.svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  SOLAR.dress(element, attributes);
  element.append(...children.flat().filter(Boolean));
  return element;
};

/* Attributes by name; "on..." are listeners, false and null are left out. */
SOLAR.dress = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
};

SOLAR.escaped = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

/* One line: hidden characters made visible, for lists and attributes. */
SOLAR.plain = (text, longest = 400) => {
  const line = String(text).slice(0, longest).replace(/\s+/g, " ");
  return line.replace(new RegExp(SOLAR.HIDDEN, "gu"), SOLAR.escaped);
};

/* Text with its lines kept and hidden characters made visible, as one string. */
SOLAR.plainText = (text) => text.replace(new RegExp(SOLAR.HIDDEN, "gu"), SOLAR.escaped);

/* Text of any length as nodes; hidden characters become marked spans. */
SOLAR.shown = (text) => {
  const out = document.createDocumentFragment();
  let rest = String(text);
  while (rest) {
    const found = SOLAR.HIDDEN.exec(rest);
    if (!found) break;
    if (found.index) out.append(rest.slice(0, found.index));
    out.append(SOLAR.el("span", { class: "hidden-character" }, SOLAR.escaped(found[0])));
    rest = rest.slice(found.index + found[0].length);
    if (out.childNodes.length > 1000) {
      out.append(SOLAR.plainText(rest));
      return out;
    }
  }
  out.append(rest);
  return out;
};

SOLAR.percent = (value, digits = 1) =>
  value === null || value === undefined ? "-" : `${(100 * value).toFixed(digits)}`;

/* "66.9 [65.1, 68.7]" of an estimate {value, low, high}. */
SOLAR.estimate = (estimate) => {
  if (!estimate || estimate.value === null) return "-";
  if (estimate.low === null) return SOLAR.percent(estimate.value);
  return `${SOLAR.percent(estimate.value)} [${SOLAR.percent(estimate.low)}, ${SOLAR.percent(estimate.high)}]`;
};

SOLAR.count = (number) => Number(number).toLocaleString("en");

/* A table in its own scrolling box. headings: [text, right?]; rows: arrays of text or nodes. */
SOLAR.table = (caption, headings, rows) => {
  const { el } = SOLAR;
  const right = headings.map((heading) => (heading[1] ? "right" : null));
  const head = el("tr", {}, headings.map(([text], i) => el("th", { scope: "col", class: right[i] }, text)));
  const body = rows.map((row) =>
    el("tr", row.current ? { class: "current" } : {}, row.map((cell, i) =>
      i === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: right[i] }, cell))));
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, head), el("tbody", {}, body)));
};

SOLAR.say = (text) => {
  document.getElementById("say").textContent = text;
};
