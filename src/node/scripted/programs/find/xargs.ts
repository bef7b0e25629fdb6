import type { Program, ProgramIo } from "../../program.js";
import { contentOf } from "../options.js";
import { errnoText, gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "../gnu-program.js";
import { eachLine, LineReader, unlatin } from "../latin-text.js";
import { runCommand } from "./run-command.js";

/** A command line has so many bytes at most; -s asks for fewer. */
const LONGEST_COMMAND = 128 * 1024;
const FAILED = 123;
const ABORTED = 124;
const ABORTS = 255;
const NAMELESS = 128;

export const xargs: Program = gnuProgram(
  {
    letters: "+0d:n:I:i::L:l::P:prs:tE:e::xa:",
    long: {
      null: "0",
      delimiter: "d",
      "max-args": "n",
      replace: "i",
      "max-lines": "l",
      "max-procs": "P",
      "no-run-if-empty": "r",
      "max-chars": "s",
      verbose: "t",
      exit: "x",
      "arg-file": "a",
    },
  },
  async (io, options) => {
    const run = new CommandLines(io, options);
    const { has, value } = options;
    const file = value("a") ?? "-";
    const separator = has("0") ? 0 : value("d") === undefined ? undefined : delimiterOf(value("d") ?? "");
    const reader = new LineReader(contentOf(io, file), io.memory, undefined, separator);
    try {
      if (separator !== undefined) await eachLine(io, reader, (item) => run.add(item, true));
      else await run.words(reader);
    } catch (error) {
      throw new ProgramFailure(`Cannot open input file '${file}': ${errnoText(error)}`);
    }
    return run.finish();
  },
);

function delimiterOf(text: string): number {
  const escapes: Readonly<Record<string, number>> = { "\\n": 10, "\\t": 9, "\\0": 0, "\\r": 13, "\\\\": 92 };
  const code = text.length === 1 ? text.charCodeAt(0) : Object.hasOwn(escapes, text) ? escapes[text] : undefined;
  if (code === undefined) {
    throw new ProgramFailure(
      `Invalid input delimiter specification ${text}: the delimiter must be either a single character or an escape sequence starting with \\.`,
    );
  }
  return code;
}

/** Puts command lines together and runs them, one after the other. */
class CommandLines {
  readonly #command: readonly string[];
  readonly #replaced: string | undefined;
  readonly #most: number;
  readonly #mostLines: number;
  readonly #longest: number;
  #items: string[] = [];
  #length = 0;
  #lines = 0;
  #hasRun = false;
  #code = 0;
  /** No further command runs. */
  #isOver = false;

  constructor(
    private readonly io: ProgramIo,
    private readonly options: ParsedOptions,
  ) {
    const { operands, has, value } = options;
    this.#command = operands.length === 0 ? ["echo"] : operands;
    this.#replaced = has("I") ? value("I") : has("i") ? value("i") || "{}" : undefined;
    const number = (letter: string, usual: number, least = 1): number => {
      const text = value(letter);
      if (text === undefined || (text === "" && letter === "l")) return has(letter) ? 1 : usual;
      if (!/^\d+$/.test(text)) throw new UsageError(`invalid number "${text}" for -${letter} option`);
      if (Number(text) < least) throw new UsageError(`value ${text} for -${letter} option should be >= ${least}`);
      return Number(text);
    };
    number("P", 1, 0);
    this.#most = number("n", Number.POSITIVE_INFINITY);
    this.#mostLines = Math.min(number("L", Number.POSITIVE_INFINITY), number("l", Number.POSITIVE_INFINITY));
    this.#longest = Math.min(LONGEST_COMMAND, number("s", LONGEST_COMMAND));
    this.#length = this.#base;
  }

  get #base(): number {
    return this.#command.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  }

  /** Items that blanks and line feeds separate, with quotes and backslashes. */
  async words(reader: LineReader): Promise<void> {
    const end = this.options.value("E") ?? this.options.value("e");
    /** What a backslash at the end of a line joins with the next. */
    let joined = "";
    await eachLine(this.io, reader, async (line) => {
      const text = joined + line;
      if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text) && this.#replaced === undefined) {
        joined = `${text}\n`;
        return false;
      }
      joined = "";
      if (this.#replaced !== undefined) {
        const item = unquoted(text.replace(/^[ \t]+/, ""), false)[0];
        return item === undefined ? false : this.add(item, true);
      }
      const items = unquoted(text, true);
      const endsAt = end === undefined || end === "" ? -1 : items.indexOf(end);
      const chosen = endsAt < 0 ? items : items.slice(0, endsAt);
      for (const [index, item] of chosen.entries()) {
        // A blank at the end of a line joins the next one to it.
        const isLast = index === chosen.length - 1 && !/[ \t]$/.test(text);
        if (await this.add(item, isLast)) return true;
      }
      return endsAt >= 0;
    });
  }

  /** Answers true where no further item is wanted. */
  async add(item: string, endsLine: boolean): Promise<boolean> {
    if (this.#isOver) return true;
    if (this.#replaced !== undefined) {
      const { io } = this;
      const argv = this.#command.map((word) => word.replaceAll(this.#replaced ?? "{}", () => unlatin(item)));
      io.memory.take(item.length);
      await this.#run(argv);
      io.memory.give(item.length);
      return this.#isOver;
    }
    if (this.#base + item.length + 1 > this.#longest)
      throw new ProgramFailure("cannot fit single argument within argument list size limit");
    if (this.#length + item.length + 1 > this.#longest) await this.#runItems();
    this.io.memory.take(item.length + 1);
    this.#items.push(item);
    this.#length += item.length + 1;
    if (endsLine) this.#lines += 1;
    if (this.#items.length >= this.#most || this.#lines >= this.#mostLines) await this.#runItems();
    return this.#isOver;
  }

  async finish(): Promise<number> {
    const runsWithoutItems = !this.#hasRun && !this.options.has("r") && this.#replaced === undefined;
    if (!this.#isOver && (this.#items.length > 0 || runsWithoutItems)) await this.#runItems();
    return this.#code;
  }

  async #runItems(): Promise<void> {
    const items = this.#items;
    this.io.memory.give(this.#length - this.#base);
    [this.#items, this.#length, this.#lines] = [[], this.#base, 0];
    await this.#run([...this.#command, ...items.map(unlatin)]);
  }

  async #run(argv: readonly string[]): Promise<void> {
    const { io } = this;
    this.#hasRun = true;
    if (this.options.has("t")) await io.stderr.write(`${argv.map(shown).join(" ")}\n`);
    const end = await runCommand(io, argv);
    if ("reason" in end) {
      await io.stderr.write(`xargs: ${argv[0] ?? ""}: ${end.reason}\n`);
      [this.#code, this.#isOver] = [end.code, true];
    } else if (end.code === ABORTS) {
      await io.stderr.write(`xargs: ${argv[0] ?? ""}: exited with status 255; aborting\n`);
      [this.#code, this.#isOver] = [ABORTED, true];
    } else if (end.code > NAMELESS) {
      await io.stderr.write(`xargs: ${argv[0] ?? ""}: terminated by signal ${end.code - NAMELESS}\n`);
      [this.#code, this.#isOver] = [ABORTED + 1, true];
    } else if (end.code !== 0) this.#code = FAILED;
  }
}

/** The words of a line, or the line as one, without its quotes and backslashes. */
function unquoted(text: string, splits: boolean): string[] {
  const items: string[] = [];
  const piece = /\\([^])|'([^']*)'|"([^"]*)"|(['"])|([ \t\n\v\f\r]+)|([^\\'" \t\n\v\f\r]+)|\\/y;
  let item: string | undefined;
  while (piece.lastIndex < text.length) {
    const [whole, escaped, single, double, open, blanks, plain] = piece.exec(text) ?? [];
    if (open !== undefined) {
      throw new ProgramFailure(
        `unmatched ${open === "'" ? "single" : "double"} quote; by default quotes are special to xargs unless you use the -0 option`,
      );
    }
    if (blanks !== undefined && splits) {
      if (item !== undefined) items.push(item);
      item = undefined;
    } else item = (item ?? "") + (escaped ?? single ?? double ?? plain ?? whole ?? "");
  }
  if (item !== undefined) items.push(item);
  return items;
}

/** A word as -t shows it. */
const shown = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
