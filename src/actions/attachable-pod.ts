import { goSort } from "../base/collections/go-sort.js";
import type { RestClient } from "../client/rest/rest-client.js";
import { byAttaching } from "../polymorphic-helpers/pod-order.js";
import { podSelectorOf } from "../polymorphic-helpers/selector.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Info } from "../resource/info.js";
import { selectedPods } from "./selected-pods.js";

export interface AttachablePodOptions {
  readonly client: RestClient;
  /** Milliseconds to wait for the first pod, where the object runs none yet. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the pod itself, or the most active one of the pods that an object selects. Throws for an object that runs no pods, and
 * when no pod appears in time.
 */
export async function attachablePod(
  { object = {}, mapping: { kind } }: Pick<Info, "object" | "mapping">,
  options: AttachablePodOptions,
): Promise<KubeObject> {
  if (kind.kind === "Pod" && kind.group === "") return object;
  let selector: string;
  try {
    selector = podSelectorOf(kind, object);
  } catch (error) {
    throw new Error(`cannot attach to *${kind.version}.${kind.kind}: ${(error as Error).message}`, { cause: error });
  }
  const pods = [...(await selectedPods({ ...options, namespace: object.metadata?.namespace ?? "", selector }))];
  goSort(pods, byAttaching);
  return pods[0] ?? {};
}
