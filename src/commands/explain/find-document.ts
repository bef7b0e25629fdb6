import { errorMessage } from "../../base/text/error-message.js";
import type { OpenApiDocuments } from "../../client/openapi/openapi.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { formatResource } from "../../machinery/rest-mapper.js";

/** The document of OpenAPI v3 that describes a resource. Throws an error for a group version without one. */
export async function findDocument(resource: GroupVersionResource, documents: OpenApiDocuments): Promise<JsonObject> {
  const { group, version } = resource;
  const paths = await documents.paths().catch(because("failed to fetch list of groupVersions"));
  const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const url = paths.get(path);
  if (url === undefined) throw new Error(`couldn't find resource for "${formatResource(resource)}"`);
  return documents.document(url).catch(because(`failed to fetch openapi schema for ${path}`));
}

const because =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  };
