import type { Program, ProgramIo } from "../program.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "./gnu-program.js";
import { TextOutput } from "./latin-text.js";
import { contentOf } from "./options.js";

const USUAL_WIDTH = 76;
/** So many bytes are encoded at a time: a multiple of three. */
const BLOCK = 48 * 1024;

export const base64: Program = gnuProgram(
  { letters: "diw:", long: { decode: "d", "ignore-garbage": "i", wrap: "w" } },
  async (io, { has, operands, value }) => {
    const [file = "-", extra] = operands;
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    const width = value("w") ?? String(USUAL_WIDTH);
    if (!/^\d+$/.test(width)) throw new ProgramFailure(`invalid wrap size: '${width}'`);
    try {
      if (has("d")) return await decode(io, file, has("i"));
      await encode(io, file, Number(width));
      return 0;
    } catch (error) {
      if (error instanceof ProgramFailure) throw error;
      throw new ProgramFailure(`${file}: ${errnoText(error)}`);
    }
  },
);

/** Whole groups, of which the last one may have padding. Another part may follow that. */
const PART = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/;

async function encode(io: ProgramIo, file: string, width: number): Promise<void> {
  const out = new TextOutput(io.stdout);
  let column = 0;
  const write = async (text: string): Promise<void> => {
    if (width === 0) {
      await out.write(text);
      return;
    }
    for (let at = 0; at < text.length; ) {
      const part = text.slice(at, at + width - column);
      at += part.length;
      column += part.length;
      await out.write(part);
      if (column < width) continue;
      await out.write("\n");
      column = 0;
    }
  };
  let rest = Buffer.alloc(0);
  for await (const chunk of contentOf(io, file)) {
    for (let at = 0; at < chunk.length; at += BLOCK) {
      const bytes = Buffer.concat([rest, chunk.subarray(at, at + BLOCK)]);
      const whole = bytes.length - (bytes.length % 3);
      await write(bytes.toString("base64", 0, whole));
      rest = bytes.subarray(whole);
    }
  }
  await write(rest.toString("base64"));
  if (column > 0) await out.write("\n");
  await out.flush();
}

async function decode(io: ProgramIo, file: string, ignoresGarbage: boolean): Promise<number> {
  const garbage = ignoresGarbage ? /[^A-Za-z0-9+/=]+/g : /\n+/g;
  let rest = "";
  let isWrong = false;
  for await (const chunk of contentOf(io, file)) {
    for (let at = 0; at < chunk.length && !isWrong; at += BLOCK) {
      const bytes = Buffer.from(chunk.subarray(at, at + BLOCK));
      rest += bytes.toString("latin1").replace(garbage, "");
      for (let part = PART.exec(rest)?.[0]; part !== undefined && part !== ""; part = PART.exec(rest)?.[0]) {
        await io.stdout.write(Buffer.from(part, "base64"));
        rest = rest.slice(part.length);
      }
      isWrong = !/^[A-Za-z0-9+/]{0,3}=?$/.test(rest);
    }
    if (isWrong) break;
  }
  const [last = ""] = /^[A-Za-z0-9+/]{2,3}/.exec(rest) ?? [];
  if (last !== "") await io.stdout.write(Buffer.from(last, "base64"));
  if (rest === "") return 0;
  throw new ProgramFailure("invalid input");
}
