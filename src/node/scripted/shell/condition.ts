import { absolute } from "../files/file-system.js";
import type { FileNode } from "../files/node.js";
import { CommandError } from "./control-flow.js";
import { expandArithmetic, expandPattern, expandWord, matchesPattern } from "./expansion/expand.js";
import { joined } from "./expansion/expansion.js";
import type { Shell } from "./shell.js";
import type { Condition, Word } from "./parse/syntax.js";
import { compareFiles, fileTest } from "./builtins/test-condition.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { inOrder } from "../../../base/async/turns.js";
import { instructionsOf, MOST_INSTRUCTIONS, MOST_STEPS } from "../limits/regexp-cost.js";

/** Evaluates the condition between [[ and ]]. */
export async function holds(condition: Condition, shell: Shell): Promise<boolean> {
  switch (condition.kind) {
    case "and":
      for (const one of condition.all) if (!(await holds(one, shell))) return false;
      return true;
    case "or":
      for (const one of condition.all) if (await holds(one, shell)) return true;
      return false;
    case "not":
      return !(await holds(condition.condition, shell));
    case "unary":
      return unary(condition.operator, await expandWord(condition.word, shell), shell);
    case "binary":
      return binary(condition.operator, condition.left, condition.right, shell);
  }
}

function unary(operator: string, operand: string, shell: Shell): boolean {
  if (operator === "-v") return isSet(operand, shell);
  if (operator === "-o") return (shell.state.options as ReadonlySet<string>).has(operand);
  const test = fileTest(operator);
  if (test === undefined) throw new CommandError(`[[: ${operator}: unary operator expected`, 2, `[[ ${operator} ]]`);
  return test(
    operand,
    (path, follow = true, toWrite = false) => look(path, shell, follow, toWrite),
    shell.io.terminal !== undefined,
  );
}

/** Whether a variable or an element of an array is set (-v). */
export function isSet(operand: string, shell: Shell): boolean {
  const [, name = operand, key] = /^(\w+)\[(.*)\]$/.exec(operand) ?? [];
  return key === undefined ? shell.parameter(name) !== undefined : shell.array(name)?.elements.has(key) === true;
}

function look(path: string, { files, cwd }: Shell, follow: boolean, toWrite = false): FileNode | undefined {
  return files.look(absolute(cwd, path), { follow, toWrite });
}

async function binary(operator: string, left: Word, right: Word, shell: Shell): Promise<boolean> {
  if (operator.startsWith("-") && !["-nt", "-ot", "-ef"].includes(operator)) {
    const [a, b] = [await expandArithmetic(left, shell), await expandArithmetic(right, shell)];
    return compare(operator, a, b);
  }
  const text = await expandWord(left, shell);
  switch (operator) {
    case "=":
    case "==":
      return matchesPattern(await expandPattern(right, shell), text, shell);
    case "!=":
      return !(await matchesPattern(await expandPattern(right, shell), text, shell));
    case "=~":
      return matchesExpression(text, right, shell);
    case "<":
      return text < (await expandWord(right, shell));
    case ">":
      return text > (await expandWord(right, shell));
    default:
      return compareFiles(operator, look(text, shell, true), look(await expandWord(right, shell), shell, true));
  }
}

function compare(operator: string, a: bigint, b: bigint): boolean {
  switch (operator) {
    case "-eq":
      return a === b;
    case "-ne":
      return a !== b;
    case "-lt":
      return a < b;
    case "-le":
      return a <= b;
    case "-gt":
      return a > b;
    default:
      return a >= b;
  }
}

/** Sets BASH_REMATCH to the match and its groups. */
async function matchesExpression(text: string, word: Word, shell: Shell): Promise<boolean> {
  const pieces = await expandPattern(word, shell);
  const pattern = joined(
    pieces.map(({ text: part, quoted }) => ({
      text: quoted ? part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : part,
      quoted,
    })),
  );
  const groups = (await compileExpression(pattern))(text);
  shell.state.variables.setArray(
    "BASH_REMATCH",
    false,
    (groups ?? []).map((group, index) => [String(index), group]),
  );
  return groups !== undefined;
}

/** The longest pattern, in UTF-16 units: a longer one takes too long to compile. */
const LONGEST_PATTERN = 512;

/** Matches a text, and returns the match and its groups; undefined where it does not match. Groups that do not take part are "". */
export type Matcher = (text: string) => readonly string[] | undefined;

/** Compiles a regular expression of [[ a =~ b ]] in RE2's syntax, which does not backtrack. Throws a CommandError. */
async function compileExpression(pattern: string): Promise<Matcher> {
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
