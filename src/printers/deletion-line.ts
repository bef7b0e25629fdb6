import type { GroupKind } from "../machinery/meta/gvk.js";

/** "deployment.apps", "pod". */
export const qualifiedKind = ({ group, kind }: GroupKind): string =>
  group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;

/** What was deleted; the object itself is not there to be printed. */
export interface Deleted {
  readonly kind: GroupKind;
  readonly name: string;
  /** Undefined for what has none. */
  readonly namespace: string | undefined;
}

/** `pod "web" deleted from default namespace`, or with -o name only what it was. `suffix` tells a dry run. */
export function deletionLine({ kind, name, namespace }: Deleted, output: string, forced: boolean, suffix = ""): string {
  const type = qualifiedKind(kind);
  if (output === "name") return `${type}/${name}\n`;
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  return `${type} "${name}" ${forced ? "force deleted" : "deleted"}${where}${suffix}\n`;
}
