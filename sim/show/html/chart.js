// One turn drawn: a row a call, of which only those in sight are in the page. Instants in nanoseconds.

const ROW = 26;
const BAR = 12;
const MARGIN = 10;
const KNOWN_LAST = ["later", "emitted", "settled", "ended", "started", "answered", "asked", "admitted", "arrived"];

class Chart {
  constructor({ onChoose, onBroken, onEngine }) {
    Object.assign(this, { onChoose, onBroken, onEngine });
    this.rows = byId("rows");
    this.canvas = byId("canvas");
    this.bars = byId("bars");
    this.axis = byId("axis");
    this.pending = false;
    this.cursor = null;
    this.pointer = null;
    this.listen();
  }

  // Draw a course over so long a time; what was chosen and in sight stays so where it is another course of the same turn.
  show(course, broken, span, { anew }) {
    const before = anew || this.chosen < 0 ? null : this.course.calls[this.chosen];
    this.course = course;
    this.broken = broken;
    // Room behind the last end, for what is told of it.
    this.span = Math.max(span, 1) * 1.15;
    this.chosen = -1;
    this.lit = new Map();
    for (const one of broken) for (const id of one.calls) {
      const place = this.find(id, one.at);
      if (place >= 0) this.lit.set(place, [...(this.lit.get(place) || []), one]);
    }
    this.canvas.style.height = `${course.calls.length * ROW}px`;
    this.rows.removeAttribute("aria-activedescendant");
    if (anew) {
      this.rows.scrollTop = 0;
      this.fit();
    } else this.redraw();
    if (before) this.choose(this.find(before.id, Infinity));
  }

  // The call of an id at an instant: an id may come again in a later attempt.
  find(id, at) {
    let found = -1;
    this.course.calls.forEach((call, place) => {
      if (call.id === id && (found < 0 || (call.arrived ?? 0) <= at)) found = place;
    });
    return found;
  }

  fit() {
    this.view(0, this.span);
  }

  view(from, to) {
    const length = Math.min(Math.max(to - from, this.span * 1e-7, 20), this.span);
    this.from = Math.min(Math.max(from, 0), this.span - length);
    this.to = this.from + length;
    this.redraw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const length = (this.to - this.from) / factor;
    const share = (at - this.from) / (this.to - this.from);
    this.view(at - length * share, at + length * (1 - share));
  }

  move(share) {
    const by = (this.to - this.from) * share;
    this.view(this.from + by, this.to + by);
  }

  choose(place, { center = false } = {}) {
    const { calls } = this.course;
    if (!calls.length) return;
    this.chosen = Math.min(Math.max(place, 0), calls.length - 1);
    const [top, height] = [this.chosen * ROW, this.rows.clientHeight];
    if (center) this.rows.scrollTop = top - height / 2;
    else if (top < this.rows.scrollTop) this.rows.scrollTop = top;
    else if (top + ROW > this.rows.scrollTop + height) this.rows.scrollTop = top + ROW - height;
    this.draw();
    this.rows.setAttribute("aria-activedescendant", `call-${this.chosen}`);
    this.onChoose(calls[this.chosen], this.lit.get(this.chosen) || []);
  }

  zoomTo(place) {
    const call = this.course.calls[place];
    const from = call.arrived ?? call.started ?? 0;
    const to = this.last(call);
    const around = Math.max((to - from) * 0.15, this.span / 100);
    this.view(from - around, to + around);
  }

  // Bring a broken rule into sight, its instant in the middle.
  jump(one) {
    const place = one.calls.length ? this.find(one.calls[0], one.at) : -1;
    const length = Math.min(this.to - this.from, this.span / 2);
    this.view(one.at - length / 2, one.at + length / 2);
    if (place >= 0) this.choose(place, { center: true });
  }

  last(call) {
    const name = KNOWN_LAST.find((one) => call[one] !== undefined);
    return name ? call[name] : 0;
  }

  x(ns) {
    return MARGIN + ((ns - this.from) / (this.to - this.from)) * (this.width - 2 * MARGIN);
  }

  at(x) {
    return this.from + ((x - MARGIN) / (this.width - 2 * MARGIN)) * (this.to - this.from);
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    // The axis ends where the rows do, be there a scroll bar beside them or not.
    this.axis.parentNode.style.paddingRight = `${this.rows.offsetWidth - this.rows.clientWidth}px`;
    this.labels = this.axis.previousElementSibling.getBoundingClientRect().width;
    this.width = Math.max(this.rows.clientWidth - this.labels, 60);
    this.ticks = ticks(this.from, this.to, Math.max(3, Math.floor(this.width / 100)));
    this.drawAxis();
    this.drawRows();
    this.tell();
  }

  place(event) {
    return Math.floor((event.clientY - this.canvas.getBoundingClientRect().top) / ROW);
  }

  // Tell of the call under the pointer, be it that the pointer has moved or that the rows have moved under it.
  tell() {
    const { pointer } = this;
    const isOver = pointer && this.rows.contains(document.elementFromPoint(pointer.clientX, pointer.clientY));
    const call = isOver && this.course.calls[this.place(pointer)];
    if (call) tip.show(pointer, call, this.course);
    else tip.hide();
  }

