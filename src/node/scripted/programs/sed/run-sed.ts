import { dictionary } from "../../../../base/collections/dictionary.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { absolute, type FileWriter } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { giveWay } from "../../slices.js";
import { errnoText, ProgramFailure } from "../gnu-program.js";
import { latin, LineReader, LongText, TextOutput, unlatin } from "../latin-text.js";
import type { Match, PosixRegexp } from "../posix-regexp.js";
import type { Address, Command, ReplacementPart, Substitution } from "./sed-script.js";
import type { SedInput } from "./sed-input.js";

export interface SedOptions {
  /** -n: prints nothing by itself. */
  readonly quiet: boolean;
  readonly delimiter: string;
  /** How wide the lines of l are. */
  readonly lineLength: number;
}

/** Spaces that grow by less are not counted anew. */
const COUNTED_BYTES = 4096;
/** So many matches of one line are replaced before others get their turn. */
const MATCHES_PER_STEP = 256;

type Next = "cycle" | "restart" | "end";

/** Runs a script over its input. */
export class SedRun {
  #space = "";
  #hold = "";
  /** Bytes of both that count as the program's memory. */
  #counted = 0;
  #lastRegexp: PosixRegexp | undefined;
  #substituted = false;
  /** What a, r and R put behind the line. */
  #appended: (() => Promise<void>)[] = [];
  readonly #writers = new Map<string, FileWriter | TextOutput>();
  readonly #readers = new Map<string, LineReader>();
  /** The exit code that q or Q named. */
  #quits: number | undefined;

  constructor(
    private readonly io: ProgramIo,
    private readonly commands: readonly Command[],
    private readonly input: SedInput,
    private readonly options: SedOptions,
  ) {}

  /** Answers the exit code. */
  async run(): Promise<number> {
    for (const { name, text, substitution } of this.commands) {
      if (name === "w" || name === "W") this.#writer(text);
      if (substitution?.file !== undefined) this.#writer(substitution.file);
    }
    let next: Next = "cycle";
    while (next !== "end") {
      if (next === "cycle") {
        const line = await this.input.next();
        if (line === undefined) break;
        this.#space = line;
      }
      next = await this.#cycle();
    }
    return this.#quits ?? 0;
  }

