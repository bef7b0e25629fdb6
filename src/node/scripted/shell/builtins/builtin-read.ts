import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { giveWay } from "../../slices.js";
import { type BuiltinCall, builtinOptions } from "./builtin.js";
import { CommandError } from "../control-flow.js";
import { FIELD_BYTES, fieldsOf } from "../expansion/fields.js";
import { GrowingValue, outOfSpace } from "../expansion/growing-value.js";
import type { Shell } from "../shell.js";
import type { ShellStreams } from "../shell-state.js";

const LINE_FEED = 10;
const TIMED_OUT = 142;
/** What a character behind a backslash takes, or what stands between two of them, in bytes. */
const PIECE_BYTES = 128;

interface Source {
  read(): Promise<Uint8Array | undefined>;
  unread(chunk: Uint8Array): void;
}

/** Where a line ends: at a byte, after so many bytes, or when the time is over. */
interface LineEnd {
  readonly delimiter: number;
  readonly most?: number;
  readonly milliseconds?: number;
}

interface Line {
  readonly text: string;
  readonly end: "delimiter" | "input" | "time";
}

/** read [-r] [-a ARRAY] [-d DELIMITER] [-n COUNT] [-p PROMPT] [-s] [-t SECONDS] [-u DESCRIPTOR] NAME...: reads one line, and nothing after it. */
export async function readLine({ shell, args, streams }: BuiltinCall): Promise<number> {
  const { flags, values, operands, unknown } = builtinOptions(args, "rsE", "adnNptu");
  if (unknown !== undefined || values.has("N"))
    throw new CommandError(`read: ${unknown ?? "-N"}: invalid option`, 2, `read ${unknown ?? "-N"}`);
  for (const name of operands)
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new CommandError(`read: ${name}: bad variable name`);
  const { terminal } = shell.io;
  const prompt = values.get("p");
  if (prompt !== undefined && terminal !== undefined) await streams.stderr(Buffer.from(prompt), shell.io.signal);
  const [count, seconds, delimiter] = [values.get("n"), values.get("t"), values.get("d")];
  const end: LineEnd = {
    delimiter: delimiter === undefined ? LINE_FEED : (Buffer.from(delimiter)[0] ?? 0),
    ...(count !== undefined && { most: Number(count) || 0 }),
    ...(seconds !== undefined && { milliseconds: Number(seconds) * 1000 || 0 }),
  };
  const isShown = terminal?.modes.echo ?? true;
  if (flags.has("s") && terminal !== undefined) terminal.modes.echo = false;
  let line: Line;
  try {
    line = await nextLine(shell, sourceOf(shell, streams, values.get("u")), end, flags.has("r"));
  } finally {
    if (flags.has("s") && terminal !== undefined) terminal.modes.echo = isShown;
  }
  const array = values.get("a");
  if (array === undefined) await shell.inSlices(assignWords(shell, operands, line.text, flags.has("r")));
  else {
    const { fields } = await wordsOf(shell, line.text, flags.has("r"));
    shell.refuseConstant(array);
    shell.state.variables.setArray(
      array,
      false,
      fields.map((field, index) => [String(index), field]),
    );
  }
  return line.end === "delimiter" ? 0 : line.end === "time" ? TIMED_OUT : 1;
}

function sourceOf(shell: Shell, streams: ShellStreams, descriptor: string | undefined): Source {
  const other = descriptor === undefined || descriptor === "0" ? undefined : streams.others?.get(Number(descriptor));
  if (descriptor !== undefined && descriptor !== "0" && (other === undefined || !("input" in other)))
    throw new CommandError(`read: ${descriptor}: invalid file descriptor: Bad file descriptor`, 1);
  const input = other !== undefined && "input" in other ? other.input : streams.stdin;
  if (input === undefined) return shell.io.stdin;
  return { read: () => input.read(shell.io.signal), unread: (chunk) => input.unread(chunk) };
}

