import type { Command } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeClusterNames } from "./complete-names.js";
import { clusterName, nameArgument } from "./name-argument.js";
import { failPlainly } from "./storage-flag.js";

export function clusterDeleteCommand(run = deleteCluster): Command {
  return {
    use: "delete [NAME]",
    description:
      "Stop a named cluster, remove what it kept, and take its context out of the kubeconfig. Where that was the current one, the context is current again that was before the cluster's start, if it is still there. Without a NAME it is the only cluster there is.",
    examples: "  {{program}} cluster delete dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: (factory, invocation) => failPlainly(async () => run(await clusterName(invocation, factory), factory)),
  };
}

async function deleteCluster(name: string, { env, cwd, clock, log, streams }: Factory): Promise<void> {
  const { deleteNamedCluster } = await import("../../cluster/named/index.js");
  const current = await deleteNamedCluster(name, { env, cwd, clock, log: await log() });
  streams.out.write(`cluster "${name}" deleted\n`);
  if (current !== undefined) {
    streams.out.write(`context "${current.context}" is current again in ${current.file}\n`);
  }
}
