import { podLog } from "../actions/pod-log.js";
import { linesOf } from "../base/text/lines-of.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { chosenContainer } from "../polymorphic-helpers/pod-containers.js";
import { text } from "../machinery/meta/access.js";
import { foundPod, type PodOptions } from "./found-pod.js";

export interface LogsOptions extends PodOptions {
  /** Goes on with what the container writes, until it ends. */
  readonly follow?: boolean;
  /** The log of the container's run before this one. */
  readonly previous?: boolean;
  /** Each line begins with its time, RFC 3339 with nanoseconds. */
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: Date;
  /** The last so many lines. */
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Iterates over the lines of a container's log, without their ends. Throws the server's error before the first line. */
export async function* logLines(
  client: KubernetesClient,
  pod: string,
  options: LogsOptions,
): AsyncGenerator<string, void, undefined> {
  const { namespace: _, container: wanted = "", signal, sinceTime, ...rest } = options;
  const found = await foundPod(client, pod, options);
  const { name = "", namespace = "" } = found.metadata ?? {};
  const container = text(chosenContainer(found, wanted, () => undefined).container.name);
  const since = sinceTime === undefined ? undefined : `${sinceTime.toISOString().slice(0, 19)}Z`;
  const request = { namespace, pod: name, options: { ...rest, container, sinceTime: since } };
  yield* linesOf(podLog(client.rest, request, signal));
}
