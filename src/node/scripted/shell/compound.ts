import { LeaveLoop } from "./control-flow.js";
import { expandPattern, expandWord, expandWords, matchesPattern } from "./expand.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import type { Command, CompoundCommand } from "./syntax.js";

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
      return shell.subshell(streams, (inner) => inner.run(command.body, streams));
    case "if":
      return runIf(shell, command, streams, tested);
    case "while":
      return runWhile(shell, command, streams, tested);
    case "for":
      return runFor(shell, command, streams, tested);
    case "case":
      return runCase(shell, command, streams, tested);
  }
}

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

async function runCase(shell: Shell, command: Of<"case">, streams: ShellStreams, tested: boolean): Promise<number> {
  const subject = await expandWord(command.subject, shell);
  for (const { patterns, body } of command.branches) {
    for (const pattern of patterns) {
      if (await matchesPattern(await expandPattern(pattern, shell), subject, shell))
        return shell.run(body, streams, tested);
    }
  }
  return 0;
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
