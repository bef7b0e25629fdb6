import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { Program, ProgramIo } from "../program.js";
import { Glob } from "../shell/expansion/glob.js";
import { workInSlices } from "../slices.js";
import { gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "./gnu-program.js";
import { eachLine, latin, LineReader, TextOutput } from "./latin-text.js";
import { baseName, contentOf } from "./options.js";
import { type Match, perlRegexp, posixRegexp, type PosixRegexp, RegexpError } from "./posix-regexp.js";

const FAILURE = 2;
const USAGE = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.";

/** grep, also as egrep and fgrep. The time of every pattern is at most proportional to the length of the line. */
export const grep: Program = gnuProgram(
  {
    letters: "EFGPivcqslLonhHrRwxaIzTUe:f:m:A:B:C:",
    long: {
      "extended-regexp": "E",
      "fixed-strings": "F",
      "basic-regexp": "G",
      "perl-regexp": "P",
      "ignore-case": "i",
      "invert-match": "v",
      count: "c",
      quiet: "q",
      silent: "q",
      "no-messages": "s",
      "files-with-matches": "l",
      "files-without-match": "L",
      "only-matching": "o",
      "line-number": "n",
      "no-filename": "h",
      "with-filename": "H",
      recursive: "r",
      "dereference-recursive": "R",
      "word-regexp": "w",
      "line-regexp": "x",
      text: "a",
      "null-data": "z",
      regexp: "e",
      file: "f",
      "max-count": "m",
      "after-context": "A",
      "before-context": "B",
      context: "C",
      include: "y:",
      exclude: "Y:",
      "line-buffered": "U",
      color: "K::",
      colour: "K::",
    },
    usageCode: FAILURE,
    usage: USAGE,
  },
  async (io, options) => {
    const operands = [...options.operands];
    const patterns = await patternsOf(io, options, operands);
    const search = new Search(io, options, matcherOf(io, options, patterns));
    return search.run(operands);
  },
);

/** The patterns; the first operand where no option gives one. */
async function patternsOf(io: ProgramIo, { given }: ParsedOptions, operands: string[]): Promise<string[]> {
  const patterns: string[] = [];
  let isGiven = false;
  for (const [letter, text] of given) {
    if (letter === "e") patterns.push(...latin(text).split("\n"));
    else if (letter === "f") {
      try {
        await eachLine(io, new LineReader(contentOf(io, text), io.memory), (line) => {
          io.memory.take(line.length);
          patterns.push(line);
        });
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        throw new ProgramFailure(`${text}: ${error.message}`, FAILURE);
      }
    } else continue;
    isGiven = true;
  }
  if (isGiven) return patterns;
  const first = operands.shift();
  if (first === undefined) throw new UsageError();
  return latin(first).split("\n");
}

/** The leftmost longest match at a place or behind it. */
type Find = (line: string, from: number) => Match | undefined;

function matcherOf(io: ProgramIo, { has }: ParsedOptions, patterns: readonly string[]): Find {
  const name = baseName(io.name);
  const finds = patterns.map((pattern) =>
    has("F") || name === "fgrep" ? textFind(pattern, has("i"), has("x")) : regexpFind(pattern, name, has),
  );
  const find: Find = (line, from) => {
    let best: Match | undefined;
    for (const one of finds) {
      const match = one(line, from);
      if (match === undefined) continue;
      const [start = 0, end = 0] = match;
      const [bestStart = 0, bestEnd = 0] = best ?? [Number.POSITIVE_INFINITY];
      if (start < bestStart || (start === bestStart && end > bestEnd)) best = match;
    }
    return best;
  };
  return has("w") && !has("x") ? wordFind(find) : find;
}

function textFind(pattern: string, ignoresCase: boolean, isWhole: boolean): Find {
  const text = ignoresCase ? pattern.toLowerCase() : pattern;
  return (line, from) => {
    const searched = ignoresCase ? line.toLowerCase() : line;
    if (isWhole) return searched === text && from === 0 ? [0, line.length] : undefined;
    const at = searched.indexOf(text, from);
    return at < 0 ? undefined : [at, at + text.length];
  };
}

function regexpFind(pattern: string, name: string, has: ParsedOptions["has"]): Find {
  const extended = has("E") || name === "egrep";
  const ignoreCase = has("i");
  let regexp: PosixRegexp;
  try {
    if (has("P")) regexp = perlRegexp(has("x") ? `^(?:${pattern})$` : pattern, ignoreCase);
    else {
      const whole = extended ? `^(${pattern})$` : `^\\(${pattern}\\)$`;
      // An error is that of the pattern itself.
      regexp = posixRegexp(pattern, { extended, ignoreCase, lenient: true });
      if (has("x")) regexp = posixRegexp(whole, { extended, ignoreCase, lenient: true });
    }
  } catch (error) {
    if (error instanceof RegexpError) throw new ProgramFailure(error.message, FAILURE);
    throw error;
  }
  return (line, from) => regexp.exec(line, from);
}

const isWordAt = (line: string, at: number): boolean => /\w/.test(line[at] ?? "");

/** Matches that no character of a word stands beside. */
const wordFind =
  (find: Find): Find =>
  (line, from) => {
    for (let match = find(line, from); match !== undefined; ) {
      const [start = 0, end = 0] = match;
      if (!isWordAt(line, start - 1) && !isWordAt(line, end)) return match;
      if (start >= line.length) return undefined;
      match = find(line, start + 1);
    }
    return undefined;
  };

/** Looks for the lines that match. */
class Search {
  readonly #out: TextOutput;
  readonly #end: string;
  readonly #most: number;
  readonly #before: number;
  readonly #after: number;
  #namesFiles: boolean;
  #found = false;
  #failed = false;
  /** Whether context has been shown, so that what comes later is set off. */
  #hasShown = false;

  constructor(
    private readonly io: ProgramIo,
    private readonly options: ParsedOptions,
    private readonly find: Find,
  ) {
    const { has } = options;
    this.#out = new TextOutput(io.stdout);
    this.#end = has("z") ? "\0" : "\n";
    this.#most = this.#number("m", Number.POSITIVE_INFINITY, "invalid max count");
    const context = this.#number("C", 0);
    this.#before = this.#number("B", context);
    this.#after = this.#number("A", context);
    this.#namesFiles = has("H");
  }

  #number(letter: string, usual: number, invalid?: string): number {
    const text = this.options.value(letter);
    if (text === undefined) return usual;
    if (!/^\d+$/.test(text)) throw new ProgramFailure(invalid ?? `${text}: invalid context length argument`, FAILURE);
    return Number(text);
  }

  async run(operands: readonly string[]): Promise<number> {
    const { has } = this.options;
    const recursive = has("rR");
    const files = operands.length > 0 ? operands : [recursive ? "." : "-"];
    if (!has("h") && (files.length > 1 || recursive)) this.#namesFiles = true;
    for (const file of files) {
      const isDirectory = file !== "-" && this.io.files.look(absolute(this.io.cwd, file))?.kind === "directory";
      if (recursive && isDirectory) await this.#folder(file, operands.length === 0);
      else await this.#guarded(file);
      if (this.#found && has("q")) return 0;
    }
    await this.#out.flush();
    return this.#failed ? FAILURE : Number(!this.#found);
  }

  async #folder(folder: string, isImplied: boolean): Promise<void> {
    const { files, cwd } = this.io;
    const waiting = [folder];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const node = files.look(absolute(cwd, path));
      if (node?.kind !== "directory") continue;
      for (const [name, entry] of files.entriesAt(absolute(cwd, path), node)) {
        const child = isImplied && path === "." ? name : path.endsWith("/") ? `${path}${name}` : `${path}/${name}`;
        this.io.memory.take(child.length);
        if (entry.kind === "directory") waiting.push(child);
        else if (entry.kind === "file" && entry.program === undefined && (await this.#isIncluded(name)))
          await this.#guarded(child);
        this.io.memory.give(child.length);
        if (this.#found && this.options.has("q")) return;
      }
    }
  }

  /** --include and --exclude. */
  async #isIncluded(name: string): Promise<boolean> {
    let [hasInclude, included] = [false, false];
    for (const [letter, pattern] of this.options.given) {
      if (letter !== "y" && letter !== "Y") continue;
      hasInclude ||= letter === "y";
      const matches = await workInSlices(Glob.of([{ text: pattern, quoted: false }]).matches(name), this.io);
      if (matches && letter === "Y") return false;
      included ||= matches;
    }
    return included || !hasInclude;
  }

  async #guarded(file: string): Promise<void> {
    try {
      await this.#file(file);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#failed = true;
      await this.#out.flush();
      if (!this.options.has("s")) await this.io.stderr.write(`${baseName(this.io.name)}: ${file}: ${error.message}\n`);
    }
  }

  async #file(file: string): Promise<void> {
    const { has } = this.options;
    const shown = file === "-" ? "(standard input)" : latin(file);
    const showsLines = !has("cqlL");
    const before: string[] = [];
    let [number, count, after, lastShown] = [0, 0, 0, -1];
    if (this.#most > 0) {
      const flush = (): Promise<void> => this.#out.flush();
      const reader = new LineReader(contentOf(this.io, file), this.io.memory, flush, this.#end.charCodeAt(0));
      await eachLine(this.io, reader, async (line) => {
        number += 1;
        const match = this.find(line, 0);
        if ((match !== undefined) !== has("v")) {
          count += 1;
          if (!showsLines) return has("qlL") || count >= this.#most;
          const first = number - before.length;
          if ((this.#before > 0 || this.#after > 0) && this.#hasShown && lastShown + 1 !== first && !has("o"))
            await this.#out.write("--\n");
          for (const [index, one] of before.entries()) await this.#line(shown, first + index, "-", one);
          for (const one of before.splice(0)) this.io.memory.give(one.length);
          if (!has("o")) await this.#line(shown, number, ":", line);
          else if (match !== undefined && !has("v")) await this.#matches(shown, number, line, match);
          [after, lastShown, this.#hasShown] = [this.#after, number, true];
          return count >= this.#most && after === 0;
        }
        if (after > 0 && showsLines) {
          await this.#line(shown, number, "-", line);
          after -= 1;
          lastShown = number;
          return count >= this.#most && after === 0;
        }
        if (this.#before > 0 && showsLines) {
          this.io.memory.take(line.length);
          before.push(line);
          if (before.length > this.#before) this.io.memory.give(before.shift()?.length ?? 0);
        }
        return false;
      });
    }
    const prefix = this.#namesFiles ? `${shown}:` : "";
    if (has("L") ? count === 0 : count > 0) this.#found = true;
    if (has("q")) return;
    if (has("l") || has("L")) {
      if (has("L") ? count === 0 : count > 0) await this.#out.write(`${shown}\n`);
    } else if (has("c")) await this.#out.write(`${prefix}${count}\n`);
  }

  #line(file: string, number: number, mark: string, line: string): Promise<void> | undefined {
    const name = this.#namesFiles ? file + mark : "";
    const place = this.options.has("n") ? `${number}${mark}` : "";
    return this.#out.write(name + place + line + this.#end);
  }

  async #matches(file: string, number: number, line: string, first: Match): Promise<void> {
    for (let match: Match | undefined = first; match !== undefined; ) {
      const start: number = match[0] ?? 0;
      const end: number = match[1] ?? 0;
      if (end > start) await this.#line(file, number, ":", line.slice(start, end));
      const next: number = end > start ? end : end + 1;
      match = next > line.length ? undefined : this.find(line, next);
    }
  }
}
