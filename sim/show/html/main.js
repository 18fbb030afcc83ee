// The page put together: summary, broken rules, table, and the one turn that is drawn; the address names what is shown.

const report = JSON.parse(byId("data").textContent);
report.turns.forEach((turn, place) => { turn.place = place; });
const SHOWN = 20;
const shown = { turn: null, drawn: null, view: null, broken: -1 };

const chart = new Chart({
  onChoose: (call, broken) => showDetails(call, broken, chart.course, (id, from) => chart.choose(chart.find(id, from.started ?? from.arrived ?? 0))),
  onBroken: nextBroken,
  onEngine: nextView,
});

const named = (turn) => [turn.session, turn.name].filter(Boolean).join(", ");

function showSummary() {
  document.title = report.title;
  byId("title").textContent = report.title;
  const pairs = report.facts.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)));
  const longest = Math.max(...report.spans.map(([, ns]) => ns), 1);
  const bars = report.spans.flatMap(([name, ns]) => {
    const bar = element("i", { class: name });
    bar.style.width = `${(100 * ns) / longest}%`;
    return [element("span", {}, name), element("span", { class: "track" }, bar), element("span", { class: "value" }, amount(ns, report.estimated))];
  });
  byId("summary").append(element("dl", { class: "facts" }, ...pairs));
  if (bars.length) {
    byId("summary").append(element("div", {}, element("div", { class: "spans" }, ...bars), element("p", { class: "dim" }, report.spans_told)));
  }
  byId("notes").hidden = !report.notes.length;
  byId("notes").querySelector("ul").append(...report.notes.map((note) => element("li", {}, note)));
}

function showBroken(many) {
  const all = report.turns.flatMap((turn) => turn.broken.map((one) => ({ turn, one })));
  byId("violations").hidden = !all.length;
  byId("violations-title").textContent = counted(all.length, "broken rule");
  byId("violations-list").replaceChildren(...all.slice(0, many).map(({ turn, one }) => element("li", {},
    element("span", { class: "rule", title: one.statement }, one.rule),
    element("span", {}, element("button", { type: "button", class: "link", onclick: () => jump(turn, one) }, one.message), " ",
      element("span", { class: "where" }, `${named(turn)}, ${one.view}, ${amount(one.at, turn.estimated)}`)))));
  byId("violations-more").hidden = all.length <= many;
  byId("violations-more").onclick = () => showBroken(many + 10 * SHOWN);
}

function showTurn(turn, view) {
  shown.turn = turn;
  shown.broken = -1;
  byId("turn-title").textContent = named(turn);
  const names = Object.keys(turn.views || {});
  byId("views").replaceChildren(byId("views").firstElementChild, ...(names.length < 2 ? [] : names.map((name) => {
    const input = element("input", { type: "radio", name: "view", value: name, onchange: () => showView(name) });
    const ns = turn.spans[report.measures.indexOf(name)];
    return element("label", {}, input, name, ns === undefined ? null : element("span", { class: "dim" }, ` ${amount(ns, turn.estimated)}`));
  })));
  table.mark(turn);
  byId("previous").disabled = !table.beside(turn, -1);
  byId("next").disabled = !table.beside(turn, 1);
  showView(names.includes(view) ? view : names.includes(shown.view) ? shown.view : names[0]);
}

function showView(name) {
  const { turn } = shown;
  const course = turn.views && turn.views[name];
  for (const part of document.querySelectorAll(".split, #legend, #keys")) part.hidden = !course;
  for (const id of ["zoom-in", "zoom-out", "fit"]) byId(id).disabled = !course;
  byId("jump").hidden = !course || !turn.broken.some((one) => one.view === name);
  if (!course) {
    byId("turn-told").textContent = "Not drawn: the report has room for so many calls only, and kept the turns with more to see.";
    return;
  }
  const picked = document.querySelector(`#views input[value="${CSS.escape(name)}"]`);
  if (picked) picked.checked = true;
  shown.view = name;
  byId("turn-told").textContent = [...course.told, turn.note].filter(Boolean).join(" · ");
  course.estimated = turn.estimated;
  showDetails(null, [], course);
  // All views of a turn have one axis, so that they can be compared.
  const span = Math.max(...Object.values(turn.views).map((one) => one.span));
  chart.show(course, turn.broken.filter((one) => one.view === name), span, { anew: shown.drawn !== turn });
  shown.drawn = turn;
  note();
}

// The address keeps what is shown, so that it can be come back to and handed on.
function note() {
  history.replaceState(null, "", `#turn=${shown.turn.place + 1}&view=${encodeURIComponent(shown.view)}`);
}

function jump(turn, one) {
  if (shown.turn !== turn || shown.view !== one.view) showTurn(turn, one.view);
  shown.broken = turn.broken.filter((other) => other.view === shown.view).indexOf(one);
  byId("turn").scrollIntoView({ block: "start" });
  byId("rows").focus({ preventScroll: true });
  if (turn.views && shown.view === one.view) chart.jump(one);
}

function nextBroken() {
  const all = shown.turn.broken.filter((one) => one.view === shown.view);
  if (all.length) jump(shown.turn, all[(shown.broken + 1) % all.length]);
}

function nextView() {
  const names = Object.keys(shown.turn.views);
  showView(names[(names.indexOf(shown.view) + 1) % names.length]);
}

function choose(place, follow) {
  showTurn(report.turns[place]);
  if (!follow) return;
  byId("turn").scrollIntoView({ block: "start" });
  byId("turn-title").focus({ preventScroll: true });
}

function step(by) {
  const turn = table.beside(shown.turn, by);
  if (turn) showTurn(turn);
}

function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const turn = report.turns[Number(asked.get("turn")) - 1];
  if (turn) showTurn(turn, asked.get("view"));
  return Boolean(turn);
}

function nextTheme() {
  const root = document.documentElement;
  const names = ["auto", "light", "dark"];
  const name = names[(names.indexOf(root.dataset.theme || "auto") + 1) % names.length];
  if (name === "auto") delete root.dataset.theme;
  else root.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
}

showSummary();
showBroken(SHOWN);
showLegend();
const table = new Table(report, choose);
byId("turns").hidden = report.turns.length < 2;
byId("turn").hidden = !report.turns.length;
for (const [id, act] of Object.entries({
  theme: nextTheme, previous: () => step(-1), next: () => step(1), fit: () => chart.fit(), jump: nextBroken,
  "zoom-in": () => chart.zoom(1.6), "zoom-out": () => chart.zoom(1 / 1.6),
})) byId(id).addEventListener("click", act);
addEventListener("hashchange", fromAddress);
if (report.turns.length && !fromAddress()) {
  const first = report.turns[report.first];
  showTurn(first, first.broken.length ? first.broken[0].view : null);
}
