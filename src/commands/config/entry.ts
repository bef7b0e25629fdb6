import type { Command, CommandEntry } from "../../cli/command.js";

const leaf = (name: string, summary: string, load: () => Promise<Command>): CommandEntry => ({ name, summary, load });

export const configEntry: CommandEntry = {
  name: "config",
  summary: "Change kubeconfig files",
  group: {
    use: "config SUBCOMMAND",
    flags: [
      { name: "kubeconfig", type: "string", persistent: true, usage: "The one kubeconfig file to read or change" },
    ],
    description: `Read and change kubeconfig files, for example with "{{program}} config set current-context my-context".

 Which file is used:

  1.  The file given by --kubeconfig, and no other. The flag may be given once.
  2.  The files listed in $KUBECONFIG, merged. A value is changed in the file that holds it; a new one goes to the first file that exists, or to the last of the list when none does.
  3.  Otherwise ~/.kube/config.`,
  },
  children: [
    leaf("view", "Show the merged kubeconfig or one file of it", async () => (await import("./view.js")).viewCommand()),
    leaf("set-cluster", "Set a cluster of the kubeconfig", async () =>
      (await import("./set-cluster.js")).setClusterCommand(),
    ),
    leaf("set-credentials", "Set a user of the kubeconfig", async () =>
      (await import("./set-credentials.js")).setCredentialsCommand(),
    ),
    leaf("set-context", "Set a context of the kubeconfig", async () =>
      (await import("./set-context.js")).setContextCommand(),
    ),
    leaf("set", "Set one value of a kubeconfig", async () => (await import("./change-property.js")).setCommand()),
    leaf("unset", "Take one value out of a kubeconfig", async () =>
      (await import("./change-property.js")).unsetCommand(),
    ),
    leaf("current-context", "Print the name of the current context", async () =>
      (await import("./contexts.js")).currentContextCommand(),
    ),
    {
      ...leaf("use-context", "Make a context the current one", async () =>
        (await import("./contexts.js")).useContextCommand(),
      ),
      aliases: ["use"],
    },
    leaf("get-contexts", "List the contexts or show those named", async () =>
      (await import("./contexts.js")).getContextsCommand(),
    ),
    leaf("get-clusters", "List the clusters", async () => (await import("./entries.js")).getClustersCommand()),
    leaf("get-users", "List the users", async () => (await import("./entries.js")).getUsersCommand()),
    leaf("delete-cluster", "Delete a cluster from the kubeconfig", async () =>
      (await import("./entries.js")).deleteClusterCommand(),
    ),
    leaf("delete-context", "Delete a context from the kubeconfig", async () =>
      (await import("./entries.js")).deleteContextCommand(),
    ),
    leaf("delete-user", "Delete a user from the kubeconfig", async () =>
      (await import("./entries.js")).deleteUserCommand(),
    ),
    leaf("rename-context", "Give a context another name", async () =>
      (await import("./contexts.js")).renameContextCommand(),
    ),
  ],
};
