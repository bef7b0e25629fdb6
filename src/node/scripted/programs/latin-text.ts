import { sliceIsSpent } from "../../../base/async/time-slice.js";
import type { ContainerMemory } from "../limits/memory-share.js";
import type { ProgramIo, ProgramOutput } from "../program.js";
import { bytesOf } from "../shell/expansion/byte-text.js";
import { giveWay } from "../slices.js";
import { contentOf, forEachPath } from "./options.js";

/**
 * Programs for text handle bytes, as those of C's locale do: a string has one character for each byte. What comes from arguments
 * becomes such a string here.
 */
export const latin = (text: string): string => (isAscii(text) ? text : bytesOf(text).toString("latin1"));

/** Reverses {@link latin}, for file names and messages. */
export const unlatin = (text: string): string => (isAscii(text) ? text : Buffer.from(text, "latin1").toString("utf8"));

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** So much output is written at a time, in bytes. */
const BLOCK = 8192;

/** Collects the small pieces that a program writes. It must be flushed before the program waits for input, and at its end. */
export class TextOutput {
  #pieces = "";

  constructor(private readonly output: ProgramOutput) {}

  /** Undefined where nothing has to be awaited. */
  write(text: string): Promise<void> | undefined {
    this.#pieces += text;
    return this.#pieces.length < BLOCK ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    if (this.#pieces === "") return;
    const bytes = Buffer.from(this.#pieces, "latin1");
    this.#pieces = "";
    await this.output.write(bytes);
  }
}

/** So many characters of a {@link LongText} are put together at a time. */
const PART = 16 * 1024;

/** A text of many pieces. V8 keeps such a text as a tree, which is slow to read at once; this class builds it in parts. */
export class LongText {
  readonly #parts: string[] = [];
  #part = "";

  add(piece: string): void {
    this.#part += piece;
    if (this.#part.length < PART) return;
    // A character that is looked at makes one string of the tree.
    this.#part.charCodeAt(0);
    this.#parts.push(this.#part);
    this.#part = "";
  }

  toString(): string {
    return this.#parts.length === 0 ? this.#part : this.#parts.join("") + this.#part;
  }
}

export const LINE_FEED = 10;
/** Beginnings of lines that are longer count as the program's memory. */
const FREE_BYTES = 4096;

/** Reads the lines of some content as strings of bytes. A line may be as long as the program's memory allows. */
export class LineReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The beginning of a line whose end has not come. */
  #parts: string[] = [];
  #held = 0;
  #charged = 0;
  /** Whether the last line that was given had no delimiter. */
  isUnended = false;

  /** `beforeWait` is called before more of the content is awaited. */
  constructor(
    content: AsyncIterable<Uint8Array>,
    private readonly memory: ContainerMemory,
    private readonly beforeWait: () => Promise<void> | undefined = () => undefined,
    public delimiter = LINE_FEED,
  ) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /** A line that is there without waiting, without its delimiter. */
  ready(): string | undefined {
    const end = this.#chunk.indexOf(this.delimiter, this.#at);
    if (end < 0) return undefined;
    const line = this.#chunk.toString("latin1", this.#at, end);
    this.#at = end + 1;
    return this.#parts.length === 0 ? line : this.#whole(line);
  }

  /** The next line without its delimiter; undefined at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.ready();
      if (line !== undefined) return line;
      this.#keep();
      await this.beforeWait();
      const next = await this.#chunks.next();
      if (next.done === true) {
        if (this.#parts.length === 0) return undefined;
        this.isUnended = true;
        return this.#whole("");
      }
      const { value } = next;
      this.#chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.#at = 0;
    }
  }

  #keep(): void {
    const rest = this.#chunk.length - this.#at;
    if (rest === 0) return;
    this.#held += rest;
    if (this.#held > FREE_BYTES) {
      this.memory.take(this.#held - this.#charged);
      this.#charged = this.#held;
    }
    this.#parts.push(this.#chunk.toString("latin1", this.#at));
    this.#at = this.#chunk.length;
  }

  #whole(end: string): string {
    const line = this.#parts.join("") + end;
    this.#parts = [];
    if (this.#charged > 0) this.memory.give(this.#charged);
    this.#held = this.#charged = 0;
    return line;
  }
}

/** Calls `act` for each line; an answer of true ends the reading. Other work gets its turn between lines. */
export async function eachLine(
  io: ProgramIo,
  reader: LineReader,
  act: (line: string) => boolean | void | Promise<boolean | void>,
): Promise<void> {
  for (let line = await reader.next(); line !== undefined; line = reader.ready() ?? (await reader.next())) {
    const result = act(line);
    if ((typeof result === "object" ? await result : result) === true) return;
    if (sliceIsSpent()) await giveWay(io);
  }
}

/** The options of {@link readEach}. */
export interface ReadEachOptions {
  readonly delimiter?: number;
  /** What an error says before errno's text. Default: the operand. */
  readonly refusal?: (operand: string) => string;
}

/** Calls `act` for each operand's lines; "-", and the lack of operands, stand for the input. Resolves with the exit code. */
export async function readEach(
  io: ProgramIo,
  operands: readonly string[],
  out: TextOutput,
  act: (reader: LineReader, operand: string) => Promise<void>,
  { delimiter, refusal = (operand) => operand }: ReadEachOptions = {},
): Promise<number> {
  const flush = (): Promise<void> => out.flush();
  const code = await forEachPath(
    io,
    operands.length === 0 ? ["-"] : operands,
    (_path, operand) => act(new LineReader(contentOf(io, operand), io.memory, flush, delimiter), operand),
    refusal,
  );
  await out.flush();
  return code;
}
