import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";

/**
 * Returns the text of apimachinery's converter for an object of one kind where another is expected. It names both by Go types, the expected
 * one by its internal type ("autoscaling.Scale").
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
