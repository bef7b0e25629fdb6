import type { NamespaceStatus, NamespaceSpec, Namespace, Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isConflict, isNotFound, isMethodNotSupported } from "../../machinery/errors/status-error.js";
import { type FieldsOf, list, object, type ReceivedObject, number } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ServedResource } from "../served-resources.js";
import { type DeletionReport, namespaceConditions } from "./conditions.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";

/** The resources that a namespace may contain objects of. */
export interface Contents {
  readonly resources: readonly ServedResource[];
  /** Why this may not be all: discovery failed, for some groups or altogether. */
  readonly failure?: string | undefined;
}

/**
 * Deletes all objects in a namespace that is being deleted, reports the progress in the namespace's conditions, then removes the
 * finalizer "kubernetes". Resolves with what still exists because of a finalizer or a grace period; undefined when nothing does. A
 * new namespace of the same name is not touched.
 */
export async function emptyNamespace(
  client: KubernetesClient,
  namespace: ReceivedObject<Namespace>,
  contents: Contents,
  now: number,
): Promise<ContentDeleted | undefined> {
  const { name = "", uid } = namespace.metadata ?? {};
  const current = await find(client, name, uid);
  if (current === undefined) return undefined;
  const { resources, failure } = contents;
  const deletedAt = Date.parse(current.metadata?.deletionTimestamp ?? "");
  const deleted = await deleteContent(client, { name, deletedAt }, resources, now);
  await tellConditions(client, current, { ...deleted, discovery: failure }, now);
  // What cannot be found now may still be there.
  if (failure !== undefined || deleted.remaining.size > 0 || deleted.failures.length > 0) return deleted;
  await finalize(client, name, uid);
  return undefined;
}

const namespaces = (client: KubernetesClient) => client.of<KubeObject>("v1", "Namespace");

async function find(
  client: KubernetesClient,
  name: string,
  uid: string | undefined,
): Promise<ReceivedObject<Namespace> | undefined> {
  try {
    const found = await namespaces(client).get(name);
    return found.metadata?.uid === uid ? found : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Another client's change of the namespace in between changes nothing about its contents. */
async function tellConditions(
  client: KubernetesClient,
  namespace: ReceivedObject<Namespace>,
  report: DeletionReport,
  now: number,
): Promise<void> {
  const { name = "", uid } = namespace.metadata ?? {};
  let current: ReceivedObject<Namespace> | undefined = namespace;
  while (current !== undefined) {
    const conditions = namespaceConditions(current, report, `${new Date(now).toISOString().slice(0, 19)}Z`);
    if (conditions === undefined) return;
    try {
      const status = { ...object(current.status), conditions } satisfies FieldsOf<NamespaceStatus>;
      await namespaces(client).updateStatus({ ...current, status } satisfies FieldsOf<Namespace>);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      current = await find(client, name, uid);
    }
  }
}

/** Nothing new can come into the namespace any more, so a change of it by another client only means to try again. */
async function finalize(client: KubernetesClient, name: string, uid: string | undefined): Promise<void> {
  for (;;) {
    const current = await find(client, name, uid);
    if (current === undefined) return;
    try {
      const spec = object(current.spec);
      const finalizers = list(spec.finalizers).filter((one) => one !== "kubernetes");
      await namespaces(client).update(
        { ...current, spec: { ...spec, finalizers } satisfies FieldsOf<NamespaceSpec> } satisfies FieldsOf<Namespace>,
        { subresource: "finalize" },
      );
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
  }
}

/** A resource with remaining objects. */
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
async function deleteContent(
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
