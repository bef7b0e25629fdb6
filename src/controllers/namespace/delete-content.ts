import type { Pod } from "../../api/types/core/v1.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isMethodNotSupported, isNotFound } from "../../machinery/errors/status-error.js";
import { number, object, type ReceivedObject } from "../../machinery/meta/received.js";
import type { ServedResource } from "../served-resources.js";
import type { DeletionReport } from "./conditions.js";

/** A resource that something is left of. */
export interface Left {
  /** In the namespace. */
  readonly client: ResourceClient;
  /** The version at which it was seen. */
  readonly resourceVersion: string;
}

export interface ContentDeleted extends DeletionReport {
  /** Seconds until what is left may be gone; 0 when nothing says. */
  readonly estimate: number;
  readonly left: readonly Left[];
}

/** Finalizers take as long as they like. */
const FINALIZER_SECONDS = 15;

/** Deletes what is in a namespace and tells what is left. Pods go first; while there are some, the rest stays. */
export async function deleteContent(
  client: KubernetesClient,
  namespace: { readonly name: string; readonly deletedAt: number },
  resources: readonly ServedResource[],
  now: number,
): Promise<ContentDeleted> {
  const totals = {
    failures: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
    estimate: 0,
    left: [] as Left[],
  };
  const isPods = ({ group, resource }: ServedResource) => group === "" && resource === "pods";
  for (const some of [resources.filter(isPods), resources.filter((resource) => !isPods(resource))]) {
    for (const resource of some) await deleteAll(client, namespace, resource, now, totals);
    if (totals.remaining.size > 0) break;
  }
  return totals;
}

interface Totals {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  estimate: number;
  readonly left: Left[];
}

async function deleteAll(
  { resource: clientOf }: KubernetesClient,
  { name, deletedAt }: { readonly name: string; readonly deletedAt: number },
  resource: ServedResource,
  now: number,
  totals: Totals,
): Promise<void> {
  const client = clientOf(resource).namespace(name);
  try {
    if ((await client.metadata().list({ limit: 1 })).items.length === 0) return;
    let estimate = resource.group === "" && resource.resource === "pods" ? await longestGrace(client) : 0;
    if (now - deletedAt >= estimate * 1000) estimate = 0;
    await deleteObjects(client, resource);
    const { items, metadata } = await client.metadata().list();
    if (items.length === 0) return;
    totals.left.push({ client, resourceVersion: metadata.resourceVersion ?? "" });
    totals.remaining.set(`${resource.resource}.${resource.group}`, items.length);
    const finalizers = items.flatMap((item) => item.metadata?.finalizers ?? []);
    for (const finalizer of finalizers) {
      totals.finalizers.set(finalizer, (totals.finalizers.get(finalizer) ?? 0) + 1);
    }
    if (estimate === 0 && finalizers.length === 0) totals.failures.push(unexpectedItems(name, resource));
    else totals.estimate = Math.max(totals.estimate, estimate === 0 ? FINALIZER_SECONDS : estimate);
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return;
    totals.failures.push(errorMessage(error));
  }
}

function unexpectedItems(namespace: string, { apiVersion, resource }: ServedResource): string {
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${version}, Resource=${resource}`;
}

async function deleteObjects(client: ResourceClient, { verbs }: ServedResource): Promise<void> {
  const options = { propagationPolicy: "Background" } as const;
  if (verbs.includes("deletecollection")) {
    await client.deleteCollection({}, options);
    return;
  }
  for await (const { metadata } of client.metadata().listAll()) {
    try {
      await client.delete(metadata?.name ?? "", options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Seconds that the pods which are not over yet may take. */
async function longestGrace(pods: ResourceClient): Promise<number> {
  let longest = 0;
  for await (const listed of pods.listAll()) {
    const pod: ReceivedObject<Pod> = listed;
    if (isOver(pod)) continue;
    longest = Math.max(longest, number(object(pod.spec).terminationGracePeriodSeconds));
  }
  return longest;
}

function isOver(pod: ReceivedObject<Pod>): boolean {
  const { phase } = object(pod.status);
  return phase === "Succeeded" || phase === "Failed";
}
