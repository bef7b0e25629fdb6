import type { RestClient } from "../client/rest/rest-client.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { Helper } from "../resource/helper.js";

export const PODS: RestMapping = {
  resource: { group: "", version: "v1", resource: "pods" },
  kind: { group: "", version: "v1", kind: "Pod" },
  namespaced: true,
};

export interface SelectedPodsOptions {
  readonly client: RestClient;
  readonly namespace: string;
  readonly selector: string;
  /** Milliseconds to wait for the first pod, where there is none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the pods that match, in the server's order; if there are none, waits for the first one. Throws when none appears in time. */
export async function selectedPods(options: SelectedPodsOptions): Promise<readonly KubeObject[]> {
  const { client, namespace, selector } = options;
  const helper = new Helper(client, PODS, { signal: options.signal, typed: true });
  const list = await helper.list(namespace, { labelSelector: selector });
  const pods = (list.items ?? []) as readonly KubeObject[];
  if (pods.length > 0) return pods;
  return [await firstPod(helper, list.metadata?.resourceVersion ?? "", options)];
}

async function firstPod(
  helper: Helper,
  resourceVersion: string,
  { namespace, selector, timeout, signal }: SelectedPodsOptions,
): Promise<KubeObject> {
  const time = AbortSignal.timeout(Math.min(timeout, 2 ** 31 - 1));
  const stop = new AbortController();
  const either = AbortSignal.any([time, stop.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    for await (const { type, object } of await helper.watch(
      namespace,
      { labelSelector: selector, resourceVersion },
      either,
    )) {
      if (type === "ADDED" || type === "MODIFIED") return object;
    }
  } catch (error) {
    if (time.aborted) throw new Error("timed out waiting for the condition", { cause: error });
    throw error;
  } finally {
    stop.abort();
  }
  throw new Error("watch closed before UntilWithoutRetry timeout");
}
