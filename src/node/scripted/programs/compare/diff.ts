import { FileError } from "../../files/file-error.js";
import { absolute } from "../../files/file-system.js";
import type { FileNode } from "../../files/node.js";
import type { Program, ProgramIo } from "../../program.js";
import { workInSlices } from "../../slices.js";
import { formatDate } from "../dates/format-date.js";
import { gnuProgram, type ParsedOptions, ProgramFailure } from "../gnu-program.js";
import { eachLine, latin, LineReader, TextOutput } from "../latin-text.js";
import { baseName, contentOf } from "../options.js";
import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import type { ContainerMemory } from "../../limits/memory-share.js";

const FAILURE = 2;
const USAGE = "diff: Try 'diff --help' for more information.";
const LINE_BYTES = 96;
const USUAL_CONTEXT = 3;

/** diff in its normal and its unified form, with -q, -s, -r, -N, -i, -w, -b and -B. */
export const diff: Program = gnuProgram(
  {
    letters: "uU:qsrNiwbBaL:",
    long: {
      unified: "W::",
      brief: "q",
      "report-identical-files": "s",
      recursive: "r",
      "new-file": "N",
      "ignore-case": "i",
      "ignore-all-space": "w",
      "ignore-space-change": "b",
      "ignore-blank-lines": "B",
      text: "a",
      label: "L",
      color: "K::",
    },
    usageCode: FAILURE,
    usage: USAGE,
  },
  async (io, options) => {
    const [first, second, extra] = options.operands;
    const missing = (after: string): ProgramFailure =>
      new ProgramFailure(`missing operand after '${after}'\n${USAGE}`, FAILURE);
    if (first === undefined) throw missing("diff");
    if (second === undefined) throw missing(first);
    if (extra !== undefined) throw new ProgramFailure(`extra operand '${extra}'\n${USAGE}`, FAILURE);
    const run = new Comparison(io, options);
    const code = await run.compare(first, second, undefined);
    await run.out.flush();
    return code;
  },
);

interface Text {
  readonly name: string;
  readonly lines: readonly string[];
  /** What is compared of each line. */
  readonly keys: readonly string[];
  readonly isUnended: boolean;
  readonly node: FileNode | undefined;
}

class Comparison {
  readonly out: TextOutput;
  readonly #context: number | undefined;

  constructor(
    private readonly io: ProgramIo,
    private readonly options: ParsedOptions,
  ) {
    this.out = new TextOutput(io.stdout);
    const text = options.value("U") ?? (options.value("W") || undefined);
    if (text !== undefined && !/^\d+$/.test(text))
      throw new ProgramFailure(`invalid context length '${text}'\n${USAGE}`, FAILURE);
    this.#context = text === undefined ? (options.has("uW") ? USUAL_CONTEXT : undefined) : Number(text);
  }

