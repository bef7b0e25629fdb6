import { errorMessage } from "../../../base/text/error-message.js";
import { inOrder } from "../../../base/async/turns.js";
import { CommandError } from "./control-flow.js";
import { instructionsOf, MOST_INSTRUCTIONS, MOST_STEPS } from "../limits/regexp-cost.js";

/** The longest pattern, in UTF-16 units: a longer one takes too long to compile. */
const LONGEST_PATTERN = 512;

/** The match in a text and its groups; undefined where there is none. Groups that have no part in it are "". */
export type Matcher = (text: string) => readonly string[] | undefined;

/** Compiles a regular expression of [[ a =~ b ]] in RE2's syntax, which does not backtrack. Throws a CommandError. */
export async function compileExpression(pattern: string): Promise<Matcher> {
  if (pattern.length > LONGEST_PATTERN || instructionsOf(pattern) > MOST_INSTRUCTIONS)
    throw new CommandError("[[: Regular expression too big");
  const { RE2JS } = await inOrder(import("re2js"));
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.LONGEST_MATCH | RE2JS.DOTALL);
    const longest = MOST_STEPS / compiled.programSize();
    return (text) => {
      if (text.length > longest) throw new CommandError("[[: text too long for the regular expression");
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? "");
    };
  } catch (error) {
    throw new CommandError(`[[: ${errorMessage(error)}`);
  }
}
