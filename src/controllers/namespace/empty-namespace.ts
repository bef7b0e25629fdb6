import type { Namespace } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, type ReceivedObject } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ServedResource } from "../served-resources.js";
import { type DeletionReport, namespaceConditions } from "./conditions.js";
import { type ContentDeleted, deleteContent } from "./delete-content.js";

/** What a namespace may hold. */
export interface Contents {
  readonly resources: readonly ServedResource[];
  /** Why this may not be all: discovery failed, for some groups or altogether. */
  readonly failure?: string | undefined;
}

/**
 * Deletes everything in a namespace that is being deleted, tells how it went in the namespace's conditions, then takes off
 * the finalizer "kubernetes". Answers what is still there (a finalizer or a grace period holds it); undefined when nothing
 * is. A new namespace of the same name is left alone.
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
      const status = { ...object(current.status), conditions };
      await namespaces(client).updateStatus({ ...current, status });
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
      await namespaces(client).update({ ...current, spec: { ...spec, finalizers } }, { subresource: "finalize" });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
  }
}
