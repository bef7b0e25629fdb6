import { errorMessage } from "../../base/text/error-message.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatKind, type RestMapper, type RestMapping } from "../../machinery/rest-mapper.js";
import { type DeleteOptions, Helper } from "../../resource/helper.js";
import { isList, listItems } from "../../resource/lists.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { lastApplied } from "./last-applied.js";

/** A kind that may be pruned, as the user or the default names it. */
export interface PruneKind extends GroupVersionKind {
  readonly namespaced: boolean;
}

/**
 * The uids and namespaces that an apply has visited. Prune deletes none of these objects, and of namespaced kinds only objects in
 * these namespaces.
 */
export class Visited {
  readonly uids = new Set<string>();
  readonly namespaces = new Set<string>();

  addUid(object: KubeObject | undefined): void {
    const uid = object?.metadata?.uid;
    if (uid !== undefined) this.uids.add(uid);
  }
}

/** Parses kinds such as "core/v1/ConfigMap" and looks them up. Throws for another form, and for a kind that the server lacks. */
export async function parsePruneKinds(texts: readonly string[], mapper: RestMapper): Promise<readonly PruneKind[]> {
  const kinds: PruneKind[] = [];
  for (const text of texts) {
    const [first = "", version = "", kind, ...rest] = text.split("/");
    if (kind === undefined || rest.length > 0) {
      throw new Error(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
    }
    const group = first === "core" ? "" : first;
    const { namespaced } = await mapper.mappingFor({ group, kind }, version);
    kinds.push({ group, version, kind, namespaced });
  }
  return kinds;
}

const kindsOf = (group: string, namespaced: boolean, ...kinds: readonly string[]): readonly PruneKind[] =>
  kinds.map((kind) => ({ group, version: "v1", kind, namespaced }));

const DEFAULT_KINDS: readonly PruneKind[] = [
  ...kindsOf("", true, "ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod"),
  ...kindsOf("", true, "ReplicationController", "Secret", "Service"),
  ...kindsOf("batch", true, "Job", "CronJob"),
  ...kindsOf("networking.k8s.io", true, "Ingress"),
  ...kindsOf("apps", true, "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"),
  ...kindsOf("", false, "Namespace", "PersistentVolume"),
];

export interface PruneSearch {
  readonly client: RestClient;
  readonly mapper: RestMapper;
  /** None: the usual kinds, about which {@link warnOfDefault} is told. */
  readonly kinds: readonly PruneKind[];
  readonly selector: string;
  readonly visited: Visited;
  readonly warnOfDefault: () => void;
}

/** An object that client-side apply created and that the current apply has not visited. */
export interface Prunable {
  readonly mapping: RestMapping;
  /** "" for kinds without namespaces. */
  readonly namespace: string;
  readonly object: KubeObject;
}

/** Lists one kind after the other, and passes each prunable object to `act` before the next list. */
export async function forEachPrunable(search: PruneSearch, act: (found: Prunable) => Promise<void>): Promise<void> {
  const mappings = await mappingsOf(search);
  const within = async (namespace: string, mapping: RestMapping): Promise<void> => {
    try {
      for (const object of await listUnvisited(namespace, mapping, search)) await act({ mapping, namespace, object });
    } catch (error) {
      const scope = mapping.namespaced ? "namespaced" : "nonNamespaced";
      throw new Error(`error pruning ${scope} object ${formatKind(mapping.kind)}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  };
  for (const namespace of search.visited.namespaces) {
    for (const mapping of mappings) if (mapping.namespaced) await within(namespace, mapping);
  }
  for (const mapping of mappings) if (!mapping.namespaced) await within("", mapping);
}

async function mappingsOf({ kinds, mapper, warnOfDefault }: PruneSearch): Promise<readonly RestMapping[]> {
  if (kinds.length === 0) warnOfDefault();
  const mappings: RestMapping[] = [];
  for (const { group, version, kind, namespaced } of kinds.length === 0 ? DEFAULT_KINDS : kinds) {
    const mapping = await mapper.mappingFor({ group, kind }, version).catch((error: unknown) => {
      const named = `${group}/${version}, Kind=${kind}, Namespaced=${namespaced}`;
      throw new Error(`error retrieving RESTMappings to prune: invalid resource ${named}: ${errorMessage(error)}`);
    });
    mappings.push({ ...mapping, namespaced });
  }
  return mappings;
}

async function listUnvisited(
  namespace: string,
  mapping: RestMapping,
  { client, selector, visited }: PruneSearch,
): Promise<readonly KubeObject[]> {
  const list = await new Helper(client, mapping, { sentBy: "dynamic" }).list(namespace, { labelSelector: selector });
  if (!isList(list)) return [];
  return listItems(list).filter(
    (object) => lastApplied(object) !== undefined && !visited.uids.has(object.metadata?.uid ?? ""),
  );
}

/** Deletes an object as kubectl's dynamic client does: the request's body states its own kind. */
export async function pruneObject(
  { mapping, namespace, object }: Prunable,
  client: RestClient,
  options: DeleteOptions & { readonly dryRun: boolean },
): Promise<void> {
  const { gracePeriodSeconds, propagationPolicy, dryRun } = options;
  const body = {
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    dryRun: dryRun ? ["All"] : undefined,
  };
  await client.request({
    method: "DELETE",
    path: resourcePath(mapping, namespace, object.metadata?.name ?? ""),
    body: new TextEncoder().encode(`${encodeJson(body)}\n`),
    contentType: "application/json",
    accept: "application/json",
    sentBy: "dynamic",
  });
}