  drawAxis() {
    const parts = [...hatches()];
    for (const ns of this.ticks.instants) {
      const x = this.x(ns);
      const anchor = x < 24 ? "start" : x > this.width - 30 ? "end" : "middle";
      parts.push(drawn("line", { class: "grid", x1: x, x2: x, y1: 18, y2: 46 }));
      parts.push(drawn("text", { x: anchor === "start" ? Math.max(x - 6, 2) : x, y: 13, "text-anchor": anchor }, this.ticks.write(ns)));
    }
    for (const one of this.course.responses) {
      const from = this.x(one.from ?? 0);
      const to = this.x(one.to ?? this.course.span);
      parts.push(drawn("rect", { class: one.failed ? "response failed" : "response", x: from, width: Math.max(to - from, 1), y: 25, height: 14, rx: 2 },
        drawn("title", {}, one.failed ? "the response, which failed" : "the response")));
    }
    // One line for blocks that fall on one pixel.
    const pixels = new Set(this.course.calls.filter((call) => call.arrived !== undefined).map((call) => Math.round(this.x(call.arrived))));
    for (const x of pixels) if (x >= 0 && x <= this.width) parts.push(drawn("line", { class: "block", x1: x, x2: x, y1: 25, y2: 39 }));
    for (const [ns, what] of this.course.acts) parts.push(drawn("path", { class: "emitted", d: `M${this.x(ns) - 4} 40h8l-4 6z` }, drawn("title", {}, `${what}, by the user`)));
    for (const one of this.broken) parts.push(drawn("path", { class: "mark", d: diamond(this.x(one.at), 32, 6) }, drawn("title", {}, `${one.rule} broken`)));
    this.axis.replaceChildren(...parts);
  }

  drawRows() {
    const { calls } = this.course;
    const first = Math.max(Math.floor(this.rows.scrollTop / ROW) - 6, 0);
    const until = Math.min(Math.ceil((this.rows.scrollTop + this.rows.clientHeight) / ROW) + 6, calls.length);
    const [top, height] = [first * ROW, (until - first) * ROW];
    const upright = (kind, ns) => drawn("line", { class: kind, x1: this.x(ns), x2: this.x(ns), y1: 0, y2: height });
    const parts = this.ticks.instants.map((ns) => upright("grid", ns));
    parts.push(...this.course.acts.map(([ns]) => upright("act", ns)), ...this.broken.map((one) => upright("rule", one.at)));
    if (this.cursor !== null) parts.push(upright("cursor", this.cursor));
    const names = [];
    for (let place = first; place < until; place += 1) {
      names.push(this.name(calls[place], place));
      parts.push(...this.bar(calls[place], place, (place - first) * ROW + ROW / 2));
    }
    for (const [name, value] of Object.entries({ width: this.width, height })) this.bars.setAttribute(name, value);
    this.bars.style.top = `${top}px`;
    this.bars.replaceChildren(...parts);
    this.canvas.replaceChildren(...names, this.bars);
  }

  name(call, place) {
    const kind = element("span", { class: `kind ${call.class}` });
    const name = element("div", { class: "name" }, kind, call.tool, " ", element("i", {}, brief(call)));
    const row = element("div", {
      id: `call-${place}`, class: "call", role: "option", "aria-selected": place === this.chosen ? "true" : "false",
      "aria-setsize": this.course.calls.length, "aria-posinset": place + 1, "aria-label": spoken(call, this.course),
    }, name);
    row.style.top = `${place * ROW}px`;
    row.style.height = `${ROW}px`;
    return row;
  }

  // A call's row: what it waits for, its hooks and question, its body, its wait to be emitted, its end.
  bar(call, place, y) {
    const { course } = this;
    const parts = [];
    const end = course.span;
    const line = (kind, from, to) => to > from && parts.push(drawn("line", { class: kind, x1: this.x(from), x2: this.x(to), y1: y, y2: y }));
    const box = (kind, from, to, height) => parts.push(drawn("rect", {
      class: kind, x: this.x(from), width: Math.max(this.x(to) - this.x(from), 2), y: y - height / 2, height, rx: 2,
    }));
    const given = (...instants) => instants.find((ns) => ns !== undefined);
    if (call.arrived !== undefined) {
      const until = given(call.started, call.settled, call.emitted, end);
      line(call.started === undefined && call.ran ? "untold" : "queued", call.arrived, until);
    }
    for (const [, from, to] of call.hooks || []) box("hook", from, to ?? end, BAR - 4);
    if (call.asked !== undefined) box("ask", call.asked, given(call.answered, call.settled, end), BAR - 4);
    if (call.started !== undefined) {
      const fails = badly(call);
      box(`run${fails ? " fails" : ""}${call.ended === undefined ? " open" : ""}`, call.started, call.ended ?? end, BAR);
      const pixels = new Set((call.progress || []).map((ns) => Math.round(this.x(ns))));
      for (const x of pixels) parts.push(drawn("line", { class: "progress", x1: x, x2: x, y1: y - BAR / 2, y2: y + BAR / 2 }));
    }
    if (call.signalled !== undefined) parts.push(drawn("path", { class: "signal", d: cross(this.x(call.signalled), y, 4) }));
    if (call.later !== undefined) box("later", given(call.ended, call.settled, call.started), call.later, BAR - 6);
    const settled = given(call.settled, call.ended);
    if (settled !== undefined && call.emitted !== undefined) line("held", settled, call.emitted);
    if (call.emitted !== undefined) parts.push(drawn("circle", { class: "emitted", cx: this.x(call.emitted), cy: y, r: 3.5 }));
    for (const one of this.lit.get(place) || []) parts.push(drawn("path", { class: "mark", d: diamond(this.x(one.at), y, 6) }));
    parts.push(...this.told(call, y));
    return parts;
  }