/** The next line. Unless it is `raw`, a backslash before its end joins the next one to it. */
async function nextLine(shell: Shell, source: Source, end: LineEnd, raw: boolean): Promise<Line> {
  const value = new GrowingValue((bytes) => shell.take(bytes));
  let isEscaped = false;
  let left = end.most ?? Number.POSITIVE_INFINITY;
  const clock = timeLimit(shell, end.milliseconds);
  try {
    for (;;) {
      if (left <= 0) return { text: value.toString(), end: "delimiter" };
      if (sliceIsSpent()) await giveWay(shell.io);
      const chunk = await clock.within(source);
      if (chunk === "late") return { text: value.toString(), end: "time" };
      if (chunk === undefined) return { text: value.toString(), end: "input" };
      let from = 0;
      for (;;) {
        const found = chunk.indexOf(end.delimiter, from);
        const stop = Math.min(found < 0 ? chunk.length : found, from + left);
        const piece = chunk.subarray(from, stop);
        if (!value.add(piece)) throw outOfSpace();
        left -= piece.length;
        isEscaped = !raw && endsInBackslash(piece, isEscaped);
        if (left <= 0) {
          source.unread(chunk.subarray(stop));
          break;
        }
        if (found < 0) break;
        from = found + 1;
        if (!isEscaped) {
          source.unread(chunk.subarray(from));
          return { text: value.toString(), end: "delimiter" };
        }
        // The line goes on: the backslash and the line feed go when backslashes do.
        value.add(Uint8Array.of(end.delimiter));
        isEscaped = false;
      }
    }
  } finally {
    clock.stop();
  }
}

/** Whether a piece ends in a backslash that no other one takes. `before`: the piece before it ended so. */
function endsInBackslash(piece: Uint8Array, before: boolean): boolean {
  let count = 0;
  while (count < piece.length && piece[piece.length - 1 - count] === 92) count += 1;
  const isWhole = count === piece.length;
  return (count + Number(isWhole && before)) % 2 === 1;
}

/** Reads that end when the time is over: what comes later is left to the next reader. */
function timeLimit({ io }: Shell, milliseconds: number | undefined) {
  if (milliseconds === undefined) return { within: (source: Source) => source.read(), stop: () => {} };
  let late = (): void => {};
  const over = new Promise<"late">((resolve) => (late = () => resolve("late")));
  const stop = io.timers.start(milliseconds, late);
  const within = async (source: Source): Promise<Uint8Array | undefined | "late"> => {
    let isLate = false;
    const read = source.read().then((chunk) => {
      if (isLate && chunk !== undefined) source.unread(chunk);
      return chunk;
    });
    const first = await Promise.race([read, over]);
    isLate = first === "late";
    if (isLate) read.catch(() => {});
    return first;
  };
  return { within, stop };
}

/** The characters behind backslashes mean themselves, and separate nothing. */
function* unescapedPieces(
  text: string,
  raw: boolean,
  take: (bytes: number) => void,
): Steps<readonly { text: string; quoted: boolean; splits: boolean }[]> {
  const piece = (part: string, isEscaped: boolean) => ({ text: part, quoted: true, splits: !isEscaped });
  if (raw || !text.includes("\\")) return [piece(text, false)];
  const pace = new Pace();
  const pieces: { text: string; quoted: boolean; splits: boolean }[] = [];
  let from = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    if (pace.isDue()) yield;
    take(2 * PIECE_BYTES);
    if (at > from) pieces.push(piece(text.slice(from, at), false));
    const next = text[at + 1];
    if (next !== undefined && next !== "\n") pieces.push(piece(next, true));
    from = at + 2;
  }
  if (from < text.length) pieces.push(piece(text.slice(from), false));
  return pieces;
}

async function wordsOf(shell: Shell, line: string, raw: boolean): Promise<{ readonly fields: string[] }> {
  const fields: string[] = [];
  const work = function* (): Steps<void> {
    const pieces = yield* unescapedPieces(line, raw, (bytes) => shell.take(bytes));
    const scope = { ...fieldScope(shell), matchesPaths: false };
    yield* fieldsOf(pieces, scope, fields);
  };
  await shell.inSlices(work());
  return { fields };
}

const fieldScope = (shell: Shell) => ({
  take: (bytes: number): void => shell.take(bytes + FIELD_BYTES),
  files: shell.files,
  cwd: shell.cwd,
  separators: shell.separators,
  dropsUnmatched: false,
});