  /** `command` stands before the differences of files in folders. */
  async compare(first: string, second: string, command: string | undefined): Promise<number> {
    const [one, other] = [this.#look(first), this.#look(second)];
    const isFolder = (node: FileNode | undefined): boolean =>
      node?.kind === "directory" || (node === undefined && command !== undefined && this.options.has("N"));
    if ((one?.kind === "directory" || other?.kind === "directory") && isFolder(one) && isFolder(other))
      return this.#folders(first, second);
    if (one?.kind === "directory") return this.compare(`${first}/${baseName(second)}`, second, command);
    if (other?.kind === "directory") return this.compare(first, `${second}/${baseName(first)}`, command);
    const [a, b] = [await this.#text(first), await this.#text(second)];
    if (a === undefined || b === undefined) return FAILURE;
    const changes = (await workInSlices(editScript(a.keys, b.keys, this.io.memory), this.io)).filter(
      (change) => !this.options.has("B") || !isBlank(a, b, change),
    );
    const { has } = this.options;
    if (changes.length === 0) {
      if (has("s")) await this.out.write(`Files ${latin(first)} and ${latin(second)} are identical\n`);
      return 0;
    }
    if (has("q")) {
      await this.out.write(`Files ${latin(first)} and ${latin(second)} differ\n`);
      return 1;
    }
    if (command !== undefined) await this.out.write(`${latin(command)}\n`);
    if (this.#context === undefined) await this.#normal(a, b, changes);
    else await this.#unified(a, b, changes, this.#context);
    return 1;
  }

  #look(path: string): FileNode | undefined {
    return path === "-" ? undefined : this.io.files.look(absolute(this.io.cwd, path));
  }

  async #folders(first: string, second: string): Promise<number> {
    const entries = (path: string): ReadonlyMap<string, FileNode> => {
      const node = this.#look(path);
      return node?.kind === "directory" ? this.io.files.entriesAt(absolute(this.io.cwd, path), node) : new Map();
    };
    const [a, b] = [entries(first), entries(second)];
    const { has } = this.options;
    const typed = this.io.args.filter((arg) => arg.startsWith("-") && arg !== "-");
    const names = [...new Set([...a.keys(), ...b.keys()])].sort();
    let code = 0;
    for (const name of names) {
      const [one, other] = [`${first}/${name}`, `${second}/${name}`];
      const alone = !b.has(name) ? first : !a.has(name) ? second : undefined;
      if (alone !== undefined && !has("N")) {
        await this.out.write(`Only in ${latin(alone)}: ${latin(name)}\n`);
        code = Math.max(code, 1);
        continue;
      }
      if (a.get(name)?.kind === "directory" && b.get(name)?.kind === "directory" && !has("r")) {
        await this.out.write(`Common subdirectories: ${latin(one)} and ${latin(other)}\n`);
        continue;
      }
      code = Math.max(code, await this.compare(one, other, ["diff", ...typed, one, other].join(" ")));
    }
    return code;
  }

  async #text(name: string): Promise<Text | undefined> {
    const lines: string[] = [];
    const keys: string[] = [];
    const node = this.#look(name);
    try {
      if (name !== "-" && node === undefined && this.options.has("N"))
        return { name, lines, keys, isUnended: false, node };
      const reader = new LineReader(contentOf(this.io, name), this.io.memory);
      await eachLine(this.io, reader, (line) => {
        const key = this.#key(line);
        this.io.memory.take(LINE_BYTES + line.length + (key === line ? 0 : key.length));
        lines.push(line);
        keys.push(key);
      });
      // A last line without its end differs from one with it.
      if (reader.isUnended) keys[keys.length - 1] += UNENDED;
      return { name, lines, keys, isUnended: reader.isUnended, node };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      await this.out.flush();
      await this.io.stderr.write(`diff: ${name}: ${error.message}\n`);
      return undefined;
    }
  }

  #key(line: string): string {
    const { has } = this.options;
    let key = line;
    if (has("i")) key = key.toLowerCase();
    if (has("w")) key = key.replace(/[ \t\r\v\f]+/g, "");
    else if (has("b")) key = key.replace(/[ \t\r\v\f]+/g, " ").trimEnd();
    return key;
  }

  async #normal(a: Text, b: Text, changes: readonly Change[]): Promise<void> {
    for (const { from, to, newFrom, newTo } of changes) {
      const kind = from === to ? "a" : newFrom === newTo ? "d" : "c";
      const range = (start: number, end: number): string =>
        end - start > 1 ? `${start + 1},${end}` : String(end === start ? start : end);
      await this.out.write(`${range(from, to)}${kind}${range(newFrom, newTo)}\n`);
      await this.#lines(a, from, to, "< ");
      if (kind === "c") await this.out.write("---\n");
      await this.#lines(b, newFrom, newTo, "> ");
    }
  }

  async #lines(text: Text, from: number, to: number, mark: string): Promise<void> {
    for (let index = from; index < to; index += 1) {
      await this.out.write(`${mark}${text.lines[index] ?? ""}\n`);
      if (text.isUnended && index === text.lines.length - 1) await this.out.write("\\ No newline at end of file\n");
    }
  }

  async #unified(a: Text, b: Text, changes: readonly Change[], context: number): Promise<void> {
    const labels = this.options.given.filter(([letter]) => letter === "L").map(([, label]) => latin(label));
    for (const [index, text] of [a, b].entries()) {
      const time = formatDate("%Y-%m-%d %H:%M:%S.%N %z", (text.node?.mtime ?? this.io.clock.now() / 1000) * 1000);
      await this.out.write(`${index === 0 ? "---" : "+++"} ${labels[index] ?? `${latin(text.name)}\t${time}`}\n`);
    }
    for (const hunk of hunksOf(changes, context)) {
      const [first, last] = [hunk[0], hunk.at(-1)];
      if (first === undefined || last === undefined) continue;
      const [from, newFrom] = [Math.max(0, first.from - context), Math.max(0, first.newFrom - context)];
      const start = Math.min(first.from - from, first.newFrom - newFrom);
      const [begin, newBegin] = [first.from - start, first.newFrom - start];
      const rest = Math.min(context, a.lines.length - last.to, b.lines.length - last.newTo);
      const range = (at: number, end: number): string =>
        end - at === 1 ? String(end) : `${end === at ? at : at + 1},${end - at}`;
      await this.out.write(`@@ -${range(begin, last.to + rest)} +${range(newBegin, last.newTo + rest)} @@\n`);
      let at = begin;
      for (const { from: old, to, newFrom: fresh, newTo } of hunk) {
        await this.#lines(a, at, old, " ");
        await this.#lines(a, old, to, "-");
        await this.#lines(b, fresh, newTo, "+");
        at = to;
      }
      await this.#lines(a, at, last.to + rest, " ");
    }
  }
}

