import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/factory.js";

/** For `validateArgs`: at most one NAME. */
export function nameArgument(invocation: Invocation): void {
  if (invocation.args.length > 1) {
    throw usageError(
      invocation,
      `one cluster name at most, not ${invocation.args.length}: ${invocation.args.join(" ")}`,
    );
  }
}

/** The name a new cluster gets. */
export const newClusterName = ({ args: [name] }: Invocation): string => name ?? "default";

/** The cluster a command is about: without a NAME the only one there is. Throws when there is none, or several. */
export async function clusterName({ args: [name], commandPath }: Invocation, { env, cwd }: Factory): Promise<string> {
  if (name !== undefined) return name;
  const { onlyCluster } = await import("../../cluster/named/index.js");
  return onlyCluster(commandPath.slice(commandPath.lastIndexOf(" ") + 1), { env, cwd });
}
