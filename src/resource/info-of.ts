import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { parseGroupVersion } from "../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../machinery/meta/object.js";
import type { Info } from "./info.js";

/**
 * Makes the Info that an action takes of an object in hand: discovery finds the object's resource, and a namespaced object
 * without a namespace gets the client's. Throws for a kind that the server does not have.
 */
export async function infoOf(client: Pick<KubernetesClient, "mapper" | "namespace">, object: ApiObject): Promise<Info> {
  const { apiVersion = "", kind = "", metadata = {} } = object;
  const { group, version } = parseGroupVersion(apiVersion);
  const mapping = await client.mapper.mappingFor({ group, kind }, version);
  const namespace = mapping.namespaced ? (metadata.namespace ?? client.namespace) : "";
  const { name = "", resourceVersion = "" } = metadata;
  const placed = mapping.namespaced ? { ...object, metadata: { ...metadata, namespace } } : object;
  return { source: "", mapping, namespace, name, resourceVersion, object: placed as KubeObject };
}
