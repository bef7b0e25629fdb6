import { createHash } from "node:crypto";
import { FileError } from "../files/file-error.js";
import type { Program, ProgramIo } from "../program.js";
import { gnuProgram, type ParsedOptions, UsageError } from "./gnu-program.js";
import { eachLine, LineReader, unlatin } from "./latin-text.js";
import { baseName, contentOf, forEachPath } from "./options.js";

/** md5sum, sha256sum and their like, with -c. */
const digest = (algorithm: string): Program =>
  gnuProgram(
    {
      letters: "bctwz",
      long: {
        binary: "b",
        text: "t",
        check: "c",
        warn: "w",
        zero: "z",
        tag: "T",
        quiet: "q",
        status: "s",
        strict: "S",
        "ignore-missing": "m",
      },
    },
    (io, options) => (options.has("c") ? check(io, algorithm, options) : print(io, algorithm, options)),
  );

export const [md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum] = [
  digest("md5"),
  digest("sha1"),
  digest("sha224"),
  digest("sha256"),
  digest("sha384"),
  digest("sha512"),
] as const;

async function digestOf(io: ProgramIo, algorithm: string, file: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of contentOf(io, file)) hash.update(chunk);
  return hash.digest("hex");
}

function print(io: ProgramIo, algorithm: string, { has, operands }: ParsedOptions): Promise<number> {
  return forEachPath(
    io,
    operands.length === 0 ? ["-"] : operands,
    async (_path, operand) => {
      const hex = await digestOf(io, algorithm, operand);
      const end = has("z") ? "\0" : "\n";
      const escaped = has("z") ? operand : operand.replace(/[\\\n]/g, (char) => (char === "\n" ? "\\n" : "\\\\"));
      const mark = escaped === operand ? "" : "\\";
      await io.stdout.write(
        has("T")
          ? `${mark}${algorithm.toUpperCase()} (${escaped}) = ${hex}${end}`
          : `${mark}${hex} ${has("b") ? "*" : " "}${escaped}${end}`,
      );
    },
    (operand) => operand,
  );
}

/** What -c has counted. */
interface Counts {
  wrong: number;
  failed: number;
  unread: number;
  good: number;
}

async function check(io: ProgramIo, algorithm: string, { has, operands }: ParsedOptions): Promise<number> {
  if (has("T")) throw new UsageError("the --tag option is meaningless when verifying checksums");
  const name = baseName(io.name);
  let code = 0;
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const counts: Counts = { wrong: 0, failed: 0, unread: 0, good: 0 };
    const shown = operand === "-" ? "'standard input'" : operand;
    const warn = async (text: string): Promise<void> => {
      if (!has("s")) await io.stderr.write(`${name}: WARNING: ${text}\n`);
    };
    try {
      await eachLine(io, new LineReader(contentOf(io, operand), io.memory), (line) =>
        checkLine(io, algorithm, line, has, counts),
      );
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      await io.stderr.write(`${name}: ${operand}: ${error.message}\n`);
      code = 1;
      continue;
    }
    const { wrong, failed, unread, good } = counts;
    if (good + failed + unread === 0) {
      await io.stderr.write(`${name}: ${shown}: no properly formatted checksum lines found\n`);
      code = 1;
      continue;
    }
    if (wrong > 0) await warn(`${wrong} ${wrong === 1 ? "line is" : "lines are"} improperly formatted`);
    if (unread > 0) await warn(`${unread} listed ${unread === 1 ? "file" : "files"} could not be read`);
    if (failed > 0) await warn(`${failed} computed ${failed === 1 ? "checksum" : "checksums"} did NOT match`);
    if (failed > 0 || unread > 0 || (wrong > 0 && has("S"))) code = 1;
  }
  return code;
}

async function checkLine(
  io: ProgramIo,
  algorithm: string,
  line: string,
  has: ParsedOptions["has"],
  counts: Counts,
): Promise<void> {
  if (line.startsWith("#")) return;
  const length = createHash(algorithm).digest("hex").length;
  const [, plain, plainFile] = /^\\?([0-9A-Fa-f]+) [ *]([^]+?)\r?$/.exec(line) ?? [];
  const [, tag = "", tagFile, tagged] = /^(\w+) \(([^]+)\) = ([0-9A-Fa-f]+)\r?$/.exec(line) ?? [];
  const hex = plain ?? tagged ?? "";
  const file = unlatin(plainFile ?? tagFile ?? "");
  if (hex.length !== length || (tagged !== undefined && tag.toLowerCase() !== algorithm)) {
    counts.wrong += 1;
    return;
  }
  const report = (text: string): Promise<void> | undefined =>
    has("s") ? undefined : io.stdout.write(`${file}: ${text}\n`);
  let actual: string;
  try {
    actual = await digestOf(io, algorithm, file);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (has("m") && error.code === "ENOENT") return;
    counts.unread += 1;
    await io.stderr.write(`${baseName(io.name)}: ${file}: ${error.message}\n`);
    await report("FAILED open or read");
    return;
  }
  if (actual === hex.toLowerCase()) {
    counts.good += 1;
    if (!has("q")) await report("OK");
  } else {
    counts.failed += 1;
    await report("FAILED");
  }
}
