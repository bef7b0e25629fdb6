import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import type { Program, ProgramIo } from "../../program.js";
import { giveWay } from "../../slices.js";
import { errnoText, gnuProgram, ProgramFailure } from "../gnu-program.js";
import { TextOutput } from "../latin-text.js";
import { contentOf } from "../options.js";

const FAILURE = 2;
const USAGE = "cmp: Try 'cmp --help' for more information.";
/** So many bytes are compared at a time. */
const BLOCK = 64 * 1024;

export const cmp: Program = gnuProgram(
  {
    letters: "lsbn:",
    long: { verbose: "l", silent: "s", quiet: "s", bytes: "n" },
    usageCode: FAILURE,
    usage: USAGE,
  },
  async (io, { has, operands, value }) => {
    const [first, second = "-"] = operands;
    if (first === undefined) throw new ProgramFailure(`missing operand after 'cmp'\n${USAGE}`, FAILURE);
    const [a, b] = [new Bytes(io, first), new Bytes(io, second)];
    const most = value("n") === undefined ? Number.POSITIVE_INFINITY : Number(value("n"));
    const out = new TextOutput(io.stdout);
    let [at, line, differs, lastIsEnd] = [0, 1, false, true];
    while (at < most) {
      const [one, other] = [await a.more(), await b.more()];
      if (one.length === 0 || other.length === 0) {
        if (one.length === other.length) break;
        await out.flush();
        if (has("s")) return 1;
        const place = has("l") ? "" : lastIsEnd ? `, line ${line - 1}` : `, in line ${line}`;
        const name = one.length === 0 ? first : second;
        await io.stderr.write(
          at === 0 ? `cmp: EOF on ${name} which is empty\n` : `cmp: EOF on ${name} after byte ${at}${place}\n`,
        );
        return 1;
      }
      const length = Math.min(one.length, other.length, most - at, BLOCK);
      if (Buffer.compare(one.subarray(0, length), other.subarray(0, length)) !== 0) {
        differs = true;
        if (has("s")) return 1;
      }
      for (let index = 0; index < length; index += 1) {
        const [x = 0, y = 0] = [one[index], other[index]];
        if (x !== y) {
          if (!has("l")) {
            await io.stdout.write(`${first} ${second} differ: char ${at + index + 1}, line ${line}\n`);
            return 1;
          }
          const octal = (byte: number): string => byte.toString(8).padStart(3);
          await out.write(`${String(at + index + 1).padStart(2)} ${octal(x)} ${octal(y)}\n`);
        }
        lastIsEnd = x === 10;
        if (lastIsEnd) line += 1;
      }
      at += length;
      a.use(length);
      b.use(length);
      if (sliceIsSpent()) await giveWay(io);
    }
    await out.flush();
    return Number(differs);
  },
);

/** The bytes of an operand as they come. */
class Bytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(
    io: ProgramIo,
    private readonly operand: string,
  ) {
    this.#chunks = contentOf(io, operand)[Symbol.asyncIterator]();
  }

  /** Empty at the end. */
  async more(): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      try {
        const next = await this.#chunks.next();
        if (next.done === true) break;
        this.#rest = next.value;
      } catch (error) {
        throw new ProgramFailure(`${this.operand}: ${errnoText(error)}`, FAILURE);
      }
    }
    return this.#rest;
  }

  use(count: number): void {
    this.#rest = this.#rest.subarray(count);
  }
}
