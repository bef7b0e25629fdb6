import type { Program, ProgramIo } from "../../program.js";
import { errnoText, gnuProgram, ProgramFailure } from "../gnu-program.js";
import { latin, LineReader } from "../latin-text.js";
import { contentOf } from "../options.js";
import { parseSed, type ScriptPart } from "./parse-sed.js";
import { SedInput } from "./sed-input.js";
import { SedRun } from "./run-sed.js";

const USAGE = "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...";
const LINE_LENGTH = 70;

/** GNU's sed, without e and back-references in patterns. */
export const sed: Program = gnuProgram(
  {
    letters: "ne:f:i::Ersuzl:",
    long: {
      quiet: "n",
      silent: "n",
      expression: "e",
      file: "f",
      "in-place": "i",
      "regexp-extended": "E",
      separate: "s",
      unbuffered: "u",
      "null-data": "z",
      "zero-terminated": "z",
      "line-length": "l",
      posix: "u",
      version: "V",
    },
    usage: USAGE,
  },
  async (io, { given, operands, has, value }) => {
    if (has("V")) {
      await io.stdout.write("sed (GNU sed) 4.9\n");
      return 0;
    }
    const parts: ScriptPart[] = [];
    for (const [letter, text] of given) {
      if (letter === "e") parts.push({ text: latin(text) });
      if (letter === "f") parts.push({ file: text, text: await scriptFile(io, text) });
    }
    const files = [...operands];
    if (parts.length === 0) {
      const script = files.shift();
      if (script === undefined) {
        await io.stderr.write(`${USAGE}\n`);
        return 1;
      }
      parts.push({ text: latin(script) });
    }
    const commands = parseSed(parts, has("Er"));
    const quiet = has("n") || /^#n(\n|$)/.test(parts[0]?.text ?? "");
    const input = new SedInput(io, files.length === 0 ? ["-"] : files, {
      isNullData: has("z"),
      separate: has("s"),
      inPlace: has("i") ? (value("i") ?? "") : undefined,
    });
    const lineLength = Number(value("l") ?? LINE_LENGTH);
    const run = new SedRun(io, commands, input, { quiet, delimiter: has("z") ? "\0" : "\n", lineLength });
    try {
      const code = await run.run();
      await input.close();
      return code === 0 ? input.failure : code;
    } catch (error) {
      // A file that is being edited stays as it was.
      if (error instanceof ProgramFailure) await input.flush();
      throw error;
    }
  },
);

async function scriptFile(io: ProgramIo, file: string): Promise<string> {
  const lines: string[] = [];
  try {
    const reader = new LineReader(contentOf(io, file), io.memory);
    for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
      io.memory.take(line.length);
      lines.push(line);
    }
  } catch (error) {
    throw new ProgramFailure(`couldn't open file ${file}: ${errnoText(error)}`, 4);
  }
  return lines.join("\n");
}
