import type { ApiRequest } from "../../request/api-request.js";
import type { Getter } from "../../registry/resource.js";
import type { ServedResource } from "../served-resource.js";
import { respondObject } from "./answer.js";
import { objectFormat, scopeOf } from "./scope.js";

/** Handles GET of one object, or of its status subresource, whose answer is the same. */
export async function handleGet(request: ApiRequest, resource: ServedResource, storage: Getter): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const resourceVersion = request.exchange.query.get("resourceVersion") ?? "";
  const stored = await storage.get(scopeOf(request), request.info.name, { resourceVersion });
  await respondObject(request, resource, format, 200, stored);
}
