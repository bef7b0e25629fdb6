import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";

/**
 * What apimachinery's converter says of an object of one kind where another is expected: it names both by their Go types,
 * the wanted one by its internal type ("autoscaling.Scale").
 */
export function unknownConversion(given: GroupVersionKind, wanted: GroupVersionKind): string {
  return `converting (${given.version}.${given.kind}) to (${internalPackage(wanted)}.${wanted.kind}): unknown conversion`;
}

/** The Go package of a kind's internal type: the first label of its group, but for these. */
function internalPackage({ group, kind }: GroupVersionKind): string {
  // Events of both groups have one internal type.
  if (group === "" || kind === "Event") return "core";
  if (group === "internal.apiserver.k8s.io") return "apiserverinternal";
  return group.split(".")[0] ?? "";
}
