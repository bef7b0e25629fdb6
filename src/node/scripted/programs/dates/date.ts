import { absolute } from "../../files/file-system.js";
import type { Program } from "../../program.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "../gnu-program.js";
import { latin } from "../latin-text.js";
import { formatDate } from "./format-date.js";
import { parseDate } from "./parse-date.js";

const USUAL = "%a %b %e %H:%M:%S %Z %Y";
const ISO: Readonly<Record<string, string>> = {
  __proto__: null as never,
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};

/** date in UTC: +FORMAT, -d, -r, -I, -R and -u. It sets no clock. */
export const date: Program = gnuProgram(
  {
    letters: "d:r:I::Rus:",
    long: {
      date: "d",
      reference: "r",
      "iso-8601": "I",
      "rfc-email": "R",
      "rfc-2822": "R",
      "rfc-3339": "3:",
      utc: "u",
      universal: "u",
      set: "s",
    },
  },
  async (io, { given, operands, has, value }) => {
    let format = USUAL;
    for (const [letter, text] of given) {
      if (letter === "R") format = "%a, %d %b %Y %H:%M:%S %z";
      if (letter === "3") format = (ISO[text] ?? USUAL).replace("T", " ").replace(",", ".");
      if (letter !== "I") continue;
      const iso = ISO[text === "" ? "date" : text];
      if (iso === undefined) throw new UsageError(`invalid argument '${text}' for '--iso-8601'`);
      format = iso;
    }
    const [operand, extra] = operands;
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    if (operand?.startsWith("+") === true) format = operand.slice(1);
    else if (operand !== undefined) throw new ProgramFailure(`invalid date '${operand}'`);
    if (has("s")) throw new ProgramFailure("cannot set date: Operation not permitted");
    const now = io.clock.now();
    let time = now;
    const text = value("d");
    const file = value("r");
    if (text !== undefined) {
      const parsed = parseDate(text, now);
      if (parsed === undefined || Number.isNaN(parsed)) throw new ProgramFailure(`invalid date '${text}'`);
      time = parsed;
    } else if (file !== undefined) {
      try {
        time = io.files.find(absolute(io.cwd, file)).mtime * 1000;
      } catch (error) {
        throw new ProgramFailure(`${file}: ${errnoText(error)}`);
      }
    }
    if (Math.abs(time) > LATEST) throw new ProgramFailure(`time '${Math.floor(time / 1000)}' is out of range`);
    await io.stdout.write(Buffer.from(`${formatDate(latin(format), time)}\n`, "latin1"));
    return 0;
  },
);

/** JavaScript's times end here, in milliseconds. */
const LATEST = 8.64e15;
