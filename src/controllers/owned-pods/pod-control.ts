import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Pod, PodTemplateSpec } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import type { ObjectMeta, ApiObject, OwnerReference } from "../../machinery/meta/object.js";

export interface PodControl {
  /** Creates a pod in the owner's namespace; an event of the owner says so, or why not. Does nothing in a namespace that is being deleted. */
  create(owner: ApiObject, pod: Pod): Promise<Pod | undefined>;
  /** Deletes a pod of the owner; an event of the owner says so, or why not. Throws NotFound when there is none. */
  delete(owner: ApiObject, pod: Pod): Promise<void>;
}

/** Creates and deletes the pods of controlling objects. */
export function podControl(client: KubernetesClient, recorder: EventRecorder): PodControl {
  const pods = client.of("v1", "Pod");
  return {
    async create(owner, pod) {
      try {
        const created = await pods.namespace(owner.metadata?.namespace ?? "").create(pod);
        recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${created.metadata?.name ?? ""}`);
        return created;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        recorder.event(owner, "Warning", "FailedCreate", `Error creating: ${(error as Error).message}`);
        throw error;
      }
    },
    async delete(owner, { metadata: { namespace = "", name = "" } = {} }) {
      try {
        await pods.namespace(namespace).delete(name);
        recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
      } catch (error) {
        if (!isNotFound(error)) {
          recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${(error as Error).message}`);
        }
        throw error;
      }
    },
  };
}

/** Makes the pod of a template. The server generates its name from the owner's. */
export function podFromTemplate(template: PodTemplateSpec, owner: ApiObject, controller: OwnerReference): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name = "", namespace } = owner.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && ({ namespace } satisfies FieldsOf<ObjectMeta>)),
      ...(labels && ({ labels } satisfies FieldsOf<ObjectMeta>)),
      ...(annotations && ({ annotations } satisfies FieldsOf<ObjectMeta>)),
      ...(finalizers && ({ finalizers } satisfies FieldsOf<ObjectMeta>)),
      ownerReferences: [controller],
    },
    ...(template.spec && ({ spec: template.spec } satisfies FieldsOf<Pod>)),
  };
}

export function isNamespaceTerminating(error: unknown): boolean {
  const causes = isStatusError(error) ? error.status.details?.causes : undefined;
  return causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
}

/**
 * Calls `work` `count` times, in batches whose size doubles from 1 while all calls of a batch succeed, so that an error that
 * affects all calls occurs once. `work` gets the number of its call, from 0. Resolves with the number of successes and the first
 * error.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error?: unknown }> {
  let begun = 0;
  for (let batch = 1; begun < count; batch = Math.min(2 * batch, count - begun)) {
    const first = begun;
    begun += batch;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, index) => work(first + index)));
    const failed = results.filter((result) => result.status === "rejected");
    if (failed[0] !== undefined) return { succeeded: begun - failed.length, error: failed[0].reason };
  }
  return { succeeded: begun };
}
