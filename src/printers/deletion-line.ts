import type { GroupKind } from "../machinery/meta/gvk.js";

/** Formats a kind: "deployment.apps", "pod". */
export const qualifiedKind = ({ group, kind }: GroupKind): string =>
  group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;

/** A deleted object; the object itself no longer exists to be printed. */
export interface Deleted {
  readonly kind: GroupKind;
  readonly name: string;
  /** Undefined for what has none. */
  readonly namespace: string | undefined;
}

/** The line `pod "web" deleted from default namespace`; with -o name only type and name. `suffix` marks a dry run. */
export function deletionLine({ kind, name, namespace }: Deleted, output: string, forced: boolean, suffix = ""): string {
  const type = qualifiedKind(kind);
  if (output === "name") return `${type}/${name}\n`;
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  return `${type} "${name}" ${forced ? "force deleted" : "deleted"}${where}${suffix}\n`;
}
