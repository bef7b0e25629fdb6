import type { Connecter } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { RequestInfo } from "../../request/request-info.js";
import { scopeOf } from "./scope.js";

/** A request to a connecting subresource, of any HTTP method that its storage names. */
export async function handleConnect(request: ApiRequest, storage: Connecter): Promise<void> {
  const { info, exchange } = request;
  const handle = await storage.connect(scopeOf(request), info.name, { path: subpath(info), query: exchange.query });
  await handle(request);
}

/** The raw path behind the subresource, with its leading and trailing slashes: "/a/b/", or "". */
function subpath({ path, rest }: RequestInfo): string {
  const parts = path.replace(/^\/+/, "").split("/");
  const trimmed = path.replace(/^\/+|\/+$/g, "").split("/");
  return parts
    .slice(trimmed.length - rest.length)
    .map((part) => `/${part}`)
    .join("");
}
