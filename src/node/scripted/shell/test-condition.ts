import { absolute, type FileSystem } from "../files/file-system.js";
import { type FileNode, sizeOf } from "../files/node.js";

/** `test` cannot make sense of its operands. */
export class ConditionError extends Error {}

/** What `test` and `[` decide. */
export function condition(operands: readonly string[], files: FileSystem, cwd: string, terminal: boolean): boolean {
  let at = 0;
  const look = (path: string, follow = true): FileNode | undefined => files.look(absolute(cwd, path), { follow });
  const primary = (): boolean => {
    const first = operands[at];
    if (first === undefined) throw new ConditionError("argument expected");
    const [second, third] = [operands[at + 1], operands[at + 2]];
    const compare = second === undefined || third === undefined ? undefined : COMPARISONS[second];
    if (compare !== undefined && third !== undefined) {
      at += 3;
      return compare(first, third);
    }
    if (first === "!" && second !== undefined) {
      at += 1;
      return !primary();
    }
    if (first === "(" && second !== undefined) {
      at += 1;
      const value = either();
      if (operands[at++] !== ")") throw new ConditionError("closing paren expected");
      return value;
    }
    const unary = second === undefined ? undefined : UNARY[first];
    if (unary !== undefined && second !== undefined) {
      at += 2;
      return unary(second, look, terminal);
    }
    at += 1;
    return first !== "";
  };
  const both = (): boolean => {
    let value = primary();
    while (operands[at] === "-a") {
      at += 1;
      value = primary() && value;
    }
    return value;
  };
  const either = (): boolean => {
    let value = both();
    while (operands[at] === "-o") {
      at += 1;
      value = both() || value;
    }
    return value;
  };
  if (operands.length === 0) return false;
  const value = either();
  if (at < operands.length) throw new ConditionError(`${operands[at] ?? ""}: unexpected operator`);
  return value;
}

type Look = (path: string, follow?: boolean) => FileNode | undefined;

const UNARY: Readonly<Record<string, (operand: string, look: Look, terminal: boolean) => boolean>> = {
  __proto__: null as never,
  "-z": (text) => text === "",
  "-n": (text) => text !== "",
  "-e": (path, look) => look(path) !== undefined,
  "-f": (path, look) => look(path)?.kind === "file",
  "-d": (path, look) => look(path)?.kind === "directory",
  "-L": (path, look) => look(path, false)?.kind === "link",
  "-h": (path, look) => look(path, false)?.kind === "link",
  "-r": (path, look) => look(path) !== undefined,
  "-w": (path, look) => look(path) !== undefined,
  "-x": (path, look) => ((look(path)?.mode ?? 0) & 0o111) !== 0,
  "-s": (path, look) => {
    const node = look(path);
    return node !== undefined && sizeOf(node) > 0;
  },
  "-t": (_descriptor, _look, terminal) => terminal,
};

function number(text: string): number {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new ConditionError(`Illegal number: ${text}`);
  return Number(text);
}

const COMPARISONS: Readonly<Record<string, (left: string, right: string) => boolean>> = {
  __proto__: null as never,
  "=": (left, right) => left === right,
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "-eq": (left, right) => number(left) === number(right),
  "-ne": (left, right) => number(left) !== number(right),
  "-lt": (left, right) => number(left) < number(right),
  "-le": (left, right) => number(left) <= number(right),
  "-gt": (left, right) => number(left) > number(right),
  "-ge": (left, right) => number(left) >= number(right),
};
