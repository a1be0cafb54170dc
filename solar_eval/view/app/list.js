/* A list of any length of which only what is in sight exists: `rows` of one height in a scrolling box. */
"use strict";

SOLAR.WindowedList = class {
  /* make(row, place): the inside of one entry; open(row): it was chosen. */
  constructor(label, height, make, open) {
    this.height = height;
    this.make = make;
    this.open = open;
    this.rows = [];
    this.current = -1;
    this.inner = SOLAR.el("div", { class: "list-inner", role: "presentation" });
    this.box = SOLAR.el("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": label }, this.inner);
    this.box.addEventListener("scroll", () => this.later(), { passive: true });
    this.box.addEventListener("click", (event) => {
      const entry = event.target.closest("[role=option]");
      if (entry) this.open(this.rows[Number(entry.dataset.place)]);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        const row = this.current >= 0 ? this.current : this.rows[0];
        if (row !== undefined) this.open(row);
      }
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  later() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  show(rows, current) {
    const moved = rows !== this.rows || current !== this.current;
    this.rows = rows;
    this.current = current;
    this.inner.style.setProperty("height", `${rows.length * this.height}px`);
    if (moved) this.reveal();
    this.drawn = null;
    this.draw();
  }

  reveal() {
    const place = this.rows.indexOf(this.current);
    const { scrollTop, clientHeight } = this.box;
    const top = place * this.height;
    if (place >= 0 && (top < scrollTop || top + this.height > scrollTop + clientHeight)) {
      this.box.scrollTop = Math.max(0, top - (clientHeight - this.height) / 2);
    }
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / this.height) - 6);
    const last = Math.min(this.rows.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / this.height) + 6);
    const key = `${first} ${last}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const entries = [];
    for (let place = first; place < last; place += 1) entries.push(this.entry(place));
    this.inner.replaceChildren(...entries);
    const place = this.rows.indexOf(this.current);
    if (place >= first && place < last) this.box.setAttribute("aria-activedescendant", `entry-${place}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  entry(place) {
    const row = this.rows[place];
    const entry = SOLAR.el("div", {
      role: "option", id: `entry-${place}`, "data-place": place, class: "entry",
      "aria-selected": row === this.current ? "true" : "false", "aria-setsize": this.rows.length,
      "aria-posinset": place + 1,
    }, this.make(row, place));
    entry.style.setProperty("top", `${place * this.height}px`);
    entry.style.setProperty("height", `${this.height}px`);
    return entry;
  }
};
