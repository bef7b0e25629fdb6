import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";

/** For `validateArgs`: at most one NAME. */
export function nameArgument(invocation: Invocation): void {
  if (invocation.args.length > 1) {
    throw usageError(
      invocation,
      `one cluster name at most, not ${invocation.args.length}: ${invocation.args.join(" ")}`,
    );
  }
}

export const clusterName = (invocation: Invocation): string => invocation.args[0] ?? "default";