/** No line that is read ends so. */
const UNENDED = "\n";

const isBlank = (a: Text, b: Text, { from, to, newFrom, newTo }: Change): boolean =>
  [...a.lines.slice(from, to), ...b.lines.slice(newFrom, newTo)].every((line) => line === "");

/** Changes that stand close together are shown as one. */
function hunksOf(changes: readonly Change[], context: number): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const before = hunks.at(-1)?.at(-1);
    if (before !== undefined && change.from - before.to <= 2 * context) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

/** A range of lines in the first text that a range of the second one replaces; either may be empty. Lines count from 0, ends are exclusive. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Texts with more differences count as different as a whole, from there on. */
const MOST_DIFFERENCES = 2000;

/** Computes the smallest number of changes between two lists of keys (Myers, "An O(ND) Difference Algorithm"). */
export function* editScript(a: readonly string[], b: readonly string[], memory: ContainerMemory): Steps<Change[]> {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [n, m] = [endA - start, endB - start];
  const most = Math.min(n + m, MOST_DIFFERENCES);
  const pace = new Pace();
  /** The furthest places on each diagonal, after each difference. */
  const trace: Int32Array[] = [];
  let places = new Int32Array(2 * most + 3).fill(0);
  let held = 0;
  const at = (k: number): number => places[k + most + 1] ?? 0;
  let found = false;
  let depth = 0;
  search: for (; depth <= most; depth += 1) {
    const bytes = (2 * depth + 3) * 4;
    memory.take(bytes);
    held += bytes;
    trace.push(places.slice(most - depth, most + depth + 3));
    for (let k = -depth; k <= depth; k += 2) {
      let x = k === -depth || (k !== depth && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) {
        x += 1;
        y += 1;
        if (pace.isDue()) yield;
      }
      places[k + most + 1] = x;
      if (x >= n && y >= m) {
        found = true;
        break search;
      }
      if (pace.isDue()) yield;
    }
  }
  const changes: Change[] = [];
  if (!found) changes.push({ from: start, to: endA, newFrom: start, newTo: endB });
  else {
    let [x, y] = [n, m];
    for (let d = depth; d > 0; d -= 1) {
      const before = trace[d] ?? new Int32Array();
      const value = (k: number): number => before[k + d + 1] ?? 0;
      const k = x - y;
      const previous = k === -d || (k !== d && value(k - 1) < value(k + 1)) ? k + 1 : k - 1;
      const fromX = value(previous);
      const fromY = fromX - previous;
      const isInsertion = previous === k + 1;
      add(changes, start + fromX, start + fromY, isInsertion);
      [x, y] = [fromX, fromY];
      if (pace.isDue()) yield;
    }
    changes.reverse();
  }
  places = new Int32Array();
  memory.give(held);
  return changes;
}

/** Adds a line that goes or comes before the changes behind it. */
function add(changes: Change[], x: number, y: number, isInsertion: boolean): void {
  const one = { from: x, to: isInsertion ? x : x + 1, newFrom: y, newTo: isInsertion ? y + 1 : y };
  const next = changes.at(-1);
  if (next !== undefined && next.from === one.to && next.newFrom === one.newTo)
    changes[changes.length - 1] = { from: one.from, to: next.to, newFrom: one.newFrom, newTo: next.newTo };
  else changes.push(one);
}