  async #cycle(): Promise<Next> {
    this.#substituted = false;
    const { commands, io } = this;
    for (let at = 0; at < commands.length; at += 1) {
      if (sliceIsSpent()) await giveWay(io);
      const command = commands[at] as Command;
      const chosen = this.#chooses(command);
      if ((typeof chosen === "boolean" ? chosen : await chosen) === command.negated) {
        if (command.name === "{") at = command.target - 1;
        continue;
      }
      const result = this.#execute(command);
      const next = typeof result === "object" ? await result : result;
      if (next === undefined) continue;
      if (typeof next === "number") at = next - 1;
      else if (next === "delete" || next === "restart") {
        await this.#appends();
        return next === "delete" ? "cycle" : "restart";
      } else {
        // Q ends the script without printing the line.
        if (next === "quit") await this.#print();
        return "end";
      }
    }
    await this.#print();
    return "cycle";
  }

  /** The end of a cycle. */
  async #print(): Promise<void> {
    if (!this.options.quiet) await this.#writeSpace();
    if (this.#appended.length > 0) await this.#appends();
  }

  #writeSpace(): Promise<void> | undefined {
    return this.input.write(this.#space, this.input.isUnended ? "" : this.options.delimiter);
  }

  async #appends(): Promise<void> {
    const appended = this.#appended;
    this.#appended = [];
    for (const append of appended) await append();
  }

  #chooses(command: Command): boolean | Promise<boolean> {
    const { from, to } = command;
    if (from === undefined) return true;
    if (to === undefined) return this.#matches(from);
    return this.#inRange(command, from, to);
  }

  #matches(address: Address): boolean | Promise<boolean> {
    const line = this.input.line;
    switch (address.kind) {
      case "line":
        return line === address.line;
      case "step":
        return line >= address.first && (line - address.first) % address.step === 0;
      case "last":
        return this.input.isLast();
      case "regexp":
        return this.#match(address.regexp, 0) !== undefined;
      case "more":
      case "multiple":
        return false;
    }
  }

  async #inRange(command: Command, from: Address, to: Address): Promise<boolean> {
    const { line } = this.input;
    if (!command.isActive) {
      if (!(await this.#matches(from))) return false;
      if (to.kind === "line") command.end = to.line;
      else if (to.kind === "more") command.end = line + to.count;
      else if (to.kind === "multiple") command.end = to.of === 0 ? line : line - (line % to.of) + to.of;
      else {
        command.isActive = true;
        return true;
      }
      command.isActive = command.end > line;
      return true;
    }
    if (to.kind === "line" || to.kind === "more" || to.kind === "multiple") {
      command.isActive = command.end > line;
      if (line <= command.end) return true;
      return from.kind !== "line" && (await this.#inRange(command, from, to));
    }
    if (await this.#matches(to)) command.isActive = false;
    return true;
  }

  #match(regexp: PosixRegexp | undefined, from: number): Match | undefined {
    const used = regexp ?? this.#lastRegexp;
    if (used === undefined) throw new ProgramFailure("-e expression #1, char 0: no previous regular expression");
    this.#lastRegexp = used;
    return used.exec(this.#space, from);
  }

  #count(): void {
    const bytes = this.#space.length + this.#hold.length;
    if (Math.abs(bytes - this.#counted) < COUNTED_BYTES) return;
    if (bytes > this.#counted) this.io.memory.take(bytes - this.#counted);
    else this.io.memory.give(this.#counted - bytes);
    this.#counted = bytes;
  }

  /** A number is the command that comes next. */
  #execute(command: Command): Outcome | Promise<Outcome> {
    switch (command.name) {
      case "s":
        return this.#substitute(command.substitution as Substitution);
      case "y": {
        let changed = "";
        for (const char of this.#space) changed += command.letters?.get(char) ?? char;
        this.#space = changed;
        return undefined;
      }
      case "d":
        return "delete";
      case "D": {
        const end = this.#space.indexOf("\n");
        if (end < 0) return "delete";
        this.#space = this.#space.slice(end + 1);
        return "restart";
      }
      case "p":
        return this.#writeSpace();
      case "P":
        return this.input.write(this.#space.split("\n", 1)[0] ?? "", "\n");
      case "g":
        this.#space = this.#hold;
        return undefined;
      case "G":
        this.#space += `\n${this.#hold}`;
        this.#count();
        return undefined;
      case "h":
        this.#hold = this.#space;
        this.#count();
        return undefined;
      case "H":
        this.#hold += `\n${this.#space}`;
        this.#count();
        return undefined;
      case "x":
        [this.#space, this.#hold] = [this.#hold, this.#space];
        return undefined;
      case "z":
        this.#space = "";
        return undefined;
      case "b":
        return command.target;
      case "t":
      case "T": {
        const jumps = this.#substituted === (command.name === "t");
        this.#substituted = false;
        return jumps ? command.target : undefined;
      }
      case "n":
      case "N":
        return this.#more(command.name === "N");
      case "q":
      case "Q":
        this.#quits = command.number ?? 0;
        return command.name === "q" ? "quit" : "end";
      default:
        return this.#output(command);
    }
  }

  async #more(joins: boolean): Promise<Outcome> {
    // Without a next line the script ends.
    if (await this.input.isLast()) return "quit";
    if (!joins && !this.options.quiet) await this.#writeSpace();
    await this.#appends();
    const line = await this.input.next();
    if (line === undefined) return "end";
    this.#space = joins ? `${this.#space}\n${line}` : line;
    this.#count();
    return undefined;
  }

  #output({ name, text, number, from, to, negated, isActive }: Command): Outcome | Promise<Outcome> {
    const { input } = this;
    switch (name) {
      case "a":
        this.#appended.push(async () => input.write(text, ""));
        return undefined;
      case "i":
        return input.write(text, "");
      case "c":
        return this.#change(text, from !== undefined && to !== undefined && !negated && isActive);
      case "=":
        return input.write(`${input.line}`, "\n");
      case "l":
        return input.write(unambiguous(this.#space, number ?? this.options.lineLength), "\n");
      case "F":
        return input.write(latin(input.fileName), "\n");
      case "r":
        this.#appended.push(() => this.#appendFile(text));
        return undefined;
      case "R":
        this.#appended.push(() => this.#appendLine(text));
        return undefined;
      case "w":
        return this.#writeTo(text, `${this.#space}\n`);
      case "W":
        return this.#writeTo(text, `${this.#space.split("\n", 1)[0] ?? ""}\n`);
      default:
        return undefined;
    }
  }

  async #change(text: string, inRange: boolean): Promise<Outcome> {
    if (!inRange) await this.input.write(text, "");
    return "delete";
  }

  async #appendFile(text: string): Promise<void> {
    try {
      const path = unlatin(text);
      const content = path === "/dev/stdin" ? this.io.stdin : this.io.files.read(absolute(this.io.cwd, path));
      for await (const chunk of content) await this.input.write(Buffer.from(chunk).toString("latin1"), "");
    } catch (error) {
      // A file that cannot be read is as an empty one.
      errnoText(error);
    }
  }

  async #appendLine(text: string): Promise<void> {
    try {
      let reader = this.#readers.get(text);
      if (reader === undefined) {
        reader = new LineReader(this.io.files.read(absolute(this.io.cwd, unlatin(text))), this.io.memory);
        this.#readers.set(text, reader);
      }
      const line = await reader.next();
      if (line !== undefined) await this.input.write(line, reader.isUnended ? "" : "\n");
    } catch (error) {
      errnoText(error);
    }
  }

  #writer(name: string): FileWriter | TextOutput {
    const known = this.#writers.get(name);
    if (known !== undefined) return known;
    const path = unlatin(name);
    let writer: FileWriter | TextOutput;
    if (path === "/dev/stderr") writer = new TextOutput(this.io.stderr);
    else {
      try {
        writer = this.io.files.open(absolute(this.io.cwd, path));
      } catch (error) {
        throw new ProgramFailure(`couldn't open file ${path}: ${errnoText(error)}`, 4);
      }
    }
    this.#writers.set(name, writer);
    return writer;
  }

  async #writeTo(name: string, text: string): Promise<undefined> {
    if (unlatin(name) === "/dev/stdout") {
      await this.input.write(text, "");
      return undefined;
    }
    const writer = this.#writer(name);
    if (writer instanceof TextOutput) {
      await writer.write(text);
      await writer.flush();
    } else await writer.write(Buffer.from(text, "latin1"));
    return undefined;
  }

  async #substitute(substitution: Substitution): Promise<undefined> {
    const { global, number, regexp, replacement } = substitution;
    let match = this.#match(regexp, 0);
    if (match === undefined) return undefined;
    const space = this.#space;
    const result = new LongText();
    let at = 0;
    let replaced = 0;
    for (let count = 1; match !== undefined; count += 1) {
      const [start = 0, end = 0] = match;
      result.add(space.slice(at, start));
      if (count < number) result.add(space.slice(start, end));
      else {
        result.add(replaceMatch(replacement, space, match));
        replaced += 1;
        if (replaced % MATCHES_PER_STEP === 0 && sliceIsSpent()) await giveWay(this.io);
      }
      at = end;
      if (count >= number && !global) break;
      if (end > start) {
        match = this.#match(regexp, end);
        // No empty match is right behind another one.
        if (match?.[0] === end && match[1] === end) {
          if (end >= space.length) break;
          result.add(space[end] ?? "");
          at = end + 1;
          match = this.#match(regexp, at);
        }
      } else {
        if (end >= space.length) break;
        result.add(space[end] ?? "");
        at = end + 1;
        match = this.#match(regexp, at);
      }
    }
    if (replaced === 0) return undefined;
    result.add(space.slice(at));
    this.#space = result.toString();
    this.#substituted = true;
    this.#count();
    if (substitution.prints) await this.#writeSpace();
    if (substitution.file !== undefined) await this.#writeTo(substitution.file, `${this.#space}\n`);
    return undefined;
  }
}

type Outcome = number | "delete" | "restart" | "quit" | "end" | undefined | void;

function replaceMatch(parts: readonly ReplacementPart[], space: string, match: Match): string {
  let result = "";
  let letters: ReplacementPart["letters"];
  let nextLetter: ReplacementPart["nextLetter"];
  for (const part of parts) {
    if (part.letters !== undefined) letters = part.letters;
    if (part.nextLetter !== undefined) nextLetter = part.nextLetter;
    const { group } = part;
    let text = part.text;
    if (group !== undefined) {
      const start = match[2 * group] ?? -1;
      text = start < 0 ? "" : space.slice(start, match[2 * group + 1]);
    }
    if (text === "") continue;
    if (letters === "L" || letters === "U") text = inCase(text, letters === "U");
    if (nextLetter !== undefined) text = inCase(text.slice(0, 1), nextLetter === "u") + text.slice(1);
    nextLetter = undefined;
    result += text;
  }
  return result;
}

/** Letters of ASCII alone, as C's locale has it. */
const inCase = (text: string, upper: boolean): string =>
  upper
    ? text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
    : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const SHOWN: Readonly<Record<string, string>> = dictionary({
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
});

/** As l prints a line. */
function unambiguous(text: string, width: number): string {
  let result = "";
  let column = 0;
  for (const char of text) {
    const shown = SHOWN[char] ?? (/[ -~]/.test(char) ? char : `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
    if (width > 1 && column + shown.length > width - 1) {
      result += "\\\n";
      column = 0;
    }
    result += shown;
    column += shown.length;
  }
  return `${result}$`;
}