  told(call, y) {
    const ran = call.started === undefined || call.ended === undefined ? [] : [amount(call.ended - call.started, this.course.estimated)];
    const end = call.outcome === "ok" ? [] : [ending(call)];
    const [first, last] = [this.x(call.arrived ?? call.started ?? 0), this.x(this.last(call))];
    if (last < 0 || first > this.width) return [];
    const write = (text, x, anchor) => [drawn("text", { class: badly(call) ? "told bad" : "told", x, y: y + 4, "text-anchor": anchor }, text)];
    const texts = [[...ran, ...end].join(" · "), (end.length ? end : ran).join("")].filter(Boolean);
    for (const text of texts) {
      const room = text.length * 6.6 + 10;
      if (last + room < this.width) return write(text, Math.max(last, 0) + 9, "start");
      if (first > room) return write(text, Math.min(first, this.width) - 7, "end");
    }
    return end.length ? write(texts.at(-1), Math.min(last, this.width) - 8, "end") : [];
  }

  listen() {
    const instant = (event) => this.at(event.clientX - this.rows.getBoundingClientRect().left - this.labels);
    const wheel = (event, always) => {
      if (always || event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(2 ** (-event.deltaY / (event.deltaMode ? 6 : 240)), instant(event));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.move((event.deltaX || event.deltaY) / this.width);
      }
    };
    this.rows.addEventListener("wheel", (event) => wheel(event, false), { passive: false });
    this.axis.addEventListener("wheel", (event) => wheel(event, true), { passive: false });
    this.axis.addEventListener("click", (event) => this.zoom(2, instant(event)));
    addEventListener("scroll", () => this.course && this.redraw(), { capture: true, passive: true });
    new ResizeObserver(() => this.course && this.redraw()).observe(this.rows);

    let drag = null;
    this.rows.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: this.from, to: this.to, moved: false };
    });
    this.rows.addEventListener("pointermove", (event) => {
      if (drag && event.buttons) {
        const by = event.clientX - drag.x;
        drag.moved = drag.moved || Math.abs(by) > 4;
        if (!drag.moved) return;
        this.pointer = null;
        this.rows.classList.add("dragged");
        const shift = (by / (this.width - 2 * MARGIN)) * (drag.to - drag.from);
        this.view(drag.from - shift, drag.to - shift);
        return;
      }
      this.cursor = instant(event) >= this.from ? instant(event) : null;
      this.pointer = event;
      this.redraw();
      this.tell();
    });
    const over = () => { drag = null; this.rows.classList.remove("dragged"); };
    this.rows.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved && this.course.calls[this.place(event)]) this.choose(this.place(event));
      over();
    });
    this.rows.addEventListener("pointercancel", over);
    this.rows.addEventListener("pointerleave", () => { over(); this.cursor = this.pointer = null; this.redraw(); tip.hide(); });

    const page = () => Math.max(Math.floor(this.rows.clientHeight / ROW) - 1, 1);
    const keys = {
      ArrowDown: () => this.choose(this.chosen + 1),
      ArrowUp: () => this.choose(this.chosen - 1),
      PageDown: () => this.choose(this.chosen + page()),
      PageUp: () => this.choose(this.chosen - page()),
      Home: () => this.choose(0),
      End: () => this.choose(this.course.calls.length - 1),
      ArrowLeft: () => this.move(-0.15),
      ArrowRight: () => this.move(0.15),
      "+": () => this.zoom(1.6),
      "=": () => this.zoom(1.6),
      "-": () => this.zoom(1 / 1.6),
      0: () => this.fit(),
      Escape: () => this.fit(),
      Enter: () => this.chosen >= 0 && this.zoomTo(this.chosen),
      n: () => this.onBroken(),
      e: () => this.onEngine(),
    };
    this.rows.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }
}

// What has no outcome may still come to a good one.
const badly = (call) => call.outcome !== undefined && call.outcome !== "ok";
const diamond = (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;
const cross = (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`;

function hatches() {
  const hatch = (id, ...parts) => drawn("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, ...parts);
  return [drawn("defs", {},
    hatch("hatch-fail", drawn("rect", { class: "hatch-fail-back", width: 6, height: 6 }), drawn("path", { class: "hatch-fail-line", d: "M1.5 0v6" })),
    hatch("hatch-later", drawn("path", { class: "hatch-later-line", d: "M1 0v6" })))];
}
