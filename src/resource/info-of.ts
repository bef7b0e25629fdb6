import { goQuote } from "../base/text/go-quote.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { parseGroupVersion } from "../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../machinery/meta/object.js";
import type { Info } from "./info.js";

/**
 * Makes the Info that an action takes of an object in hand: discovery finds the object's resource, and a namespaced object
 * without a namespace gets the client's. Throws a NoMatchError for a kind that the server does not have, and an Error for a
 * namespaced object where neither names a namespace.
 */
export async function infoOf(
  client: Pick<KubernetesClient, "mapper"> & Partial<Pick<KubernetesClient, "namespace">>,
  object: ApiObject,
): Promise<Info> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  const { group, version } = parseGroupVersion(apiVersion);
  const mapping = await client.mapper.mappingFor({ group, kind }, version);
  const namespace = mapping.namespaced ? (metadata.namespace ?? client.namespace ?? "") : "";
  if (mapping.namespaced && namespace === "") {
    throw new Error(`the ${kind} ${goQuote(metadata.name ?? "")} has no namespace: name the one that it is in`);
  }
  const { name = "", resourceVersion = "" } = metadata;
  const placed = mapping.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object;
  return { source: "", mapping, namespace, name, resourceVersion, object: placed as KubeObject };
}
