import type { ServedApi } from "../../api/facts/index.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { Handler } from "../request/api-request.js";

/** The servers that serve a part of the API, as the server in front of them uses them. */
export interface Aggregation {
  /** What is served, by this server (`own`) and by others: `own` itself where there are no others. */
  view(own: ServedApi): ServedApi;
  /** What answers a path of a group version that another server serves; undefined for all other paths. */
  handlerOf(path: string): Handler | undefined;
  readonly openApi: RemoteOpenApi;
  /** The names of the APIServices, and whether each is available. */
  availability?(): ReadonlyMap<string, boolean>;
}

/** The OpenAPI documents of other servers. */
export interface RemoteOpenApi {
  /** The entries of their group versions in the index of /openapi/v3, as their servers have them. */
  index(): Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  /** What answers /openapi/v3/<path> for a path of that index; undefined for all others. */
  handlerOf(path: string): Handler | undefined;
  /** Their documents of OpenAPI 2, each with the paths below which it counts. Those that cannot be read are left out. */
  v2(): Promise<readonly RemoteV2[]>;
}

export interface RemoteV2 {
  readonly below: readonly string[];
  readonly document: JsonObject;
}
