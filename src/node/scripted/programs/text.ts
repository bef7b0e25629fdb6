import { dictionary } from "../../../base/collections/dictionary.js";
import { Fifo } from "../../../base/collections/fifo.js";
import { pause } from "../../../base/time/pause.js";
import { absolute } from "../files/file-system.js";
import { sizeOf } from "../files/node.js";
import type { Program, ProgramIo } from "../program.js";
import { echoPieces, writeText } from "../shell/builtins/builtins.js";
import { printf } from "../shell/builtins/printf.js";
import { contentOf, forEachPath, linesOf, optionsOf } from "./options.js";

const orInput = (operands: readonly string[]): readonly string[] => (operands.length === 0 ? ["-"] : operands);
const itself = (operand: string): string => operand;

export const cat: Program = (io) =>
  forEachPath(
    io,
    orInput(optionsOf(io.args).operands),
    async (_path, operand) => {
      for await (const chunk of contentOf(io, operand)) await io.stdout.write(chunk);
    },
    itself,
  );

export const echo: Program = async (io) => {
  await writeText(echoPieces(io.args), (chunk) => io.stdout.write(chunk), io);
  return 0;
};

export const printfProgram: Program = async (io) => {
  await writeText(printf(io.args[0] ?? "", io.args.slice(1)), (chunk) => io.stdout.write(chunk), io);
  return 0;
};

/** How much `yes` writes at a time, in characters. */
const YES_BLOCK = 2048;

export const yes: Program = async (io) => {
  const line = `${io.args.join(" ") || "y"}\n`;
  const block = line.repeat(Math.ceil(YES_BLOCK / line.length));
  for (;;) await io.stdout.write(block);
};

export const tee: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const writers = operands.map((operand) => io.files.open(absolute(io.cwd, operand), { append: flags.has("a") }));
  for await (const chunk of io.stdin) {
    await io.stdout.write(chunk);
    for (const writer of writers) await writer.write(chunk);
  }
  return 0;
};

/** head -n LINES or -c BYTES, with k, M and G. */
export const head: Program = (io) => {
  const { values, operands } = countedOptions(io.args);
  const bytes = values["c"] === undefined ? undefined : sizeNumber(values["c"]);
  const lines = sizeNumber(values["n"] ?? "10");
  return forEachPath(
    io,
    orInput(operands),
    async (_path, operand) => {
      if (bytes !== undefined) await firstBytes(io, contentOf(io, operand), bytes);
      else await firstLines(io, contentOf(io, operand), lines);
    },
    (operand) => `cannot open '${operand}' for reading`,
  );
};

async function firstBytes(io: ProgramIo, content: AsyncIterable<Uint8Array>, count: number): Promise<void> {
  let left = count;
  if (left === 0) return;
  for await (const chunk of content) {
    await io.stdout.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) return;
  }
}

async function firstLines(io: ProgramIo, content: AsyncIterable<Uint8Array>, count: number): Promise<void> {
  let left = count;
  if (left === 0) return;
  for await (const line of linesOf(content)) {
    await io.stdout.write(line);
    if ((left -= 1) === 0) return;
  }
}

/** tail -n LINES, -n +LINE, -c BYTES or -c +BYTE; -f follows a file. */
export const tail: Program = (io) => {
  const { flags, values, operands } = countedOptions(io.args);
  const [kind, text] = values["c"] === undefined ? ["n", values["n"] ?? "10"] : ["c", values["c"]];
  const from = text.startsWith("+");
  const count = sizeNumber(text.replace(/^[-+]/, ""));
  return forEachPath(
    io,
    orInput(operands),
    async (path, operand) => {
      const content = contentOf(io, operand);
      if (from) await (kind === "c" ? fromByte(io, content, count) : fromLine(io, content, count));
      else await (kind === "c" ? lastBytes(io, content, count) : lastLines(io, content, count));
      if (flags.has("f") && operand !== "-") await follow(io, path);
    },
    (operand) => `cannot open '${operand}' for reading`,
  );
};

async function fromByte(io: ProgramIo, content: AsyncIterable<Uint8Array>, first: number): Promise<void> {
  let skip = Math.max(0, first - 1);
  for await (const chunk of content) {
    if (skip < chunk.length) await io.stdout.write(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.length);
  }
}

async function fromLine(io: ProgramIo, content: AsyncIterable<Uint8Array>, first: number): Promise<void> {
  let number = 0;
  for await (const line of linesOf(content)) if ((number += 1) >= first) await io.stdout.write(line);
}

/** What a chunk or line that is kept takes beside its bytes. */
const KEPT_BYTES = 128;

/** The last chunks of some content. They count as the program's memory. */
class LastChunks {
  readonly #chunks = new Fifo<Uint8Array>();
  /** Before those of #chunks. */
  #first: Uint8Array | undefined;
  #bytes = 0;

