import { Pace } from "../../../../base/time/pace.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import type { OutputTarget } from "../../program.js";
import { giveWay, type SliceOwner } from "../../slices.js";
import type { BuiltinCall } from "./builtin.js";
import { bytesOf } from "../expansion/byte-text.js";
import { unescaped } from "./printf.js";

/** A text is written when so much of it has come, in UTF-16 units. */
const WRITTEN_AT_ONCE = 32 * 1024;
const PIECES_PER_STEP = 64;

export async function writePieces(
  { shell, streams }: Pick<BuiltinCall, "shell" | "streams">,
  pieces: Iterable<string>,
): Promise<number> {
  await writeText(pieces, streams.stdout, shell.io);
  return 0;
}

/** Writes a text that is produced in pieces, as bytes. */
export async function writeText(pieces: Iterable<string>, write: OutputTarget, owner: SliceOwner): Promise<void> {
  const pace = new Pace(PIECES_PER_STEP);
  let text = "";
  let isWritten = false;
  for (const piece of pieces) {
    text += piece;
    if (text.length >= WRITTEN_AT_ONCE) {
      await write(bytesOf(text), owner.signal);
      text = "";
      isWritten = true;
    }
    if (pace.isDue() && sliceIsSpent()) await giveWay(owner);
  }
  if (text !== "" || !isWritten) await write(bytesOf(text), owner.signal);
}

/**
 * `echo` of the shell: -n, -e and -E. Backslashes are escapes as dash has them, unless `isBash` and without -e. What follows "\c" is left out.
 */
export function* echoPieces(args: readonly string[], isBash = false): Generator<string, void> {
  let first = 0;
  let hasLineFeed = true;
  let escapes = !isBash;
  let hasHex = false;
  for (; /^-[neE]+$/.test(args[first] ?? ""); first += 1) {
    for (const letter of args[first] ?? "") {
      if (letter === "n") hasLineFeed = false;
      else if (letter === "e") escapes = hasHex = true;
      else if (letter === "E") escapes = false;
    }
  }
  for (const [index, arg] of args.slice(first).entries()) {
    if (index > 0) yield " ";
    if (!escapes) {
      yield arg;
      continue;
    }
    const stop = stopOf(arg);
    yield* unescaped(stop < 0 ? arg : arg.slice(0, stop), hasHex);
    if (stop >= 0) return;
  }
  if (hasLineFeed) yield "\n";
}

/** Where a text ends by "\c"; -1 where it does not. */
function stopOf(text: string): number {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at + 2)) if (text[at + 1] === "c") return at;
  return -1;
}

/** Quotes a word so that a shell reads the same word again. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
