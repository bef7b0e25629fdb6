import type { Command, Completer, Invocation } from "../../cli/command.js";
import { accessOf } from "../../cli/connect/kubeconfig-access.js";
import { withMistyped } from "../../base/text/mistyped.js";
import {
  completeClusters,
  completeContexts,
  completeUsers,
  firstOperand,
} from "../../cli/completion/global-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";

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

type Kind = "cluster" | "context" | "user";

const SECTIONS = { cluster: "clusters", context: "contexts", user: "users" } as const;
const COMPLETERS: Readonly<Record<Kind, Completer>> = {
  cluster: completeClusters,
  context: completeContexts,
  user: completeUsers,
};

/** delete-cluster, delete-context and delete-user. */
function deleteEntryCommand(kind: Kind): Command {
  return {
    use: `delete-${kind} NAME`,
    description: `Delete a ${kind} from the kubeconfig.`,
    examples: `# Delete the ${kind} minikube
{{program}} config delete-${kind} minikube`,
    flags: [],
    execute: (factory, invocation) => deleteEntry(kind, factory, invocation),
    completeArgs: firstOperand(COMPLETERS[kind]),
  };
}

export const deleteClusterCommand = (): Command => deleteEntryCommand("cluster");
export const deleteContextCommand = (): Command => deleteEntryCommand("context");
export const deleteUserCommand = (): Command => deleteEntryCommand("user");

async function deleteEntry(kind: Kind, { streams, ...factory }: Factory, invocation: Invocation): Promise<void> {
  const access = accessOf({ streams, ...factory }, invocation);
  const config = await access.start();
  const [name] = invocation.args;
  if (name === undefined || invocation.args.length !== 1) {
    if (kind === "user") throw usageError(invocation, "user to delete is required");
    return await invocation.printHelp();
  }
  const file = access.file();
  const entries = config[SECTIONS[kind]];
  if (!entries.has(name)) {
    const error = new Error(`cannot delete ${kind} ${name}, not in ${file}`);
    throw withMistyped(error, () => ({ typed: name, known: entries.keys() }));
  }
  if (kind === "context" && config.currentContext === name) {
    streams.err.write(
      'warning: this removed your active context, use "kubectl config use-context" to select a different one\n',
    );
  }
  entries.delete(name);
  await access.modify(config, true);
  streams.out.write(`deleted ${kind} ${name} from ${file}\n`);
}
