/* Starts the page: loads the run, then draws whatever the address says, again whenever it changes. */
"use strict";

SOLAR.PARTS = { offline: ["overview", "samples"], live: ["suite", "episodes"], training: ["training"] };

SOLAR.render = () => {
  SOLAR.state = SOLAR.readState();
  const { state } = SOLAR;
  const main = document.getElementById("main");
  if (SOLAR.shownPart !== state.part) {
    SOLAR.shownPart = state.part;
    document.body.className = `part-${state.part}`;
    window.scrollTo(0, 0);
  }
  SOLAR.showTop();
  document.title = `${SOLAR.parts[state.part].name}: ${SOLAR.plain(SOLAR.run.title, 80)}`;
  SOLAR.parts[state.part].show(main);
};

SOLAR.showTop = () => {
  const { el, run, state } = SOLAR;
  document.getElementById("title").replaceChildren(SOLAR.shown(run.title));
  const tabs = SOLAR.partNames.map((name) => {
    const link = SOLAR.link({ part: name, i: name === state.part ? state.i : "" }, SOLAR.parts[name].name);
    if (name === state.part) link.setAttribute("aria-current", "page");
    return link;
  });
  document.getElementById("tabs").replaceChildren(...tabs);
  const tools = document.getElementById("tools");
  if (!tools.firstChild) {
    const names = (run.protocols || []).map((protocol) => protocol.name);
    if (names.length > 1) {
      tools.append(el("label", {}, el("span", { class: "tool-name" }, "protocol "), el("select", { id: "protocol", onchange: (event) => SOLAR.go({ p: event.target.value, c: "", r: "" }, true) },
        names.map((name) => el("option", { value: name }, SOLAR.plain(name))))));
    }
    tools.append(el("button", { type: "button", onclick: SOLAR.showHelp, title: "Keys (?)", "aria-label": "Keys" }, "?"));
  }
  const protocol = document.getElementById("protocol");
  if (protocol) protocol.value = state.p;
};

SOLAR.start = async () => {
  try {
    [SOLAR.run, SOLAR.index] = await Promise.all([SOLAR.load("run"), SOLAR.load("index")]);
    SOLAR.partNames = SOLAR.PARTS[SOLAR.run.kind].filter((name) => name in SOLAR.parts);
    if (SOLAR.run.training && SOLAR.run.kind !== "training") SOLAR.partNames.push("training");
    [SOLAR.firstPart] = SOLAR.partNames;
    for (const name of Object.keys(SOLAR.parts)) if (!SOLAR.partNames.includes(name)) delete SOLAR.parts[name];
    SOLAR.render();
    addEventListener("hashchange", SOLAR.render);
    addEventListener("keydown", SOLAR.onKey);
  } catch (error) {
    document.getElementById("main").replaceChildren(SOLAR.el("p", { class: "empty", role: "alert" }, `This view can't be shown: ${error.message}. Write it again with solar-eval view.`));
    throw error;
  }
};

SOLAR.start();
