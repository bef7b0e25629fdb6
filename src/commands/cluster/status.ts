import type { Command } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory } from "../../cli/factory.js";
import { completeClusterNames } from "./complete-names.js";
import { clusterName, nameArgument } from "./name-argument.js";
import { failPlainly } from "./storage-flag.js";
import { wantsColour } from "../../cli/colour.js";

export function clusterStatusCommand(run = showStatus): Command {
  return {
    use: "status [NAME]",
    description:
      "Show whether a named cluster runs, where it answers and where it keeps its data. The exit code is 1 unless it runs.",
    examples: "  {{program}} cluster status dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: async (factory, invocation) => {
      const running = await failPlainly(() => run(clusterName(invocation), factory));
      if (!running) throw silentExit();
    },
  };
}

async function showStatus(name: string, { env, cwd, streams }: Factory): Promise<boolean> {
  const { clusterStatus } = await import("../../cluster/named/index.js");
  const { state, context, record } = await clusterStatus(name, { env, cwd });
  const [{ default: Table }, { Chalk }] = await Promise.all([import("cli-table3"), import("chalk")]);
  const paint = new Chalk({ level: wantsColour(streams.out, env) ? 1 : 0 });
  const table = new Table({ chars: NO_LINES, style: { "padding-left": 0, "padding-right": 2 } });
  table.push(
    ["Name:", name],
    ["State:", state === "Running" ? paint.green(state) : paint.red(state)],
    ["Server:", record.url],
    ["Context:", context],
    ["Storage:", record.storage],
    ["Data:", record.dataDir],
    ["Process:", state === "Stopped" ? "<none>" : String(record.pid)],
    ["Started:", record.startedAt],
  );
  for (const line of table.toString().split("\n")) streams.out.write(`${line.trimEnd()}\n`);
  return state === "Running";
}

/** cli-table3 draws a grid unless every part of it is empty. */
const NO_LINES = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat("mid", "mid-mid", "middle")
    .map((part) => [part, ""]),
);
