import { errorMessage } from "../../../base/error-message.js";
import { inOrder } from "../../../base/turns.js";
import type { Program, ProgramIo } from "../program.js";
import { contentOf, forEachPath, linesOf, optionsOf } from "./options.js";

/** The longest pattern, in UTF-16 units, and how many instructions it may become at most: a longer one takes too long to compile. */
const LONGEST_PATTERN = 512;
const MOST_INSTRUCTIONS = 4096;
/** A class of Unicode's costs as much as so many characters of a pattern. */
const CLASS_INSTRUCTIONS = 32;
/** A pattern and a line may need so many steps: lines are not matched in slices of the event loop. */
const MOST_STEPS = 256 * 1024;

/** The pattern or a line of the input takes too long. The message is for stderr. */
class GrepError extends Error {}

type Matches = (line: string) => boolean;

/** grep with -i, -v, -c, -q and -F. A pattern takes time in proportion to the line: RE2 does not backtrack. */
export const grep: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const [pattern = "", ...files] = operands;
  try {
    const matches = flags.has("F")
      ? textMatcher(pattern, flags.has("i"))
      : await patternMatcher(pattern, flags.has("i"));
    return await search(io, files, matches, flags);
  } catch (error) {
    if (!(error instanceof GrepError)) throw error;
    await io.stderr.write(`grep: ${error.message}\n`);
    return 2;
  }
};

function textMatcher(pattern: string, ignoresCase: boolean): Matches {
  const texts = (ignoresCase ? pattern.toLowerCase() : pattern).split("\n");
  return (line) => {
    const text = ignoresCase ? line.toLowerCase() : line;
    return texts.some((one) => text.includes(one));
  };
}

async function patternMatcher(pattern: string, ignoresCase: boolean): Promise<Matches> {
  if (pattern.length > LONGEST_PATTERN || instructionsOf(pattern) > MOST_INSTRUCTIONS)
    throw new GrepError("Regular expression too big");
  const { goRegexp } = await inOrder(import("../../../machinery/structural/go-regexp.js"));
  try {
    const compiled = goRegexp(ignoresCase ? `(?i)${pattern}` : pattern);
    const longest = MOST_STEPS / compiled.programSize();
    return (line) => {
      if (line.length > longest) throw new GrepError("line too long for the regular expression");
      return compiled.test(line);
    };
  } catch (error) {
    throw new GrepError(errorMessage(error));
  }
}

/** At most so many instructions come of the pattern. */
function instructionsOf(pattern: string): number {
  const repeats = (before: RegExp): number[] =>
    [...pattern.matchAll(before)].map(([, least = "", most = ""]) => Math.max(Number(least), Number(most), 1));
  const ofGroups = repeats(/\)\{(\d+)(?:,(\d*))?/g).reduce((product, one) => product * one, 1);
  const others = Math.max(1, ...repeats(/\{(\d+)(?:,(\d*))?/g));
  const classes = (pattern.match(/\\[pP]/g) ?? []).length;
  return (pattern.length + classes * CLASS_INSTRUCTIONS) * ofGroups * others;
}

async function search(
  io: ProgramIo,
  files: readonly string[],
  matches: Matches,
  flags: ReadonlySet<string>,
): Promise<number> {
  let found = 0;
  const failed = await forEachPath(
    io,
    files.length === 0 ? ["-"] : files,
    async (_path, operand) => {
      for await (const line of linesOf(contentOf(io, operand))) {
        const text = line.toString("utf8", 0, line.at(-1) === LINE_FEED ? line.length - 1 : line.length);
        if (matches(text) === flags.has("v")) continue;
        found += 1;
        if (flags.has("c") || flags.has("q")) continue;
        if (files.length > 1) await io.stdout.write(`${operand}:`);
        await io.stdout.write(line);
      }
    },
    (operand) => operand,
  );
  if (flags.has("c")) await io.stdout.write(`${found}\n`);
  return failed > 0 ? 2 : Number(found === 0);
}

const LINE_FEED = 10;
