import { createGunzip, createGzip } from "node:zlib";
import { outside } from "../../../base/async/turns.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { Program, ProgramIo } from "../program.js";
import { errnoText, gnuProgram, type ParsedOptions, ProgramFailure } from "./gnu-program.js";
import { baseName, contentOf } from "./options.js";

/** What the stream of zlib holds, in bytes. */
const STREAM_BYTES = 256 * 1024;
/** Exit code where a file is left as it is. */
const LEFT = 2;

/** gzip, and gunzip and zcat by their names. */
export const gzip: Program = gnuProgram(
  {
    letters: "cdfkqtnN123456789v",
    long: {
      stdout: "c",
      "to-stdout": "c",
      decompress: "d",
      uncompress: "d",
      force: "f",
      keep: "k",
      quiet: "q",
      test: "t",
      "no-name": "n",
      fast: "1",
      best: "9",
    },
  },
  async (io, options) => {
    const name = baseName(io.name);
    const isZcat = name === "zcat";
    const unpacks = isZcat || name === "gunzip" || options.has("dt");
    let code = 0;
    for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
      try {
        code = Math.max(code, await one(io, options, operand, unpacks, isZcat || options.has("ct") || operand === "-"));
      } catch (error) {
        const shown = operand === "-" ? "stdin" : operand;
        const message = error instanceof FileError ? `${shown}: ${errnoText(error)}` : zlibMessage(error, shown);
        await io.stderr.write(message.startsWith("\n") ? message : `gzip: ${message}\n`);
        code = 1;
      }
    }
    return code;
  },
);

async function one(
  io: ProgramIo,
  { has, given }: ParsedOptions,
  operand: string,
  unpacks: boolean,
  toOutput: boolean,
): Promise<number> {
  const level = Number(given.findLast(([letter]) => /\d/.test(letter))?.[0] ?? 6);
  const say = async (text: string): Promise<number> => {
    await io.stderr.write(`gzip: ${text}\n`);
    return LEFT;
  };
  if (toOutput) {
    await convert(io, operand, unpacks, level, async (chunk) => {
      if (!has("t")) await io.stdout.write(chunk);
    });
    return 0;
  }
  const path = absolute(io.cwd, operand);
  const node = io.files.find(path);
  if (node.kind === "directory") return say(`${operand} is a directory -- ignored`);
  const [, stem = operand, suffix = ""] = /^([^]*)\.(gz|tgz)$/.exec(operand) ?? [];
  if (unpacks && suffix === "") return say(`${operand}: unknown suffix -- ignored`);
  if (!unpacks && suffix !== "") {
    await say(`${operand} already has .${suffix} suffix -- unchanged`);
    return 0;
  }
  const target = unpacks ? (suffix === "tgz" ? `${stem}.tar` : stem) : `${operand}.gz`;
  const targetPath = absolute(io.cwd, target);
  if (io.files.look(targetPath) !== undefined && !has("f")) return say(`${target} already exists;\tnot overwritten`);
  const writer = io.files.open(targetPath, { mode: node.mode });
  try {
    await convert(io, operand, unpacks, level, (chunk) => writer.write(chunk));
  } catch (error) {
    // Half a file is none.
    io.files.remove(targetPath, { force: true });
    throw error;
  }
  if (!has("k")) io.files.remove(path);
  return 0;
}

/** Packs or unpacks piece by piece; what zlib does in its threads is waited for outside of the order of turns. */
async function convert(
  io: ProgramIo,
  operand: string,
  unpacks: boolean,
  level: number,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  io.memory.take(STREAM_BYTES);
  const stream = unpacks ? createGunzip() : createGzip({ level });
  let failure: Error | undefined;
  const feeding = (async () => {
    try {
      for await (const chunk of contentOf(io, operand)) {
        if (!stream.write(chunk))
          await outside(new Promise((resolve) => stream.once("drain", resolve).once("close", resolve)));
        if (stream.destroyed) return;
      }
      stream.end();
    } catch (error) {
      failure = error as Error;
      stream.destroy();
    }
  })();
  try {
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (let next = await outside(chunks.next()); next.done !== true; next = await outside(chunks.next()))
      await write(next.value);
  } catch (error) {
    throw failure ?? error;
  } finally {
    stream.destroy();
    await feeding;
    io.memory.give(STREAM_BYTES);
  }
  if (failure !== undefined) throw failure;
}

/** gzip's words for what zlib says. Throws other errors on. */
function zlibMessage(error: unknown, shown: string): string {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "Z_BUF_ERROR") return `\ngzip: ${shown}: unexpected end of file\n`;
  if (code === "Z_DATA_ERROR")
    return (error as Error).message.includes("header check")
      ? `\ngzip: ${shown}: not in gzip format\n`
      : `\ngzip: ${shown}: invalid compressed data--format violated\n`;
  if (error instanceof ProgramFailure) return error.message;
  throw error;
}
