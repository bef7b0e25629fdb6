import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import type { Program } from "../../program.js";
import { workInSlices } from "../../slices.js";
import { gnuProgram, UsageError } from "../gnu-program.js";
import { eachLine, latin, readEach, TextOutput } from "../latin-text.js";

/** The first and the last one, from 1 on. */
type Range = readonly [from: number, to: number];

export const cut: Program = gnuProgram(
  {
    letters: "b:c:f:d:nsz",
    long: {
      bytes: "b",
      characters: "c",
      fields: "f",
      delimiter: "d",
      "only-delimited": "s",
      complement: "C",
      "output-delimiter": "o:",
      "zero-terminated": "z",
    },
  },
  cutWith,
);

async function cutWith(...[io, options]: Parameters<Parameters<typeof gnuProgram>[1]>): Promise<number> {
  const { given, operands, has, value } = options;
  const lists = given.filter(([letter]) => "bcf".includes(letter));
  const [kind, list] = lists[0] ?? [];
  if (kind === undefined || list === undefined)
    throw new UsageError("you must specify a list of bytes, characters, or fields");
  if (lists.length > 1) throw new UsageError("only one list may be specified");
  const delimiter = latin(value("d") ?? "\t") || "\0";
  if (delimiter.length > 1) throw new UsageError("the delimiter must be a single character");
  const ofFields = kind === "f";
  if (!ofFields && has("d")) throw new UsageError("an input delimiter may be specified only when operating on fields");
  if (!ofFields && has("s"))
    throw new UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
  const listed = rangesOf(list, ofFields ? "field" : "byte/character");
  const ranges = has("C") ? complement(listed) : listed;
  const joint = has("o") ? latin(value("o") ?? "") : undefined;
  const end = has("z") ? "\0" : "\n";
  const out = new TextOutput(io.stdout);
  return readEach(
    io,
    operands,
    out,
    (reader) =>
      eachLine(io, reader, async (line) => {
        if (!ofFields) return out.write(cutBytes(line, ranges, joint ?? "") + end);
        if (!line.includes(delimiter)) return has("s") ? undefined : out.write(line + end);
        return out.write((await workInSlices(cutFields(line, ranges, delimiter, joint), io)) + end);
      }),
    { delimiter: end.charCodeAt(0) },
  );
}

function rangesOf(list: string, unit: string): Range[] {
  const ranges = list.split(/[, \t]/).map((text): Range => {
    const [whole, from = "", dash = "", to = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(text) ?? [];
    if (whole === undefined) {
      const kind = unit === "field" ? "field value" : "byte/character position";
      throw new UsageError(`invalid ${kind} '${text.replace(/^\d*-?/, "")}'`);
    }
    if (whole === "-") throw new UsageError("invalid range with no endpoint: -");
    const first = from === "" && dash !== "" ? 1 : Number(from);
    const last = dash === "" ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to);
    if (first === 0 || (last === 0 && from === ""))
      throw new UsageError(
        unit === "field" ? "fields are numbered from 1" : "byte/character positions are numbered from 1",
      );
    if (last < first) throw new UsageError("invalid decreasing range");
    return [first, last];
  });
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1]) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function complement(ranges: readonly Range[]): Range[] {
  const others: Range[] = [];
  let next = 1;
  for (const [from, to] of ranges) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  if (next !== Number.POSITIVE_INFINITY) others.push([next, Number.POSITIVE_INFINITY]);
  return others;
}

const cutBytes = (line: string, ranges: readonly Range[], joint: string): string =>
  ranges
    .filter(([from]) => from <= line.length)
    .map(([from, to]) => line.slice(from - 1, to))
    .join(joint);

function* cutFields(
  line: string,
  ranges: readonly Range[],
  delimiter: string,
  joint: string | undefined,
): Steps<string> {
  const pace = new Pace();
  let result: string | undefined;
  let field = 1;
  let start = 0;
  for (const [from, to] of ranges) {
    for (; field < from; field += 1) {
      const next = line.indexOf(delimiter, start);
      if (next < 0) return result ?? "";
      start = next + 1;
      if (pace.isDue()) yield;
    }
    let end = to === Number.POSITIVE_INFINITY ? line.length : start - 1;
    for (; field <= to && end < line.length; field += 1) {
      const next = line.indexOf(delimiter, end + 1);
      end = next < 0 ? line.length : next;
      if (pace.isDue()) yield;
    }
    const text = line.slice(start, end);
    const piece = joint === undefined ? text : text.replaceAll(delimiter, () => joint);
    result = result === undefined ? piece : result + (joint ?? delimiter) + piece;
    if (end >= line.length) break;
    start = end + 1;
  }
  return result ?? "";
}
