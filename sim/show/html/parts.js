// Making parts of the page. Whatever comes from a session goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const element = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
const drawn = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

// Amounts, as the text reports write them: three digits, an estimate two and a sign.

const S = 1e9;
const UNITS = [[7200 * S, 3600 * S, "h"], [120 * S, 60 * S, "min"], [S, S, "s"], [1e6, 1e6, "ms"], [1e3, 1e3, "µs"], [0, 1, "ns"]];

// Halves go to the even digit, as Python has it.
function rounded(value, digits) {
  const exact = value.toPrecision(60).replace(/\D/g, "").replace(/^0+|0+$/g, "");
  const isHalf = exact.length === digits + 1 && exact.endsWith("5");
  const down = isHalf && Number(exact[digits - 1]) % 2 === 0;
  return Number((down ? value * (1 - 1e-9) : value).toPrecision(digits));
}
function inUnit(ns, digits) {
  const size = Math.abs(rounded(ns, digits));
  if (!size) return "0 s";
  const [, whole, unit] = UNITS.find(([least]) => size >= least);
  return `${rounded(ns / whole, digits)} ${unit}`;
}
const precise = (ns) => inUnit(ns, 3);
const about = (ns) => (ns === 0 ? "0 s" : `${ns < 0 ? "-" : ""}≈${inUnit(Math.abs(ns), 2)}`);
const amount = (ns, estimated) => (ns === null || ns === undefined ? "?" : estimated ? about(ns) : precise(ns));
const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

const STEPS = [];
for (let power = 0; power < 10; power += 1) for (const factor of [1, 2, 5]) STEPS.push(factor * 10 ** power);
STEPS.push(...[10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200].map((s) => s * S));
for (let days = 1; days <= 1e5; days *= 2) STEPS.push(days * 86400 * S);

// Round instants between two, at most so many, and a writer that tells each from the next.
function ticks(from, to, most) {
  const step = STEPS.find((one) => (to - from) / one <= most) || to - from;
  const far = Math.max(Math.abs(from), Math.abs(to), step);
  let [, size, unit] = UNITS.find(([least]) => far >= least) || UNITS[5];
  if (unit === "h" && step < 1800 * S) [size, unit] = [60 * S, "min"];
  if (unit === "min" && step < 60 * S) [size, unit] = [S, "s"];
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
  const instants = [];
  for (let n = Math.ceil(from / step); n * step <= to; n += 1) instants.push(n * step);
  return { instants, write: (ns) => `${Number((ns / size).toFixed(decimals))} ${unit}` };
}
