import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { followObject } from "../follow/follow-object.js";
import { PODS } from "../selected-pods.js";
import { actionSurroundings } from "../surroundings.js";
import { startTimeLimit, TimedOutError } from "../time-limit.js";

export interface WaitForPodOptions {
  readonly client: RestClient;
  readonly namespace: string;
  readonly name: string;
  /** Milliseconds. Default: no limit. */
  readonly timeout?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Waits until `isReached` is true for the pod, and resolves with the pod at that time. Throws a TimedOutError, kubectl's NotFound
 * without a name once the pod is deleted, the reason of `signal`, and what `isReached` throws.
 */
export async function waitForPod(
  isReached: (pod: KubeObject) => boolean,
  { client, namespace, name, timeout, signal }: WaitForPodOptions,
): Promise<KubeObject> {
  const { timers } = actionSurroundings({});
  const limit = startTimeLimit(timers, timeout, signal);
  try {
    const helper = new Helper(withWatchTimeout(client), PODS, { typed: true });
    for await (const { type, object } of followObject(helper, namespace, name, limit.deadline, { timers })) {
      if (type === "DELETED") throw notFound(PODS.resource, "");
      // The same object follows as ADDED.
      if (type === "SYNCED" || !isReached(object)) continue;
      return object;
    }
  } finally {
    limit.end();
  }
  signal.throwIfAborted();
  throw new TimedOutError("timed out waiting for the condition");
}

/** Go's typed clients say twice how long a watch may last: in seconds, and as a duration. */
const withWatchTimeout = (client: RestClient): RestClient => ({
  server: client.server,
  random: client.random,
  request: (request) => client.request(request),
  stream: ({ query, ...request }) => {
    const timeout = goDurationText(Number(query?.["timeoutSeconds"] ?? 0) * 1000);
    return client.stream({ ...request, query: { ...query, timeout } });
  },
  close: () => client.close(),
});
