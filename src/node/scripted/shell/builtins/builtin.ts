import type { Shell } from "../shell.js";
import type { ShellStreams } from "../shell-state.js";
import type { Assigned } from "../assignment.js";

/** One call of a builtin. */
export interface BuiltinCall {
  readonly shell: Shell;
  readonly args: readonly string[];
  readonly streams: ShellStreams;
  readonly line: number;
  /** Whether something looks at its code: then a failure in what it runs does not end the shell. */
  readonly tested: boolean;
  /** Arguments that are assignments, of the builtins that declare variables. */
  readonly declarations: readonly Assigned[];
}

/** A command that the shell implements itself. Resolves with the exit code. */
export type Builtin = (call: BuiltinCall) => number | Promise<number>;

/** The parsed options of a builtin: letters, the values of `valued` ones, and operands. `unknown` is the first invalid letter. */
export interface BuiltinOptions {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  readonly unknown: string | undefined;
}

/** Reads options up to the first operand or "--". */
export function builtinOptions(args: readonly string[], letters: string, valued = ""): BuiltinOptions {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  let unknown: string | undefined;
  let at = 0;
  for (; at < args.length && /^-[^-]/.test(args[at] ?? ""); at += 1) {
    const word = args[at] ?? "";
    for (let place = 1; place < word.length; place += 1) {
      const letter = word[place] ?? "";
      if (valued.includes(letter)) {
        values.set(letter, place + 1 < word.length ? word.slice(place + 1) : (args[(at += 1)] ?? ""));
        break;
      }
      if (letters.includes(letter)) flags.add(letter);
      else unknown ??= `-${letter}`;
    }
  }
  if (args[at] === "--") at += 1;
  return { flags, values, operands: args.slice(at), unknown };
}
