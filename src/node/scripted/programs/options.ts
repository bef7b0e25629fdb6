import { sliceIsSpent } from "../../../base/async/time-slice.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { ProgramIo } from "../program.js";
import { giveWay } from "../slices.js";

/** The option letters and the operands of a program. Letters of `valued` take the rest of their word, or the next word. */
export interface Options {
  readonly flags: ReadonlySet<string>;
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly string[];
}

/** Reads options as getopt does. Long ones are flags by their whole name. */
export function optionsOf(args: readonly string[], valued = ""): Options {
  const flags = new Set<string>();
  const values: Record<string, string> = {};
  const operands: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (arg.startsWith("--")) flags.add(arg.slice(2));
    else if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else {
      for (let at = 1; at < arg.length; at += 1) {
        const letter = arg[at] ?? "";
        if (!valued.includes(letter)) flags.add(letter);
        else {
          values[letter] = at + 1 < arg.length ? arg.slice(at + 1) : (args[(index += 1)] ?? "");
          break;
        }
      }
    }
  }
  return { flags, values, operands };
}

/** Runs `act` for each operand; one that the file system refuses is reported, and the exit code is 1. */
export async function forEachPath(
  io: ProgramIo,
  operands: readonly string[],
  act: (path: string, operand: string) => void | Promise<void>,
  refusal: (operand: string) => string,
): Promise<number> {
  let code = 0;
  for (const operand of operands) {
    if (sliceIsSpent()) await giveWay(io);
    try {
      await act(absolute(io.cwd, operand), operand);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      await io.stderr.write(`${baseName(io.name)}: ${refusal(operand)}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

export function baseName(path: string): string {
  const trimmed = withoutTrailing(path, "/");
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** Reads the content of an operand; "-" is the input. */
export const contentOf = (io: ProgramIo, operand: string): AsyncIterable<Uint8Array> =>
  operand === "-" ? io.stdin : io.files.read(absolute(io.cwd, operand));

/** Yields the lines of some content, each with its line feed if it has one. Lines longer than 1 MiB are cut into pieces. */
export async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  /** The beginning of a line whose end has not come. */
  let rest: Buffer = Buffer.alloc(0);
  let used = 0;
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const line = bytes.subarray(start, end + 1);
      yield used === 0 ? line : Buffer.concat([rest.subarray(0, used), line]);
      used = 0;
      start = end + 1;
    }
    if (start === bytes.length) continue;
    const more = bytes.length - start;
    if (used + more > rest.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(2 * rest.length, used + more));
      rest.copy(grown, 0, 0, used);
      rest = grown;
    }
    bytes.copy(rest, used, start);
    used += more;
    if (used <= LONGEST_LINE) continue;
    yield rest.subarray(0, used);
    rest = Buffer.alloc(0);
    used = 0;
  }
  if (used > 0) yield rest.subarray(0, used);
}

const LONGEST_LINE = 1024 * 1024;
