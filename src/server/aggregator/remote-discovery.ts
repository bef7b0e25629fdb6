import type { FieldsOf } from "../../machinery/meta/received.js";
import type { APIResource } from "../../api/types/meta/v1.js";
import type { ResourceFacts, SubresourceFacts } from "../../api/facts/index.js";
import { errorMessage } from "../../base/text/error-message.js";
import { isAggregated, readAggregated } from "../../client/discovery/aggregated.js";
import { readResourceList, type WireResource, type WireResourceList } from "../../client/discovery/wire.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { pathOf, type RemoteApi } from "../builtin/apiregistration/remote-apis.js";
import type { RemoteAnswer, RemoteServer } from "./remote-server.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const ACCEPT = `${AGGREGATED},${AGGREGATED.replace("v=v2;", "v=v2beta1;")}`;
/** The user headers of kube-aggregator's own requests to aggregated servers. */
export const AGGREGATOR = { "x-remote-user": "system:kube-aggregator", "x-remote-group": "system:masters" };
/** A server's discovery is not read beyond this many bytes. */
const LARGEST = 16 * 2 ** 20;

/** Reads the resources of a group version from its server's discovery. Rejects with the reason why they are unknown. */
export async function discoverResources(
  api: RemoteApi,
  server: RemoteServer,
  signal: AbortSignal,
): Promise<readonly ResourceFacts[]> {
  const all = await server.read({ path: "/apis", headers: { ...AGGREGATOR, accept: ACCEPT }, signal }, LARGEST);
  if (all.status === 200 && isAggregated(all.contentType)) {
    const { resources } = readAggregated(documentOf(all));
    return factsOf(api, resources.get(api.groupVersion));
  }
  if (all.status === 503) throw new Error(`service returned non-success response code: ${all.status}`);
  // An older server, or one that does not let the aggregator see all of it.
  const path = pathOf(api);
  const one = await server.read({ path, headers: { ...AGGREGATOR, accept: "application/json" }, signal }, LARGEST);
  if (one.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: status ${one.status}`);
  return factsOf(api, readResourceList(documentOf(one), api.groupVersion));
}

function documentOf({ body }: RemoteAnswer): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8")) as JsonValue;
  } catch (error) {
    throw new Error(`its discovery is not JSON: ${errorMessage(error)}`);
  }
  if (!isJsonObject(value)) throw new Error("its discovery is not an object");
  return value;
}

/** What discovery says, without what it says of resources that cannot be: those without a name, a kind or a verb. */
function factsOf(api: RemoteApi, list: WireResourceList | undefined): readonly ResourceFacts[] {
  const all = (list?.resources ?? []).filter(({ name, kind, verbs }) => name !== "" && kind !== "" && verbs.length > 0);
  return all.filter(({ name }) => !name.includes("/")).map((one) => factsOfOne(api, one, all));
}

function factsOfOne(api: RemoteApi, one: WireResource, all: readonly WireResource[]): ResourceFacts {
  const { group, version, groupVersion } = api;
  const { name, singularName, kind, namespaced, verbs, shortNames = [], categories = [], storageVersionHash } = one;
  const prefix = `${name}/`;
  const subresources: readonly SubresourceFacts[] = all
    .filter((other) => other.name.startsWith(prefix))
    .map((other) => ({
      name: other.name.slice(prefix.length),
      kind: { group: other.group ?? group, version: other.version ?? version, kind: other.kind },
      verbs: other.verbs,
    }));
  return {
    group,
    version,
    groupVersion,
    name,
    singularName,
    kind,
    namespaced,
    verbs,
    shortNames,
    categories,
    definition: "",
    subresources,
    ...(storageVersionHash !== undefined && ({ storageVersionHash } satisfies FieldsOf<APIResource>)),
  };
}
