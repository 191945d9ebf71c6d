// Numbers as the program prints them (src/core/base/number_text.cc, src/core/document/cell_text.cc).

const kDecimal = ["", " k", " M", " G", " T", " P", " E"];
const kBinary = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
const kJoules = [" pJ", " nJ", " µJ", " mJ", " J", " kJ", " MJ"];
const kSeconds = [" ps", " ns", " µs", " ms", " s"];

/** toFixed, but a half goes to the even neighbour, as in C++: 784.25 is 784.2. */
function fixed(number, decimals) {
  const scaled = Math.abs(number) * 10 ** decimals, below = Math.floor(scaled);
  // A product may round to a half that the number is not; its digits say whether it is one.
  if (scaled - below !== 0.5 || !/^\d*50*$/.test(number.toFixed(decimals + 40).split(".")[1].slice(decimals)))
    return number.toFixed(decimals);
  const even = below % 2 === 0 ? below : below + 1;
  return (Math.sign(number) * even / 10 ** decimals).toFixed(decimals);
}

function significant(number) {
  const size = Math.abs(number);
  return fixed(number, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

function withPrefix(number, base, prefixes) {
  let prefix = 0;
  // 999.95 would print as 1000.0 with the smaller prefix.
  while (prefix + 1 < prefixes.length && Math.abs(number) >= base * 0.99995) {
    number /= base;
    ++prefix;
  }
  if (prefix === 0 && Number.isInteger(number)) return String(number) + prefixes[0];
  return significant(number) + prefixes[prefix];
}

function humanSeconds(seconds) {
  if (seconds === 0) return "0 s";
  if (seconds >= 1) return significant(seconds) + " s";
  return withPrefix(seconds * 1e12, 1000, kSeconds);
}

function grouped(number) {
  return Math.round(number).toLocaleString("en-US");
}

/** Four digits, small numbers with an exponent: 4.353e-05. */
function general(number) {
  if (number === 0 || Math.abs(number) >= 1e-4) return String(Number(number.toPrecision(4)));
  return number.toExponential(3).replace(/\.?0*e/, "e").replace(/e-(\d)$/, "e-0$1");
}

/** @param {number} number @param {string} unit @param {boolean} exact every digit */
function numberText(number, unit, exact) {
  switch (unit) {
    case "percent":
    case "decibels":
      return fixed(number, 1);
    case "number":
      return exact ? String(number) : general(number);
    case "megabytes":
    case "flops_per_byte":
      return fixed(number, 2);
    case "picojoules":
      return exact ? grouped(number) : withPrefix(number, 1000, kJoules);
    case "bytes":
      return exact ? grouped(number) : withPrefix(number, 1024, kBinary);
    case "seconds":
      return exact ? number.toFixed(9) : humanSeconds(number);
    default:
      return exact ? grouped(number) : withPrefix(number, 1000, kDecimal);
  }
}

/** `12.3 %` of a share between 0 and 1. */
function shareText(share) {
  return (100 * share).toFixed(1) + " %";
}

/** The number in a cell, or null. */
function numberOf(cell) {
  if (typeof cell === "number") return cell;
  return cell !== null && typeof cell === "object" && typeof cell.v === "number" ? cell.v : null;
}

/** The same in a sum, to which what runs in the kernel of another layer, or not at all, adds nothing. */
function partOf(cell) {
  const number = numberOf(cell);
  const isElsewhere = cell !== null && typeof cell === "object" && cell.v === null && cell.x === undefined;
  return number === null && isElsewhere ? 0 : number;
}

/** A cell as people read it. */
function cellText(cell, unit, exact) {
  if (cell === null || cell === undefined) return "?";
  if (typeof cell === "number") return numberText(cell, unit, exact);
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "string") return cell;
  return exact && cell.x !== undefined ? cell.x : cell.t;
}
