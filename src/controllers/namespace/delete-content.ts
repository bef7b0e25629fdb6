import { isMethodNotSupported, isNotFound } from "../../machinery/errors/status-error.js";
import { number, object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type Api, METADATA_ONLY_LIST } from "../api.js";
import { collectionPath, type DiscoveredResource } from "../discover.js";
import { listAll } from "../list-all.js";
import type { DeletionReport } from "./conditions.js";

export interface ContentDeleted extends DeletionReport {
  /** Seconds until what is left may be gone; 0 when nothing says. */
  readonly estimate: number;
  /** Where something is left, and the version it was seen at. */
  readonly left: readonly { readonly path: string; readonly resourceVersion: string }[];
}

/** Finalizers take as long as they like. */
const FINALIZER_SECONDS = 15;

/** Deletes what is in a namespace and tells what is left. Pods go first; while there are some, the rest stays. */
export async function deleteContent(
  api: Api,
  namespace: { readonly name: string; readonly deletedAt: number },
  resources: readonly DiscoveredResource[],
  now: number,
): Promise<ContentDeleted> {
  const totals = {
    failures: [] as string[],
    remaining: new Map<string, number>(),
    finalizers: new Map<string, number>(),
    estimate: 0,
    left: [] as { path: string; resourceVersion: string }[],
  };
  const isPods = ({ group, resource }: DiscoveredResource) => group === "" && resource === "pods";
  for (const some of [resources.filter(isPods), resources.filter((resource) => !isPods(resource))]) {
    for (const resource of some) await deleteAll(api, namespace, resource, now, totals);
    if (totals.remaining.size > 0) break;
  }
  return totals;
}

interface Totals {
  readonly failures: string[];
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  estimate: number;
  readonly left: { path: string; resourceVersion: string }[];
}

async function deleteAll(
  api: Api,
  { name, deletedAt }: { readonly name: string; readonly deletedAt: number },
  resource: DiscoveredResource,
  now: number,
  totals: Totals,
): Promise<void> {
  const path = collectionPath(resource, name);
  try {
    if ((await api.list(`${path}?limit=1`, METADATA_ONLY_LIST)).items.length === 0) return;
    let estimate = resource.group === "" && resource.resource === "pods" ? await longestGrace(api, path) : 0;
    if (now - deletedAt >= estimate * 1000) estimate = 0;
    await deleteObjects(api, path, resource);
    const { items, metadata } = await api.list(path, METADATA_ONLY_LIST);
    if (items.length === 0) return;
    totals.left.push({ path, resourceVersion: metadata.resourceVersion ?? "" });
    totals.remaining.set(`${resource.resource}.${resource.group}`, items.length);
    const finalizers = items.flatMap((item) => item.metadata?.finalizers ?? []);
    for (const finalizer of finalizers) {
      totals.finalizers.set(finalizer, (totals.finalizers.get(finalizer) ?? 0) + 1);
    }
    if (estimate === 0 && finalizers.length === 0) totals.failures.push(unexpectedItems(name, resource));
    else totals.estimate = Math.max(totals.estimate, estimate === 0 ? FINALIZER_SECONDS : estimate);
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return;
    totals.failures.push(error instanceof Error ? error.message : String(error));
  }
}

function unexpectedItems(namespace: string, { apiVersion, resource }: DiscoveredResource): string {
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return `unexpected items still remain in namespace: ${namespace} for gvr: ${version}, Resource=${resource}`;
}

async function deleteObjects(api: Api, path: string, { verbs }: DiscoveredResource): Promise<void> {
  const options = { propagationPolicy: "Background" };
  if (verbs.includes("deletecollection")) return api.delete(path, options);
  for await (const { metadata } of listAll(api, path)) {
    try {
      await api.delete(`${path}/${metadata?.name ?? ""}`, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Seconds that the pods which are not over yet may take. */
async function longestGrace(api: Api, path: string): Promise<number> {
  let longest = 0;
  for await (const pod of listAll(api, path)) {
    if (isOver(pod)) continue;
    longest = Math.max(longest, number(object(pod["spec"])["terminationGracePeriodSeconds"]));
  }
  return longest;
}

function isOver(pod: KubeObject): boolean {
  const { phase } = object(pod["status"]);
  return phase === "Succeeded" || phase === "Failed";
}
