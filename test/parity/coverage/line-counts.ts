import { commandUses } from "./command-uses.js";
import { type CommandList, leafCommands } from "./kubectl-flags.js";

/** What became of a line of a session. */
export interface RunLine {
  readonly command: string;
  readonly code: number;
  readonly stderr: string;
}

export interface LineCount {
  readonly command: string;
  readonly good: number;
  readonly wrong: number;
}

/** Ended by `timeout` or a signal: what would go on for ever, as a watch or a proxy, has gone well until then. */
const ENDED = [124, 130, 137, 143];

const FAILED = /^(?:error|Error)\b/m;

/**
 * How many lines of each command went well and how many did not. A line counts for the command that decides its code; where that
 * is piped on, what it wrote to stderr decides. A line counts once, however often it is run with the same outcome. Help and completion
 * are no calls of a command.
 */
export function countLines(lines: readonly RunLine[], commands: CommandList): readonly LineCount[] {
  const counts = new Map(leafCommands(commands).map(({ path }) => [path, { good: 0, wrong: 0 }]));
  for (const { command, code, stderr } of new Map(
    lines.map((line) => [`${line.code} ${line.command}`, line]),
  ).values()) {
    for (const use of commandUses(command, commands)) {
      const count = counts.get(use.command.path);
      const asksHelp = use.flags.some(({ owner, name }) => owner === "" && name === "help");
      if (count === undefined || use.decides === "no" || asksHelp) continue;
      const well = code === 0 || ENDED.includes(code);
      if (use.decides === "yes" ? !well : FAILED.test(stderr)) count.wrong++;
      else if (well) count.good++;
    }
  }
  return [...counts].map(([command, count]) => ({ command, ...count }));
}
