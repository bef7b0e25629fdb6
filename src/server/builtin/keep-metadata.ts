import { excluding, type FieldFilter } from "../../machinery/apply/field-filter.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { assign, metadataOf } from "../registry/metadata.js";

/** Takes back what a change of status says of metadata; who wrote what stays as it was tracked. */
export function keepMetadata(draft: KubeObject, old: KubeObject): void {
  const metadata = metadataOf(draft);
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    assign(metadata, field, structuredClone(old.metadata?.[field]));
  }
}

/** What goes with {@link keepMetadata}: the status subresource owns no field of metadata. */
export const statusWithoutMetadata: Readonly<Record<string, FieldFilter>> = { status: excluding("metadata", "spec") };
