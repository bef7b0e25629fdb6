import { FileError } from "../files/file-error.js";
import type { Program, ProgramIo } from "../program.js";
import { baseName } from "./options.js";

/** The options of a program, as getopt_long() has them. */
export interface OptionTable {
  /** Letters, as getopt() has them: "n:" takes a value, "i::" takes one in its own word only. With a "+" before them, options end at the first operand. */
  readonly letters: string;
  /** Long names, each with the letter that it stands for; "o:" where only the long name exists and takes a value. */
  readonly long?: Readonly<Record<string, string>>;
  /** The exit code of wrong options. Default 1. */
  readonly usageCode?: number;
  /** What stands behind the message of a wrong option. Default: where help is. */
  readonly usage?: string;
}

export interface ParsedOptions {
  /** In the order in which they were given. */
  readonly given: readonly (readonly [letter: string, value: string])[];
  readonly operands: readonly string[];
  has(letters: string): boolean;
  /** The last value that was given. */
  value(letter: string): string | undefined;
}

/** Ends a program with `code`, and prints the message on its stderr. */
export class ProgramFailure extends Error {
  constructor(
    message: string,
    readonly code = 1,
  ) {
    super(message);
  }
}

/** Thrown for invalid options. Without a message only the usage is printed. */
export class UsageError extends Error {}

/** Makes a program that parses its options by a table, and reports errors as GNU's programs do. */
export function gnuProgram(
  table: OptionTable,
  run: (io: ProgramIo, options: ParsedOptions) => number | Promise<number>,
): Program {
  return async (io) => {
    const name = baseName(io.name);
    try {
      return await run(io, parseOptions(io.args, table));
    } catch (error) {
      if (error instanceof UsageError) {
        const usage = table.usage ?? `Try '${name} --help' for more information.`;
        await io.stderr.write(`${error.message === "" ? "" : `${name}: ${error.message}\n`}${usage}\n`);
        return table.usageCode ?? 1;
      }
      if (error instanceof ProgramFailure) {
        await io.stderr.write(`${name}: ${error.message}\n`);
        return error.code;
      }
      throw error;
    }
  };
}

/** Throws a {@link UsageError}. */
export function parseOptions(args: readonly string[], { letters, long = {} }: OptionTable): ParsedOptions {
  const given: [string, string][] = [];
  const operands: string[] = [];
  const stopsAtOperand = letters.startsWith("+");
  let at = 0;
  const next = (): string | undefined => args[(at += 1)];
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at += 1;
      break;
    }
    if (arg.startsWith("--")) given.push(longOption(arg, letters, long, next));
    else if (arg.startsWith("-") && arg !== "-") given.push(...shortOptions(arg, letters, next));
    else if (stopsAtOperand) break;
    else operands.push(arg);
  }
  operands.push(...args.slice(at));
  return {
    given,
    operands,
    has: (wanted) => given.some(([letter]) => wanted.includes(letter)),
    value: (wanted) => given.findLast(([letter]) => letter === wanted)?.[1],
  };
}

/** How many values a letter has: "" for none, ":" or "::"; undefined where there is no such option. */
function arity(letters: string, letter: string): string | undefined {
  const at = letter === ":" || letter === "+" ? -1 : letters.indexOf(letter);
  return at < 0 ? undefined : (/^:*/.exec(letters.slice(at + 1))?.[0] ?? "");
}

function* shortOptions(
  arg: string,
  letters: string,
  next: () => string | undefined,
): Generator<[string, string], void> {
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg[at] ?? "";
    const values = arity(letters, letter);
    if (values === undefined) throw new UsageError(`invalid option -- '${letter}'`);
    if (values === "") {
      yield [letter, ""];
      continue;
    }
    const inWord = arg.slice(at + 1);
    const value = inWord !== "" || values === "::" ? inWord : next();
    if (value === undefined) throw new UsageError(`option requires an argument -- '${letter}'`);
    yield [letter, value];
    return;
  }
}

function longOption(
  arg: string,
  letters: string,
  long: Readonly<Record<string, string>>,
  next: () => string | undefined,
): [string, string] {
  const [, typed = "", inWord] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? [];
  const matching = Object.hasOwn(long, typed) ? [typed] : Object.keys(long).filter((name) => name.startsWith(typed));
  const [name = ""] = matching;
  const stands = long[name];
  if (stands === undefined) throw new UsageError(`unrecognized option '${arg}'`);
  if (new Set(matching.map((one) => long[one])).size > 1) {
    const possible = matching.map((one) => ` '--${one}'`).join("");
    throw new UsageError(`option '${arg}' is ambiguous; possibilities:${possible}`);
  }
  const [letter = "", ...colons] = stands;
  const values = colons.length > 0 ? colons.join("") : (arity(letters, letter) ?? "");
  if (values === "") {
    if (inWord !== undefined) throw new UsageError(`option '--${name}' doesn't allow an argument`);
    return [letter, ""];
  }
  const value = inWord ?? (values === "::" ? "" : next());
  if (value === undefined) throw new UsageError(`option '--${name}' requires an argument`);
  return [letter, value];
}

/** errno's text for an error of the file system; rethrows any other error. */
export function errnoText(error: unknown): string {
  if (error instanceof FileError) return error.message;
  throw error;
}