/** One word of the line for each name, and what is left for the last. Without names the whole line is REPLY. */
function* assignWords(shell: Shell, names: readonly string[], line: string, raw: boolean): Steps<void> {
  const pieces = yield* unescapedPieces(line, raw, (bytes) => shell.take(bytes));
  if (names.length === 0) {
    shell.assign("REPLY", pieces.map((piece) => piece.text).join(""));
    return;
  }
  const text = pieces.map((piece) => piece.text).join("");
  const cuts = new Cuts(shell, pieces);
  let at = yield* cuts.skipWhite(0);
  for (const [index, name] of names.entries()) {
    if (index === names.length - 1) {
      shell.assign(name, text.slice(at, yield* cuts.endOfLast(at)));
      return;
    }
    const end = yield* cuts.next(at);
    shell.assign(name, text.slice(at, end));
    at = yield* cuts.behind(end);
  }
}

/** Where a line is cut at the characters of IFS that are not escaped. */
class Cuts {
  readonly #separators;
  readonly #text: string;
  /** The places of characters that were escaped. */
  readonly #escaped = new Set<number>();
  readonly #pace = new Pace();

  constructor(shell: Shell, pieces: readonly { readonly text: string; readonly splits: boolean }[]) {
    this.#separators = shell.separators;
    let text = "";
    for (const piece of pieces) {
      if (!piece.splits) this.#escaped.add(text.length);
      text += piece.text;
    }
    this.#text = text;
  }

  *skipWhite(from: number): Steps<number> {
    let at = from;
    while (this.#isWhite(at)) {
      if (this.#pace.isDue()) yield;
      at += 1;
    }
    return at;
  }

  *next(from: number): Steps<number> {
    let at = from;
    while (at < this.#text.length && !this.#isWhite(at) && !this.#isHard(at)) {
      if (this.#pace.isDue()) yield;
      at += 1;
    }
    return at;
  }

  /** Behind a separator: one that is hard, with the white space around it, or white space. */
  *behind(from: number): Steps<number> {
    let at = yield* this.skipWhite(from);
    if (this.#isHard(at)) at = yield* this.skipWhite(at + 1);
    return at;
  }

  /** The end of the last value: without white space, and without a single separator that ends it. */
  *endOfLast(from: number): Steps<number> {
    const end = yield* this.next(from);
    if ((yield* this.behind(end)) >= this.#text.length) return end;
    let last = this.#text.length;
    while (last > from && this.#isWhite(last - 1)) {
      if (this.#pace.isDue()) yield;
      last -= 1;
    }
    return last;
  }

  #isWhite(at: number): boolean {
    return at < this.#text.length && !this.#escaped.has(at) && this.#separators.isWhite(this.#text.charCodeAt(at));
  }

  #isHard(at: number): boolean {
    return at < this.#text.length && !this.#escaped.has(at) && this.#separators.isHard(this.#text.charCodeAt(at));
  }
}

/** mapfile [-t] [-d DELIMITER] [ARRAY]: the lines of the input as an array. */
export async function mapFile({ shell, args, streams }: BuiltinCall): Promise<number> {
  const { flags, values, operands, unknown } = builtinOptions(args, "t", "dnsu");
  if (unknown !== undefined || values.has("n") || values.has("s"))
    throw new CommandError(`mapfile: ${unknown ?? "-n"}: invalid option`, 2, "mapfile -n");
  const delimiter = values.get("d");
  const end: LineEnd = { delimiter: delimiter === undefined ? LINE_FEED : (Buffer.from(delimiter)[0] ?? 0) };
  const source = sourceOf(shell, streams, values.get("u"));
  const name = operands[0] ?? "MAPFILE";
  shell.refuseConstant(name);
  shell.state.variables.setArray(name, false, []);
  const suffix = flags.has("t") ? "" : (delimiter ?? "\n");
  for (let index = 0; ; index += 1) {
    const { held } = shell;
    const line = await nextLine(shell, source, end, true);
    if (line.end === "input" && line.text === "") return 0;
    shell.assignElement(name, String(index), line.end === "input" ? line.text : line.text + suffix);
    shell.giveBackTo(held);
    if (line.end === "input") return 0;
  }
}
