// A call in words: what is shown beside the pointer, beside the drawing, and read aloud.

const CLASSES = { safe: "may run beside others", exclusive: "runs alone", none: "cannot run", unknown: "class not told" };

function ending(call) {
  return [call.outcome || "no result", call.abandoned && "abandoned", call.taken_back, call.untaken && "not taken"].filter(Boolean).join(", ");
}

const WAITS = {
  response: "for the rest of the response", exclusive: "because one of the two runs alone", limit: "for a free slot",
  predecessor: "for the attempt before", hook: "for its hooks", permission: "for permission",
  rewrite: "since a rewrite made it run alone", abort: "and never started: an abort came first",
};

// What is known of a call, as pairs of a name and a text; waits name the call whose end ended them.
function facts(call, course) {
  const time = (ns) => amount(ns, course.estimated || call.estimated);
  const at = (name, ns) => (ns === undefined ? [] : [[name, time(ns)]]);
  const lasted = (name, from, to) => (from === undefined || to === undefined ? [] : [[name, time(to - from)]]);
  return [
    ["ended as", ending(call)],
    ["class", CLASSES[call.class]],
    ...lasted("body", call.started, call.ended),
    ...lasted("arrival to result", call.arrived, call.emitted),
    ...(call.waits || []).map((wait) => ["waited", `${time(wait.to - wait.from)} ${WAITS[wait.why]}`, wait.call]),
    ...((call.settled ?? call.ended) < call.emitted ? lasted("result held", call.settled ?? call.ended, call.emitted) : []),
    ...at("arrived", call.arrived),
    ...at("admitted", call.admitted),
    ...(call.hooks || []).map(([name, from, to]) => ["hook", `${name}: ${time(from)} to ${time(to)}`]),
    ...at("asked", call.asked),
    ...at("answered", call.answered),
    ...at("body entered", call.started),
    ...at("told to stop", call.signalled),
    ...(call.progress ? [["progress", counted(call.progress.length, "time")]] : []),
    ...at("body left", call.ended),
    ...at("settled", call.settled),
    ...at("emitted", call.emitted),
    ...at("background until", call.later),
    ...(call.attempt ? [["attempt", String(call.attempt + 1)]] : []),
    ...(call.basis ? [["start known from", call.basis]] : []),
    ["id", call.id],
  ];
}

// What tells a call from others in little room: of a path, its end.
const brief = (call) => (call.about || call.id).replace(/^\S*\/(?=[^/\s]+$)/, "");

function spoken(call, course) {
  const [ended, kind, ...others] = facts(call, course);
  const body = others.find(([name]) => name === "body");
  return `${call.tool} ${call.about || call.id}: ${ended[1]}, ${kind[1]}${body ? `, ran ${body[1]}` : ""}`;
}

const tip = {
  show(event, call, course) {
    const box = byId("tip");
    const few = facts(call, course).slice(0, 4).map(([name, text, by]) => element("div", {}, `${name}: ${text}${by ? ` (${by})` : ""}`));
    box.replaceChildren(element("strong", {}, `${call.tool} ${call.about || call.id}`), ...few);
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - width - 8);
    const top = event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18;
    box.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
  },
  hide() {
    byId("tip").hidden = true;
  },
};

function showDetails(call, broken, course, choose) {
  const box = byId("details");
  if (!call) {
    box.replaceChildren(element("p", { class: "dim" }, course.calls.length ? "Choose a call to see what is known of it." : "This turn has no calls."));
    return;
  }
  const pairs = facts(call, course).flatMap(([name, text, by]) => {
    const other = by && course.calls.find((one) => one.id === by);
    const link = by && element("button", { type: "button", class: "link", onclick: () => choose(by, call) }, other ? `${other.tool} ${brief(other)}` : by);
    return [element("dt", {}, name), element("dd", {}, text, ...(by ? [", until ", link, " was over"] : []))];
  });
  box.replaceChildren(
    element("h3", {}, call.tool),
    ...(call.about ? [element("p", { class: "mono" }, call.about)] : []),
    ...broken.map((one, n) => element("div", { class: "broken" },
      element("strong", { class: "bad" }, `${one.rule} broken at ${amount(one.at, course.estimated)}`), element("p", {}, one.message),
      // A rule is stated once.
      broken.findIndex((other) => other.rule === one.rule) === n ? element("p", { class: "dim" }, `Rule: ${one.statement}`) : null)),
    element("dl", {}, ...pairs),
    ...(broken.length && broken[0].again ? [element("p", { class: "dim" }, "Again:"), element("p", { class: "mono" }, broken[0].again)] : []),
  );
}

function showLegend() {
  const sample = (text, ...parts) => element("li", {}, drawn("svg", { viewBox: "0 0 26 14", "aria-hidden": "true" }, ...parts), text);
  const box = (kind, height) => drawn("rect", { class: kind, x: 1, width: 24, y: 7 - height / 2, height, rx: 2 });
  const line = (kind) => drawn("line", { class: kind, x1: 0, x2: 26, y1: 7, y2: 7 });
  byId("legend").replaceChildren(
    sample("waits", line("queued")), sample("hooks", box("hook", 8)), sample("question", box("ask", 8)),
    sample("runs", box("run", 12)), sample("runs, does not end well", box("run fails", 12)),
    sample("told to stop", drawn("path", { class: "signal", d: cross(13, 7, 4) })),
    sample("result held back", line("held")), sample("emitted", drawn("circle", { class: "emitted", cx: 13, cy: 7, r: 3.5 })),
    sample("goes on in the background", box("later", 6)), sample("not told", line("untold")),
    sample("rule broken", drawn("path", { class: "mark", d: diamond(13, 7, 6) })),
    sample("may run beside others", drawn("circle", { class: "signal", cx: 13, cy: 7, r: 4 })), sample("runs alone", drawn("rect", { class: "emitted", x: 9, y: 3, width: 8, height: 8 })),
  );
}
