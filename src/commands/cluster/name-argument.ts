import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { clusterOfContext } from "../../client/config/named-cluster.js";

/** Validates that the arguments are at most one NAME. */
export function nameArgument(invocation: Invocation): void {
  if (invocation.args.length > 1) {
    throw usageError(
      invocation,
      `give at most one cluster name, not ${invocation.args.length}: ${invocation.args.join(" ")}`,
    );
  }
}

/** The name a new cluster gets. */
export const newClusterName = ({ args: [name] }: Invocation): string => name ?? "default";

/** The cluster of a command: the named one, or without a NAME the only one. Throws when there is none, or several. */
export async function clusterName({ args: [name], commandPath }: Invocation, { env, cwd }: Factory): Promise<string> {
  if (name !== undefined) return name;
  const { onlyCluster } = await import("../../cluster/named/index.js");
  return onlyCluster(commandPath.slice(commandPath.lastIndexOf(" ") + 1), { env, cwd });
}

/** A cluster to show, and the others where no NAME was given. */
export interface ShownCluster {
  readonly name: string;
  readonly others: readonly string[];
}

/** As {@link clusterName}, for a command that only reads: if several clusters exist, it takes that of the context in force. */
export async function shownCluster(invocation: Invocation, factory: Factory): Promise<ShownCluster> {
  const [given] = invocation.args;
  if (given !== undefined) return { name: given, others: [] };
  const { clusterNames } = await import("../../cluster/named/index.js");
  const names = await clusterNames(factory);
  const current = names.length > 1 ? await currentCluster(invocation, factory) : undefined;
  const name = current !== undefined && names.includes(current) ? current : await clusterName(invocation, factory);
  return { name, others: names.filter((one) => one !== name) };
}

/** The cluster of the context in force, by the name of the kubeconfig's entry: users of a cluster have contexts of their own. */
async function currentCluster({ flags }: Invocation, { rawConfig }: Factory): Promise<string | undefined> {
  // A kubeconfig that cannot be read names no cluster.
  const config = await rawConfig().catch(() => undefined);
  const context = flags.string("context") || (config?.currentContext ?? "");
  return clusterOfContext(config?.contexts.get(context)?.cluster ?? "");
}
