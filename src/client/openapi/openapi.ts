import type { PatchSchema } from "../../machinery/patch/patch-schema.js";
import type { GroupVersion, GroupVersionKind } from "../../machinery/meta/gvk.js";

/** The server's published schemas, fetched as kubectl fetches them (v3 index, then one document per group-version). */
export interface OpenApi {
  /** Whether PATCH of this kind takes the query parameter ("fieldValidation", "dryRun"); undefined when the server does not say. */
  supportsPatchParameter(kind: GroupVersionKind, parameter: string): Promise<boolean | undefined>;
  /** Whether there is a document of the group-version. */
  describes(groupVersion: GroupVersion): Promise<boolean>;
  /** Merge keys for a client-side three-way merge; undefined when the server publishes none for the kind. */
  patchSchema(kind: GroupVersionKind): Promise<PatchSchema | undefined>;
}
