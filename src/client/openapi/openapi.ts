import type { PatchSchema } from "../../machinery/patch/patch-schema.js";
import type { GroupVersion, GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";

/** The server's published schemas, fetched as kubectl fetches them (v3 index, then one document per group-version). */
export interface OpenApi {
  /** Whether PATCH of this kind takes the query parameter ("fieldValidation", "dryRun"); undefined when the server does not say. */
  supportsPatchParameter(kind: GroupVersionKind, parameter: string): Promise<boolean | undefined>;
  /** Whether there is a document of the group-version. */
  describes(groupVersion: GroupVersion): Promise<boolean>;
  /** Merge keys for a client-side three-way merge; undefined when the server publishes none for the kind. */
  patchSchema(kind: GroupVersionKind): Promise<PatchSchema | undefined>;
  /** The fields of a kind at a path of field names, list items left out of it; undefined when the kind is not described. */
  fieldNames(kind: GroupVersionKind, path: readonly string[]): Promise<readonly string[] | undefined>;
  readonly documents: OpenApiDocuments;
}

/** The documents as the server gives them. Each is asked for once. */
export interface OpenApiDocuments {
  /** Of version 3: "api/v1", "apis/apps/v1", ... to the URL of the document. Throws where the server has none of version 3. */
  paths(): Promise<ReadonlyMap<string, string>>;
  /** The document of version 3 at one of these URLs. */
  document(url: string): Promise<JsonObject>;
}
