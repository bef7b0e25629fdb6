import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";

/** Groups of Kubernetes that kubectl was not built with: what it knows of them it has from a server, or nothing. */
const NOT_IN_SCHEME: ReadonlySet<string> = new Set([
  "admission.k8s.io",
  "apidiscovery.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "imagepolicy.k8s.io",
]);

/** Whether kubectl has a Go type for kinds of this group, in some version. */
export function isInScheme({ group }: Pick<GroupVersionKind, "group">): boolean {
  return !NOT_IN_SCHEME.has(group) && (!group.includes(".") || group.endsWith(".k8s.io"));
}

export type FindSchema = (kind: GroupVersionKind) => StructSchema | undefined;

/** Finds the types kubectl was built with, versions that Kubernetes no longer serves included (storage.k8s.io/v1beta1). */
export async function loadScheme(): Promise<FindSchema> {
  const { allDefinitions } = await import("../../api/facts/unpublished.js");
  return (kind) => (isInScheme(kind) ? allDefinitions.schemaFor(kind) : undefined);
}
