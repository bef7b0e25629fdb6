import type { Command } from "../../cli/command.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";

/** get-clusters and get-users: a heading and the names, sorted. */
function getNamesCommand(section: "clusters" | "users"): Command {
  return {
    use: `get-${section} [flags]`,
    description: `List the ${section} of the kubeconfig.`,
    examples: `# List the ${section}
{{program}} config get-${section}`,
    flags: [],
    execute: async (factory, invocation) => {
      const config = await accessOf(factory, invocation).start();
      const names = [...config[section].keys()].sort();
      factory.streams.out.write(["NAME", ...names].map((name) => `${name}\n`).join(""));
    },
  };
}

export const getClustersCommand = (): Command => getNamesCommand("clusters");
export const getUsersCommand = (): Command => getNamesCommand("users");
