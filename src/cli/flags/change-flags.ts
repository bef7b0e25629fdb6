import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";
import type { Invocation } from "../command.js";
import { parseGoBool } from "../../base/text/go-literals.js";
import { withMistyped } from "../../base/text/mistyped.js";

/** The flags --overrides and --override-type, which change an object before a command creates it. */
export const overrideFlags: readonly FlagSpec[] = [
  { name: "overrides", type: "string", usage: "JSON that changes the object before it is created" },
  {
    name: "override-type",
    type: "string",
    default: "merge",
    usage: "What --overrides is: json (a list of operations), merge, or strategic",
  },
];

export const readOverrides = (flags: Flags): { readonly text: string; readonly type: string } => ({
  text: flags.string("overrides"),
  type: flags.string("override-type"),
});

/** The flag --record, which is deprecated and still in many scripts. */
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

// What apply and diff share.

export const serverSideFlags: readonly FlagSpec[] = [
  { name: "server-side", type: "bool", usage: "Let the server merge, and record who manages which field" },
  { name: "force-conflicts", type: "bool", usage: "With --server-side: take over fields that others manage" },
];

export const CLIENT_SIDE_MANAGER = "kubectl-client-side-apply";
const SERVER_SIDE_MANAGER = "kubectl";

/** Returns --field-manager, or the default name for client-side or server-side apply. */
export function readApplyManager(flags: Flags): string {
  if (flags.changed("field-manager")) return flags.string("field-manager");
  return flags.bool("server-side") ? SERVER_SIDE_MANAGER : CLIENT_SIDE_MANAGER;
}

export const pruneAllowlistFlag: FlagSpec = {
  name: "prune-allowlist",
  type: "stringArray",
  usage: "With --prune: a kind to look for, as group/version/kind, instead of the usual ones. Repeat it for more",
};

/** The line that kubectl logs when --prune uses its default kinds, with its place in kubectl's source. */
export const PRUNE_NOTICE = {
  source: "prune.go:71",
  text: "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.",
} as const;

export const cascadeFlag: FlagSpec = {
  name: "cascade",
  type: "string",
  default: "background",
  bare: "background",
  usage: 'Must be "background", "orphan", or "foreground". What becomes of the objects that the deleted one owns',
};

export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

/** Reads --cascade. The deprecated boolean values are accepted with a warning. */
export function readCascade(flags: Flags, warn: (text: string) => void): PropagationPolicy {
  const value = flags.string("cascade");
  switch (value) {
    case "orphan":
      return "Orphan";
    case "foreground":
      return "Foreground";
    case "background":
      return "Background";
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    const error = new Error(`invalid cascade value (${value}). Must be "background", "foreground", or "orphan"`);
    throw withMistyped(error, () => ({ typed: value, known: ["background", "foreground", "orphan"] }));
  }
  const instead = bool ? "background" : "orphan";
  warn(`warning: --cascade=${value} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`);
  return bool ? "Background" : "Orphan";
}
