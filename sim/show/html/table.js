// The table of turns: sorts, filters, and puts rows into the page a page at a time, for there may be tens of thousands.

const PAGE = 200;

class Table {
  constructor(report, choose) {
    this.report = report;
    this.choose = choose;
    this.chosen = null;
    this.columns = [
      { head: "turn", text: true, of: (turn) => turn.place, show: (turn) => turn.name },
      ...(report.turns.some((turn) => turn.session) ? [{ head: "session", text: true, of: (turn) => turn.session }] : []),
      { head: "tools", text: true, of: (turn) => turn.tools.toLowerCase(), show: (turn) => turn.tools },
      { head: "calls", of: (turn) => turn.calls },
      ...report.measures.map((head, n) => ({
        head, of: (turn) => turn.spans[n], show: (turn) => amount(turn.spans[n], turn.estimated),
      })),
      { head: "broken", of: (turn) => turn.broken.length },
    ];
    if (report.turns.some((turn) => turn.note)) {
      this.columns.push({ head: "note", text: true, of: (turn) => turn.note || null, show: (turn) => turn.note || "" });
    }
    this.sort = { column: 0, down: false };
    this.texts = report.turns.map((turn) => [turn.name, turn.session, turn.tools, turn.note].join(" ").toLowerCase());
    const head = element("tr");
    this.heads = this.columns.map((column, n) => {
      const button = element("button", { type: "button", onclick: () => this.sortBy(n) }, column.head);
      return element("th", { scope: "col", class: column.text && "text" }, button);
    });
    head.append(...this.heads);
    byId("table").tHead.append(head);
    this.body = byId("table").tBodies[0];
    byId("filter").addEventListener("input", () => this.update());
    byId("only-broken").addEventListener("change", () => this.update());
    byId("only-broken-label").hidden = !report.turns.some((turn) => turn.broken.length);
    byId("table-more").addEventListener("click", () => this.more());
    this.update();
  }

  sortBy(column) {
    // Numbers are most wanted from the largest on.
    const first = !this.columns[column].text;
    this.sort = { column, down: this.sort.column === column ? !this.sort.down : first };
    this.update();
  }

  update() {
    const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const broken = byId("only-broken").checked;
    const { column, down } = this.sort;
    const { of } = this.columns[column];
    this.order = this.report.turns.filter((turn) =>
      (!broken || turn.broken.length) && words.every((word) => this.texts[turn.place].includes(word)));
    this.order.sort((a, b) => {
      const [one, other] = [of(a), of(b)];
      // What is unknown comes last, whatever the direction.
      if (one === null || other === null) return (one === null) - (other === null) || a.place - b.place;
      const compared = one < other ? -1 : one > other ? 1 : 0;
      return (down ? -compared : compared) || a.place - b.place;
    });
    this.heads.forEach((head, n) => {
      if (n === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.body.replaceChildren();
    this.more();
  }

  more() {
    const next = this.order.slice(this.body.rows.length, this.body.rows.length + PAGE);
    this.body.append(...next.map((turn) => this.row(turn)));
    const [shown, all, total] = [this.body.rows.length, this.order.length, this.report.turns.length];
    byId("shown").textContent = shown < total ? `${shown} shown of ${counted(all, "turn")}${all < total ? `, ${total} without filter` : ""}` : "";
    byId("table-more").hidden = shown === all;
  }

  row(turn) {
    const cells = this.columns.map((column, n) => {
      const text = String((column.show || column.of)(turn));
      const attributes = { class: column.text ? "text" : column.head === "broken" && turn.broken.length ? "bad" : null };
      if (attributes.class === "text") attributes.title = text;
      if (n > 0) return element("td", attributes, text);
      const link = element("button", { type: "button", class: "link", onclick: () => this.choose(turn.place, true) }, text);
      return element("td", attributes, link);
    });
    return element("tr", {
      "aria-current": turn === this.chosen && "true", "data-place": turn.place,
      onclick: (event) => event.target.closest("button") || this.choose(turn.place, false),
    }, ...cells);
  }

  mark(turn) {
    this.chosen = turn;
    for (const row of this.body.rows) {
      if (Number(row.dataset.place) === turn.place) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  // The turn so many rows further on, as the table is sorted and filtered now.
  beside(turn, by) {
    return this.order[this.order.indexOf(turn) + by];
  }
}
