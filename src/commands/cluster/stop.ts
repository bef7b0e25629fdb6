import type { Command } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeClusterNames } from "./complete-names.js";
import { clusterName, nameArgument } from "./name-argument.js";
import { failPlainly } from "./storage-flag.js";

export function clusterStopCommand(run = stopCluster): Command {
  return {
    use: "stop [NAME]",
    description:
      "Stop a named cluster. What it keeps on disk is there again at the next start. Without a NAME it is the only cluster there is.",
    examples: "  {{program}} cluster stop\n  {{program}} cluster stop dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: (factory, invocation) => failPlainly(async () => run(await clusterName(invocation, factory), factory)),
  };
}

async function stopCluster(name: string, { env, cwd, clock, log, streams }: Factory): Promise<void> {
  const { stopNamedCluster } = await import("../../cluster/named/index.js");
  const stopped = await stopNamedCluster(name, { env, cwd, clock, log: await log() });
  streams.out.write(stopped ? `cluster "${name}" stopped\n` : `cluster "${name}" was not running\n`);
}
