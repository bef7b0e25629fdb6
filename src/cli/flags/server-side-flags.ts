import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

// What apply and diff share.

export const serverSideFlags: readonly FlagSpec[] = [
  { name: "server-side", type: "bool", usage: "Let the server merge, and record who manages which field" },
  { name: "force-conflicts", type: "bool", usage: "With --server-side: take over fields that others manage" },
];

export const CLIENT_SIDE_MANAGER = "kubectl-client-side-apply";
const SERVER_SIDE_MANAGER = "kubectl";

/** Returns --field-manager, or the default name for the way of applying. */
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
