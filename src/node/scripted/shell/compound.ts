import { LeaveLoop } from "./control-flow.js";
import { expandArithmetic, expandPattern, expandWord, expandWords, matchesPattern } from "./expansion/expand.js";
import { holds } from "./condition.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import { failed } from "./simple-command.js";
import type { Command, CompoundCommand, Word } from "./parse/syntax.js";
import type { BuiltinCall } from "./builtins/builtin.js";
import { writeText } from "./builtins/builtin-output.js";
import { readLine } from "./builtins/builtin-read.js";
import { widthOf } from "./line-editor.js";

type Of<K extends CompoundCommand["kind"]> = Extract<CompoundCommand, { kind: K }>;

/** Runs a group, a subshell, a condition or a loop. Where the code is `tested`, a failure does not end the shell. */
export async function runCompound(
  shell: Shell,
  command: CompoundCommand,
  streams: ShellStreams,
  tested: boolean,
): Promise<number> {
  switch (command.kind) {
    case "group":
      return shell.run(command.body, streams, tested);
    case "subshell":
      return runInSubshell(shell, command.body, { ...streams });
    case "if":
      return runIf(shell, command, streams, tested);
    case "while":
      return runWhile(shell, command, streams, tested);
    case "for":
    case "select":
      return runWithWords(shell, command, streams, tested);
    case "case":
      return runCase(shell, command, streams, tested);
    case "counting":
      return runCounting(shell, command, streams, tested);
    case "condition":
      return checked(shell, command.line, streams, () => holds(command.condition, shell));
    case "arithmetic":
      return checked(
        shell,
        command.line,
        streams,
        async () => (await expandArithmetic(command.expression, shell)) !== 0n,
      );
  }
}

/** The code of what holds or does not, or of what could not be expanded. */
async function checked(
  shell: Shell,
  line: number,
  streams: ShellStreams,
  decide: () => Promise<boolean>,
): Promise<number> {
  const { held } = shell;
  shell.line = line;
  try {
    return (await decide()) ? 0 : 1;
  } catch (error) {
    return await failed(shell, error, streams, line);
  } finally {
    shell.giveBackTo(held);
  }
}

const runInSubshell = (shell: Shell, body: Command, streams: ShellStreams): Promise<number> =>
  shell.subshell(streams, (inner) => inner.run(body, streams));

async function runIf(shell: Shell, command: Of<"if">, streams: ShellStreams, tested: boolean): Promise<number> {
  for (const { test, body } of command.branches) {
    if ((await shell.run(test, streams, true)) === 0) return shell.run(body, streams, tested);
  }
  return command.otherwise === undefined ? 0 : shell.run(command.otherwise, streams, tested);
}

async function runWhile(shell: Shell, command: Of<"while">, streams: ShellStreams, tested: boolean): Promise<number> {
  let code = 0;
  while (((await shell.run(command.test, streams, true)) === 0) !== command.until) {
    const left = await runIteration(shell, command.body, streams, tested);
    if (left.stop) return left.code;
    code = left.code;
  }
  return code;
}

/** for and select. */
async function runWithWords(
  shell: Shell,
  command: Of<"for" | "select">,
  streams: ShellStreams,
  tested: boolean,
): Promise<number> {
  const values = command.words === undefined ? shell.positional : await expandWords(command.words, shell);
  if (command.kind === "select") {
    const call = { shell, streams, line: shell.line, tested };
    return choose(call, command.name, values, () => runIteration(shell, command.body, streams, tested));
  }
  let code = 0;
  for (const value of values) {
    shell.assign(command.name, value);
    const left = await runIteration(shell, command.body, streams, tested);
    if (left.stop) return left.code;
    code = left.code;
  }
  return code;
}

async function runCounting(
  shell: Shell,
  { first, test, next, line, body }: Of<"counting">,
  streams: ShellStreams,
  tested: boolean,
): Promise<number> {
  const evaluate = async (expression: Word, whenEmpty: bigint): Promise<bigint> => {
    const { held } = shell;
    shell.line = line;
    try {
      return expression.length === 0 ? whenEmpty : await expandArithmetic(expression, shell);
    } finally {
      shell.giveBackTo(held);
    }
  };
  let code = 0;
  await evaluate(first, 0n);
  while ((await evaluate(test, 1n)) !== 0n) {
    const left = await runIteration(shell, body, streams, tested);
    if (left.stop) return left.code;
    code = left.code;
    await evaluate(next, 0n);
  }
  return code;
}

