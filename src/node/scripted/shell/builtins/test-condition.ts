import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { absolute, type FileSystem } from "../../files/file-system.js";
import { type FileNode, sizeOf } from "../../files/node.js";

/** Thrown for operands that `test` cannot evaluate. */
export class ConditionError extends Error {}

/** How deep parentheses may stand in parentheses. */
const MOST_NESTED = 500;
/** A look at a file costs about as much as so many steps of other walks. */
const LOOKS_PER_STEP = 32;

/** Evaluates the condition of `test` and `[`. */
export function condition(
  operands: readonly string[],
  files: FileSystem,
  cwd: string,
  terminal: boolean,
): Steps<boolean> {
  const look: Look = (path, follow = true, toWrite = false) => files.look(absolute(cwd, path), { follow, toWrite });
  return new Condition(operands, look, terminal).value();
}

/** Finds the file at a path; with `follow` false the link itself, with `toWrite` only a writable file. */
export type Look = (path: string, follow?: boolean, toWrite?: boolean) => FileNode | undefined;

class Condition {
  readonly #pace = new Pace(LOOKS_PER_STEP);
  #at = 0;
  #depth = 0;

  constructor(
    private readonly operands: readonly string[],
    private readonly look: Look,
    private readonly terminal: boolean,
  ) {}

  *value(): Steps<boolean> {
    if (this.operands.length === 0) return false;
    const value = yield* this.#either();
    if (this.#at < this.operands.length)
      throw new ConditionError(`${this.operands[this.#at] ?? ""}: unexpected operator`);
    return value;
  }

  *#either(): Steps<boolean> {
    let value = yield* this.#both();
    while (this.operands[this.#at] === "-o") {
      this.#at += 1;
      value = (yield* this.#both()) || value;
    }
    return value;
  }

  *#both(): Steps<boolean> {
    let value = yield* this.#primary();
    while (this.operands[this.#at] === "-a") {
      this.#at += 1;
      value = (yield* this.#primary()) && value;
    }
    return value;
  }

  *#primary(): Steps<boolean> {
    let isNegated = false;
    for (;;) {
      if (this.#pace.isDue()) yield;
      const [first, second, third] = this.operands.slice(this.#at, this.#at + 3);
      if (first === undefined) throw new ConditionError("argument expected");
      const compare = second === undefined || third === undefined ? undefined : COMPARISONS.get(second);
      if (compare !== undefined && third !== undefined) {
        this.#at += 3;
        return compare(first, third, this.look) !== isNegated;
      }
      if (first === "!" && second !== undefined) {
        this.#at += 1;
        isNegated = !isNegated;
        continue;
      }
      if (first === "(" && second !== undefined) return (yield* this.#parenthesized()) !== isNegated;
      const unary = second === undefined ? undefined : UNARY.get(first);
      this.#at += unary === undefined ? 1 : 2;
      return (unary === undefined ? first !== "" : unary(second ?? "", this.look, this.terminal)) !== isNegated;
    }
  }

  *#parenthesized(): Steps<boolean> {
    if ((this.#depth += 1) > MOST_NESTED) throw new ConditionError("parentheses nested too deeply");
    this.#at += 1;
    const value = yield* this.#either();
    if (this.operands[this.#at] !== ")") throw new ConditionError("closing paren expected");
    this.#at += 1;
    this.#depth -= 1;
    return value;
  }
}

type FileTest = (operand: string, look: Look, terminal: boolean) => boolean;

/** The test of an operator such as -f or -z; undefined for an unknown operator. */
export const fileTest = (operator: string): FileTest | undefined => UNARY.get(operator);

const UNARY: ReadonlyMap<string, FileTest> = new Map([
  ["-z", (text: string) => text === ""],
  ["-n", (text: string) => text !== ""],
  ["-e", (path: string, look: Look) => look(path) !== undefined],
  ["-f", (path: string, look: Look) => look(path)?.kind === "file"],
  ["-d", (path: string, look: Look) => look(path)?.kind === "directory"],
  ["-L", (path: string, look: Look) => look(path, false)?.kind === "link"],
  ["-h", (path: string, look: Look) => look(path, false)?.kind === "link"],
  ["-r", (path: string, look: Look) => look(path) !== undefined],
  ["-w", (path: string, look: Look) => look(path, true, true) !== undefined],
  ["-x", (path: string, look: Look) => ((look(path)?.mode ?? 0) & 0o111) !== 0],
  [
    "-s",
    (path: string, look: Look) => {
      const node = look(path);
      return node !== undefined && sizeOf(node) > 0;
    },
  ],
  ["-a", (path: string, look: Look) => look(path) !== undefined],
  ["-b", () => false],
  ["-p", () => false],
  ["-S", () => false],
  ["-c", (path: string, look: Look) => isCharacterDevice(look(path))],
  ["-O", (path: string, look: Look) => look(path) !== undefined],
  ["-G", (path: string, look: Look) => look(path) !== undefined],
  ["-u", (path: string, look: Look) => ((look(path)?.mode ?? 0) & 0o4000) !== 0],
  ["-g", (path: string, look: Look) => ((look(path)?.mode ?? 0) & 0o2000) !== 0],
  ["-k", (path: string, look: Look) => ((look(path)?.mode ?? 0) & 0o1000) !== 0],
  ["-t", (_descriptor: string, _look: Look, terminal: boolean) => terminal],
]);

const isCharacterDevice = (node: FileNode | undefined): boolean => node?.kind === "device" && node.size === undefined;

function number(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new ConditionError(`Illegal number: ${text}`);
  return Number(text);
}

type Comparison = (left: string, right: string, look: Look) => boolean;

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["=", (left: string, right: string) => left === right],
  ["==", (left: string, right: string) => left === right],
  ["<", (left, right) => left < right],
  [">", (left, right) => left > right],
  ["-nt", (left, right, look) => compareFiles("-nt", look(left), look(right))],
  ["-ot", (left, right, look) => compareFiles("-ot", look(left), look(right))],
  ["-ef", (left, right, look) => compareFiles("-ef", look(left), look(right))],
  ["!=", (left: string, right: string) => left !== right],
  ["-eq", (left: string, right: string) => number(left) === number(right)],
  ["-ne", (left: string, right: string) => number(left) !== number(right)],
  ["-lt", (left: string, right: string) => number(left) < number(right)],
  ["-le", (left: string, right: string) => number(left) <= number(right)],
  ["-gt", (left: string, right: string) => number(left) > number(right)],
  ["-ge", (left: string, right: string) => number(left) >= number(right)],
]);

/** Evaluates -nt, -ot and -ef: an existing file is newer than a missing one. */
export function compareFiles(operator: string, a: FileNode | undefined, b: FileNode | undefined): boolean {
  if (operator === "-ef") return a !== undefined && a === b;
  const [newer, older] = operator === "-nt" ? [a, b] : [b, a];
  return newer !== undefined && (older === undefined || newer.mtime > older.mtime);
}
