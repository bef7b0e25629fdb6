import { LeaveLoop } from "./control-flow.js";
import { expandArithmetic, expandPattern, expandWord, expandWords, matchesPattern } from "./expansion/expand.js";
import { holds } from "./condition.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import { failed } from "./simple-command.js";
import type { Command, CompoundCommand, Word } from "./parse/syntax.js";

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
      return runFor(shell, command, streams, tested);
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

async function runFor(shell: Shell, command: Of<"for">, streams: ShellStreams, tested: boolean): Promise<number> {
  const values = command.words === undefined ? shell.positional : await expandWords(command.words, shell);
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
