import { errorMessage } from "../../base/error-message.js";
import { followPods, type FollowedPod, type PodSelection } from "../../actions/follow-pods.js";
import type { PodLogRequest } from "../../actions/pod-log.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Info } from "../../resource/info.js";
import { type LogReadOptions, readInOrder } from "./log-reader.js";
import { loggedPodSelector, type LogSourceOptions, ofPod } from "./log-sources.js";

export interface WatchPodsOptions extends LogSourceOptions, LogReadOptions {
  /** -l, or "" where an object was named. */
  readonly selector: string;
  readonly maxRequests: number;
}

/**
 * Follows the logs of the pods that match, those of pods that come later and of containers that start again included, until the
 * signal aborts. A log that cannot be read is told of and does not end the others.
 */
export async function watchPods(target: Info, options: WatchPodsOptions): Promise<void> {
  const streams = new LogStreams(options);
  for await (const followed of followPods(options.client, selectionOf(target, options.selector), options.signal)) {
    streams.take(followed);
  }
  options.signal.throwIfAborted();
}

function selectionOf(target: Info, selector: string): PodSelection {
  const { mapping, namespace, name } = target;
  if (selector !== "") return { namespace, labelSelector: selector };
  const { kind } = mapping;
  if (kind.kind === "Pod" && kind.group === "") return { namespace, fieldSelector: `metadata.name=${name}` };
  return { namespace, labelSelector: loggedPodSelector(target) };
}

/** One for each run of a container. */
class LogStreams {
  readonly #options: WatchPodsOptions;
  readonly #begun = new Set<string>();
  readonly #waiting: PodLogRequest[] = [];
  readonly #told = new Set<string>();
  #open = 0;

  constructor(options: WatchPodsOptions) {
    this.#options = options;
  }

  take({ pod, first, deleted }: FollowedPod): void {
    const { uid = "" } = pod.metadata ?? {};
    if (deleted) {
      for (const run of this.#begun) if (run.startsWith(`${uid}/`)) this.#begun.delete(run);
      return;
    }
    const runs = runsOf(pod);
    for (const request of this.#requestsOf(pod)) {
      const run = runs.get(request.options.container ?? "");
      if (run === undefined || this.#begun.has(`${uid}/${run}`)) continue;
      this.#begun.add(`${uid}/${run}`);
      this.#waiting.push(first ? request : fromStart(request));
    }
    this.#openWaiting();
  }

  /** None, and a word on it, where the container that is asked for is not in the pod. */
  #requestsOf(pod: KubeObject): readonly PodLogRequest[] {
    try {
      return ofPod(pod, { ...this.#options, allPods: true });
    } catch (error) {
      this.#tell(errorMessage(error));
      return [];
    }
  }

  #openWaiting(): void {
    const { maxRequests } = this.#options;
    while (this.#open < maxRequests) {
      const request = this.#waiting.shift();
      if (request === undefined) return;
      this.#open += 1;
      void this.#read(request);
    }
    if (this.#waiting.length > 0) {
      this.#tell(
        `others wait: no more than ${maxRequests} at a time are followed, use --max-log-requests to increase the limit`,
      );
    }
  }

  async #read(request: PodLogRequest): Promise<void> {
    try {
      await readInOrder([request], this.#options);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#tell(errorMessage(error));
    }
    this.#open -= 1;
    this.#openWaiting();
  }

  /** Once each. */
  #tell(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#options.err.write(`${line}\n`);
  }
}

/** The run of each container that has a log: its name and what tells the run from the ones before. */
function runsOf(pod: KubeObject): ReadonlyMap<string, string> {
  const status = object(pod.status);
  const runs = new Map<string, string>();
  for (const field of ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"]) {
    for (const container of objects(status[field])) {
      const { running, terminated } = object(container.state);
      if (running === undefined && terminated === undefined) continue;
      const id = text(container.containerID) || text(object(terminated).containerID) || String(container.restartCount);
      runs.set(text(container.name), `${text(container.name)}/${id}`);
    }
  }
  return runs;
}

/** The log of a pod that starts while the command runs is shown whole. */
function fromStart({ options, ...request }: PodLogRequest): PodLogRequest {
  return { ...request, options: { ...options, tailLines: undefined, sinceSeconds: undefined, sinceTime: undefined } };
}