async function runCase(shell: Shell, command: Of<"case">, streams: ShellStreams, tested: boolean): Promise<number> {
  const subject = await expandWord(command.subject, shell);
  let code = 0;
  let runsNext = false;
  for (const { patterns, body, next } of command.branches) {
    if (!runsNext && !(await matchesOne(patterns, subject, shell))) continue;
    code = await shell.run(body, streams, tested);
    if (next === "end") return code;
    runsNext = next === "body";
  }
  return code;
}

async function matchesOne(patterns: readonly Word[], subject: string, shell: Shell): Promise<boolean> {
  for (const pattern of patterns) {
    if (await matchesPattern(await expandPattern(pattern, shell), subject, shell)) return true;
  }
  return false;
}

async function runIteration(
  shell: Shell,
  body: Command,
  streams: ShellStreams,
  tested: boolean,
): Promise<{ readonly code: number; readonly stop: boolean }> {
  try {
    return { code: await shell.run(body, streams, tested), stop: false };
  } catch (error) {
    if (!(error instanceof LeaveLoop)) throw error;
    if (error.loops > 1) throw new LeaveLoop(error.kind, error.loops - 1);
    return { code: 0, stop: error.kind === "break" };
  }
}

const PROMPT = "#? ";
const COLUMNS = 80;
const TAB = 8;
/** Behind the number of a choice, and behind the choice. */
const PARENTHESIS = ") ";
const GAP = 2;

/** What one run of the body has come to. */
interface Iteration {
  readonly code: number;
  readonly stop: boolean;
}

/**
 * Asks which of the values is meant and runs the body with it, again and again, until the body leaves the loop or the input ends. The menu is
 * shown at first and whenever nothing was answered.
 */
async function choose(
  call: Pick<BuiltinCall, "shell" | "streams" | "line" | "tested">,
  name: string,
  values: readonly string[],
  body: () => Promise<Iteration>,
): Promise<number> {
  const { shell, streams } = call;
  if (values.length === 0) return 0;
  for (let answer = ""; ; answer = shell.parameter("REPLY") ?? "") {
    const { held } = shell;
    if (answer === "") await writeText(menu(values, screenWidth(call)), streams.stderr, shell.io);
    await writeText([shell.parameter("PS3") ?? PROMPT], streams.stderr, shell.io);
    if ((await readLine({ ...call, args: [], declarations: [] })) !== 0) {
      await writeText(["\n"], streams.stdout, shell.io);
      return 1;
    }
    const reply = (shell.parameter("REPLY") ?? "").trim();
    if (shell.parameter("REPLY") !== "") {
      shell.assign(name, (/^\+?\d+$/.test(reply) ? values[Number(reply) - 1] : undefined) ?? "");
      const { code, stop } = await body();
      if (stop) return code;
    }
    shell.giveBackTo(held);
  }
}

function screenWidth({ shell }: Pick<BuiltinCall, "shell">): number {
  const columns = Number(shell.parameter("COLUMNS"));
  return columns > 0 ? columns : (shell.io.terminal?.size.width ?? COLUMNS);
}

/** The numbered values, in as many columns as fit; one is filled before the next. */
function* menu(values: readonly string[], width: number): Generator<string, void> {
  const digits = String(values.length).length;
  let longest = 0;
  for (const value of values) longest = Math.max(longest, widthOf(value));
  const columnWidth = digits + PARENTHESIS.length + longest + GAP;
  const most = Math.max(1, Math.floor(width / columnWidth));
  const filled = Math.ceil(values.length / most);
  const rows = filled === 1 ? values.length : filled;
  for (let row = 0; row < rows; row += 1) {
    for (let [index, start] = [row, 0]; index < values.length; index += rows, start += columnWidth) {
      const number = String(index + 1).padStart(index < rows ? String(rows).length : digits);
      const item = `${number}${PARENTHESIS}${values[index] ?? ""}`;
      yield item;
      if (index + rows < values.length) yield blanks(start + widthOf(item), start + columnWidth);
    }
    yield "\n";
  }
}

/** From one column to another, by tabs where there is a stop between them. */
function blanks(from: number, to: number): string {
  let [text, at] = ["", from];
  while (at < to) {
    const stop = (Math.floor(at / TAB) + 1) * TAB;
    text += stop <= to ? "\t" : " ";
    at = stop <= to ? stop : at + 1;
  }
  return text;
}
