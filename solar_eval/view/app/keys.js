/* Stepping through what a page lists, and the keys for it. */
"use strict";

SOLAR.KEYS = [["→ ↓ j", "next sample (live: → is the next step)"], ["← ↑ k", "previous sample (live: ← is the step before)"], ["f", "next failure"], ["Shift f", "previous failure"], ["/", "search"], ["Esc", "leave the search, close the sample"], ["?", "this list"]];

/* The part that has rows to step through, if the present one has. */
SOLAR.stepping = () => {
  const part = SOLAR.parts[SOLAR.state.part];
  return part.rows ? part : null;
};

SOLAR.move = (by) => {
  const part = SOLAR.stepping();
  if (!part) return;
  const rows = part.rows();
  const place = rows.indexOf(part.current());
  const next = place < 0 ? (by > 0 ? 0 : rows.length - 1) : place + by;
  if (rows[next] === undefined) SOLAR.say(by > 0 ? "This is the last one." : "This is the first one.");
  else (part.open || SOLAR.openRow)(rows[next]);
};

SOLAR.nextFailure = (by) => {
  const name = ["samples", "episodes"].find((one) => one in SOLAR.parts);
  const part = SOLAR.stepping() || SOLAR.parts[name];
  if (!part) return;
  if (!SOLAR.stepping()) SOLAR.state.part = name;
  const rows = part.rows();
  const start = rows.indexOf(part.current());
  for (let away = 1; away <= rows.length; away += 1) {
    const place = (((start < 0 && by > 0 ? -1 : start) + by * away) % rows.length + rows.length) % rows.length;
    if (part.failed(rows[place])) {
      if (start >= 0 && (place - start) * by <= 0) SOLAR.say("Round the end: from the other side again.");
      (part.open || SOLAR.openRow)(rows[place]);
      return;
    }
  }
  SOLAR.say("There is no failure among these.");
};

SOLAR.onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    if (field) field.blur();
    else if (SOLAR.state.i) SOLAR.go({ i: "" });
    return;
  }
  if (field && field.type !== "checkbox") return;
  const wide = event.target.closest(".wide, pre");
  const part = SOLAR.stepping();
  const aside = (by) => () => (part && part.side ? part.side(by) : SOLAR.move(by));
  const acts = {
    ArrowRight: aside(1), ArrowLeft: aside(-1), j: () => SOLAR.move(1), k: () => SOLAR.move(-1),
    f: () => SOLAR.nextFailure(1), F: () => SOLAR.nextFailure(-1), "/": SOLAR.toSearch, "?": SOLAR.showHelp,
  };
  /* Up and down scroll a page that has nothing to step through, and a text or table that has the focus. */
  if (part && !event.target.closest(".detail")) {
    acts.ArrowDown = () => SOLAR.move(1);
    acts.ArrowUp = () => SOLAR.move(-1);
  }
  if (!(event.key in acts) || (wide && event.key.startsWith("Arrow"))) return;
  if (event.key.startsWith("Arrow") && !part) return;
  event.preventDefault();
  acts[event.key]();
};

SOLAR.toSearch = () => {
  const focus = () => {
    const search = document.getElementById("search");
    if (search) {
      search.focus();
      search.select();
    }
  };
  if (SOLAR.stepping()) {
    if (SOLAR.state.i && matchMedia("(max-width: 52rem)").matches) SOLAR.go({ i: "" });
    focus();
  } else if (document.getElementById("search")) focus();
  else {
    const list = ["samples", "episodes"].find((name) => name in SOLAR.parts);
    if (list) SOLAR.go({ part: list });
    setTimeout(focus, 50);
  }
};

SOLAR.showHelp = () => {
  const { el } = SOLAR;
  const help = document.getElementById("help");
  help.replaceChildren(el("h2", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, SOLAR.KEYS.map(([key, what]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)))),
    el("p", { class: "mute" }, "The address keeps what you look at: filters, protocol and sample. Send it with the folder."),
    el("form", { method: "dialog" }, el("button", { autofocus: true }, "Close")));
  help.showModal();
};
