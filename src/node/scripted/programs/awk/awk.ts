import { absolute } from "../../files/file-system.js";
import type { Program } from "../../program.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "../gnu-program.js";
import { latin } from "../latin-text.js";
import { unescapeAwk } from "./awk-lexer.js";
import { AwkError } from "./awk-syntax.js";
import { parseAwk } from "./parse-awk.js";
import { AwkRun } from "./run-awk.js";

/** The longest program, in bytes. */
const LONGEST_PROGRAM = 1024 * 1024;

/** awk, as POSIX has it, with gensub(), systime(), strftime() and fflush(). */
export const awk: Program = gnuProgram(
  {
    letters: "+F:v:f:",
    long: { "field-separator": "F", assign: "v", file: "f" },
    usageCode: 2,
    usage: "usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]",
  },
  async (io, { given, operands, value }) => {
    const texts: string[] = [];
    for (const [letter, file] of given) {
      if (letter !== "f") continue;
      try {
        const content = await io.files.whole(absolute(io.cwd, file), LONGEST_PROGRAM);
        if (content === undefined) throw new AwkError(`${file} is too long`);
        texts.push(content.toString("latin1"));
      } catch (error) {
        if (error instanceof AwkError) throw error;
        throw new AwkError(`cannot open ${file} (${errnoText(error)})`);
      }
    }
    const files = [...operands];
    if (texts.length === 0) {
      const text = files.shift();
      if (text === undefined) throw new UsageError("no program text");
      texts.push(latin(text));
    }
    const program = parseAwk(texts.join("\n"));
    const assignments = given.filter(([letter]) => letter === "v").map(([, text]) => text);
    const invalid = assignments.find((text) => !/^[A-Za-z_]\w*=/.test(text));
    if (invalid !== undefined) throw new AwkError(`improper assignment: -v ${invalid}`);
    const separator = value("F");
    const run = new AwkRun(
      io,
      program,
      files,
      assignments,
      separator === undefined ? undefined : separator === "t" ? "\t" : unescapeAwk(latin(separator)),
    );
    try {
      return await run.run();
    } catch (error) {
      if (error instanceof ProgramFailure) await run.flush();
      throw error;
    }
  },
);
