import type { PatchSchema } from "../../machinery/patch/strategic-schema.js";
import type { GroupVersion, GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";

/** The server's published schemas, fetched as kubectl fetches them: the v3 index, then one document per group-version. */
export interface OpenApi {
  /**
   * Whether PATCH of this kind takes the query parameter ("fieldValidation", "dryRun"). Undefined when the document does not
   * describe it.
   */
  supportsPatchParameter(kind: GroupVersionKind, parameter: string): Promise<boolean | undefined>;
  /** Whether the server has a document of the group-version. */
  describes(groupVersion: GroupVersion): Promise<boolean>;
  /** The merge keys for a client-side three-way merge; undefined when the server publishes none for the kind. */
  patchSchema(kind: GroupVersionKind): Promise<PatchSchema | undefined>;
  /** The field names of a kind at a path of field names, without list items. Undefined for a kind that is not described. */
  fieldNames(kind: GroupVersionKind, path: readonly string[]): Promise<readonly string[] | undefined>;
  readonly documents: OpenApiDocuments;
}

/** The server's OpenAPI documents. Each is fetched once. */
export interface OpenApiDocuments {
  /**
   * The v3 index: from "api/v1", "apis/apps/v1", ... to the URL of the document. Throws when the server has no OpenAPI v3.
   */
  paths(): Promise<ReadonlyMap<string, string>>;
  /** The v3 document at one of these URLs. */
  document(url: string): Promise<JsonObject>;
}
