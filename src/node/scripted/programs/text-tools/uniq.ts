import { absolute } from "../../files/file-system.js";
import type { Program } from "../../program.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "../gnu-program.js";
import { eachLine, readEach, TextOutput } from "../latin-text.js";

/** How wide -c shows a count. */
const COUNT_WIDTH = 7;

export const uniq: Program = gnuProgram(
  {
    letters: "cdDuif:s:w:z",
    long: {
      count: "c",
      repeated: "d",
      unique: "u",
      "ignore-case": "i",
      "skip-fields": "f",
      "skip-chars": "s",
      "check-chars": "w",
      "zero-terminated": "z",
    },
  },
  async (io, { operands, has, value }) => {
    if (operands.length > 2) throw new UsageError(`extra operand '${operands[2] ?? ""}'`);
    const number = (letter: string, what: string, usual: number): number => {
      const text = value(letter);
      if (text !== undefined && !/^\d+$/.test(text)) throw new ProgramFailure(`${text}: invalid number of ${what}`);
      return text === undefined ? usual : Number(text);
    };
    const fields = number("f", "fields to skip", 0);
    const skipped = number("s", "bytes to skip", 0);
    const compared = number("w", "bytes to compare", Number.POSITIVE_INFINITY);
    const keyOf = (line: string): string => {
      let rest = line;
      for (let left = fields; left > 0 && rest !== ""; left -= 1) rest = rest.replace(/^[ \t]*[^ \t]*/, "");
      const key = rest.slice(skipped, compared === Number.POSITIVE_INFINITY ? undefined : skipped + compared);
      return has("i") ? key.toLowerCase() : key;
    };
    const end = has("z") ? "\0" : "\n";
    const out = new TextOutput(outputOf(operands[1]));
    let [first, key, count]: [string | undefined, string, number] = [undefined, "", 0];
    const finish = (): Promise<void> | undefined => {
      if (first === undefined || has("D") || (has("d") && count === 1) || (has("u") && count > 1)) return undefined;
      return out.write(`${has("c") ? `${String(count).padStart(COUNT_WIDTH)} ` : ""}${first}${end}`);
    };
    const code = await readEach(
      io,
      operands.slice(0, 1),
      out,
      async (reader) => {
        await eachLine(io, reader, async (line) => {
          const next = keyOf(line);
          if (first !== undefined && next === key) {
            if (has("D")) await out.write(`${count === 1 ? first + end : ""}${line}${end}`);
            count += 1;
            return;
          }
          await finish();
          if (first !== undefined) io.memory.give(first.length);
          io.memory.take(line.length);
          [first, key, count] = [line, next, 1];
        });
        await finish();
      },
      { delimiter: end.charCodeAt(0) },
    );
    return code;

    function outputOf(operand: string | undefined) {
      if (operand === undefined || operand === "-") return io.stdout;
      try {
        const writer = io.files.open(absolute(io.cwd, operand));
        return { write: (data: string | Uint8Array) => writer.write(Buffer.from(data as Uint8Array)) };
      } catch (error) {
        throw new ProgramFailure(`${operand}: ${errnoText(error)}`);
      }
    }
  },
);
