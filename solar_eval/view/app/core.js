/* The one global name, and loading of data scripts: SOLAR.put(name, data) is what each file in data/ calls. */
"use strict";

const SOLAR = {
  store: new Map(),
  waiting: new Map(),

  put(name, data) {
    SOLAR.store.set(name, data);
  },

  /* A promise of data/<name>.js. Names come from this program, never from the data. */
  load(name) {
    if (SOLAR.store.has(name)) return Promise.resolve(SOLAR.store.get(name));
    if (!SOLAR.waiting.has(name)) {
      SOLAR.waiting.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `data/${name}.js`;
        script.onload = () => {
          script.remove();
          SOLAR.waiting.delete(name);
          if (SOLAR.store.has(name)) resolve(SOLAR.store.get(name));
          else reject(new Error(`data/${name}.js holds no ${name}`));
        };
        script.onerror = () => {
          script.remove();
          SOLAR.waiting.delete(name);
          reject(new Error(`data/${name}.js can't be loaded`));
        };
        document.head.append(script);
      }));
    }
    return SOLAR.waiting.get(name);
  },

  /* One step's page: the entry of its piece. Pieces beside it are loaded too, the oldest are dropped. */
  async entry(row) {
    const piece = Math.floor(row / SOLAR.run.piece);
    const entries = await SOLAR.load(SOLAR.pieceName(piece));
    SOLAR.recent = [piece, ...(SOLAR.recent || []).filter((one) => one !== piece)];
    for (const old of SOLAR.recent.splice(30)) SOLAR.store.delete(SOLAR.pieceName(old));
    return entries[row % SOLAR.run.piece];
  },

  pieceName(piece) {
    return `piece-${String(piece).padStart(4, "0")}`;
  },

  parts: {},
};