  constructor(private readonly io: ProgramIo) {}

  get count(): number {
    return this.#chunks.length + (this.#first === undefined ? 0 : 1);
  }

  get first(): Uint8Array | undefined {
    return this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    this.io.memory.take(KEPT_BYTES + chunk.length);
    this.#bytes += chunk.length;
    // A part of a chunk would keep all of it.
    const own = Buffer.copyBytesFrom(chunk);
    if (this.#first === undefined) this.#first = own;
    else this.#chunks.push(own);
  }

  shift(): Uint8Array | undefined {
    const chunk = this.#first;
    if (chunk === undefined) return undefined;
    this.#first = this.#chunks.shift();
    this.#bytes -= chunk.length;
    this.io.memory.give(KEPT_BYTES + chunk.length);
    return chunk;
  }

  /** Writes all but the first `skipped` bytes. */
  async write(skipped = 0): Promise<void> {
    let left = skipped;
    for (let chunk = this.shift(); chunk !== undefined; chunk = this.shift()) {
      if (left < chunk.length) await this.io.stdout.write(chunk.subarray(left));
      left = Math.max(0, left - chunk.length);
    }
  }
}

async function lastBytes(io: ProgramIo, content: AsyncIterable<Uint8Array>, count: number): Promise<void> {
  const kept = new LastChunks(io);
  for await (const chunk of content) {
    kept.push(chunk);
    // As long as all but the first chunk are enough.
    for (let next = kept.first; next !== undefined && kept.bytes - next.length >= count; next = kept.first)
      kept.shift();
  }
  await kept.write(Math.max(0, kept.bytes - count));
}

async function lastLines(io: ProgramIo, content: AsyncIterable<Uint8Array>, count: number): Promise<void> {
  const kept = new LastChunks(io);
  for await (const line of linesOf(content)) {
    kept.push(line);
    if (kept.count > count) kept.shift();
  }
  await kept.write();
}

const POLL_MS = 200;

async function follow(io: ProgramIo, path: string): Promise<void> {
  let shown = sizeOf(io.files.find(path));
  for (;;) {
    await pause(io.timers, POLL_MS, io.signal);
    io.signal.throwIfAborted();
    // What is shorter than before is not read again.
    const from = Math.min(shown, sizeOf(io.files.find(path)));
    shown = from;
    for await (const chunk of io.files.read(path, from)) {
      await io.stdout.write(chunk);
      shown += chunk.length;
    }
  }
}

/** -5 is -n 5. */
const countedOptions = (args: readonly string[]) =>
  optionsOf(
    args.flatMap((arg) => (/^-\d+$/.test(arg) ? ["-n", arg.slice(1)] : [arg])),
    "nc",
  );

const UNITS: Readonly<Record<string, number>> = dictionary({
  "": 1,
  k: 1024,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
});

/** "10", "64k", "1M", "1G". */
function sizeNumber(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+)([kKMG]?)$/.exec(text) ?? [];
  if (digits === "") throw new Error(`invalid number: '${text}'`);
  return Number(digits) * (UNITS[unit] ?? 1);
}

/** wc with -l, -w and -c. */
export const wc: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const chosen = ["l", "w", "c"].filter((letter) => flags.size === 0 || flags.has(letter));
  return forEachPath(
    io,
    orInput(operands),
    async (_path, operand) => {
      const counts: Record<string, number> = { l: 0, w: 0, c: 0 };
      let inWord = false;
      for await (const chunk of contentOf(io, operand)) {
        counts["c"] = (counts["c"] ?? 0) + chunk.length;
        if (chosen.length === 1 && chosen[0] === "c") continue;
        for (const byte of chunk) {
          if (byte === 10) counts["l"] = (counts["l"] ?? 0) + 1;
          const blank = byte === 32 || (byte >= 9 && byte <= 13);
          if (!blank && !inWord) counts["w"] = (counts["w"] ?? 0) + 1;
          inWord = !blank;
        }
      }
      const shown = chosen.map((letter) => String(counts[letter]));
      await io.stdout.write(`${shown.join(" ")}${operand === "-" ? "" : ` ${operand}`}\n`);
    },
    itself,
  );
};

export const seq: Program = async (io) => {
  const numbers = io.args.map(Number);
  const [first, last, step] =
    numbers.length === 1
      ? [1, numbers[0] ?? 0, 1]
      : numbers.length === 2
        ? [numbers[0] ?? 1, numbers[1] ?? 0, 1]
        : [numbers[0] ?? 1, numbers[2] ?? 0, numbers[1] ?? 1];
  let text = "";
  for (let number = first; step !== 0 && (step > 0 ? number <= last : number >= last); number += step) {
    text += `${number}\n`;
    if (text.length < 8192) continue;
    await io.stdout.write(text);
    text = "";
  }
  if (text !== "") await io.stdout.write(text);
  return 0;
};
