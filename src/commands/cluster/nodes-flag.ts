import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

const MOST_NODES = 25_000;

/** --nodes: how many nodes of the cluster's own process run pods. */
export const nodesFlag: FlagSpec = {
  name: "nodes",
  type: "int",
  default: "1",
  usage:
    "How many nodes run pods. `start` without it has as many as the cluster had. They are part of the cluster's process: pods go through their phases, and nothing of the machine runs. With 0, pods wait for a node from elsewhere.",
};

/** Undefined when the flag is not given. Throws a usage error for a number that cannot be. */
export function nodesOf(invocation: Invocation): number | undefined {
  if (!invocation.flags.changed("nodes")) return undefined;
  const nodes = invocation.flags.number("nodes");
  if (nodes >= 0 && nodes <= MOST_NODES) return nodes;
  throw usageError(invocation, `invalid number of nodes ${nodes}: use 0 to ${MOST_NODES}`);
}
