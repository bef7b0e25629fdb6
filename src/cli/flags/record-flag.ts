import type { Invocation } from "../command.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** Deprecated, and still in many scripts. */
export const recordFlag: FlagSpec = {
  name: "record",
  type: "bool",
  deprecated: "--record will be removed in the future",
  usage: "Note this command line in an annotation of what it changes",
};

/**
 * Returns the change cause of --record: the command with its operands, then its flags as `--name=value` in the order in which they were
 * given. Undefined without --record.
 */
export function readRecord({ typedPath, args, flags }: Invocation): string | undefined {
  if (!flags.bool("record")) return undefined;
  return [typedPath, ...args, ...flags.order.map(({ name, text }) => `--${name}=${text}`)].join(" ");
}
