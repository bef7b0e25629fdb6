import { errorMessage } from "../../base/text/error-message.js";
import { followPods, type FollowedPod, type PodSelection } from "../../actions/follow/follow-list.js";
import type { PodLogRequest } from "../../actions/pod-log.js";
import { type ContainerRun, containerRuns } from "../../polymorphic-helpers/container-runs.js";
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
 * Prints the logs of all matching pods, also of pods and container runs that start later, until the signal aborts. A log that
 * cannot be read is reported and does not end the others.
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

/** A run whose log is to be read. */
interface WaitingLog {
  readonly uid: string;
  readonly container: string;
  readonly run: string;
  readonly request: PodLogRequest;
}

/** One for each run of a container. */
class LogStreams {
  readonly #options: WatchPodsOptions;
  readonly #begun = new Set<string>();
  /** The pods that are there, as they were last, by uid. */
  readonly #pods = new Map<string, KubeObject>();
  readonly #waiting: WaitingLog[] = [];
  /** The containers whose run before is being read: what comes after it waits. */
  readonly #readingPrevious = new Set<string>();
  readonly #told = new Set<string>();
  #open = 0;

  constructor(options: WatchPodsOptions) {
    this.#options = options;
  }

  take({ pod, first, deleted }: FollowedPod): void {
    const { uid = "" } = pod.metadata ?? {};
    if (deleted) {
      this.#pods.delete(uid);
      for (const run of this.#begun) if (run.startsWith(`${uid}/`)) this.#begun.delete(run);
      return;
    }
    this.#pods.set(uid, pod);
    for (const request of this.#requestsOf(pod)) {
      const container = request.options.container ?? "";
      const runs = runsOf(pod, container);
      // Of what was there at the start the last run is shown, which may be over: a container that crashes waits longer each time.
      for (const run of first ? runs.slice(0, -1) : []) this.#begun.add(`${uid}/${container}/${run.id}`);
      for (const { id } of runs) {
        const key = `${uid}/${container}/${id}`;
        if (this.#begun.has(key)) continue;
        this.#begun.add(key);
        this.#waiting.push({ uid, container, run: id, request: first ? request : fromStart(request) });
      }
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
    const isReady = ({ uid, container }: WaitingLog): boolean => !this.#readingPrevious.has(`${uid}/${container}`);
    while (this.#open < maxRequests) {
      const at = this.#waiting.findIndex(isReady);
      const [log] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (log === undefined) return;
      this.#begin(log);
    }
    if (this.#waiting.some(isReady)) {
      this.#tell(
        `others wait: no more than ${maxRequests} at a time are followed, use --max-log-requests to increase the limit`,
      );
    }
  }

  /** The container may have started again, even more than once, since the log began to wait. */
  #begin({ uid, container, run, request }: WaitingLog): void {
    const pod = this.#pods.get(uid);
    const known = pod === undefined ? undefined : runsOf(pod, container).find(({ id }) => id === run);
    if (pod !== undefined && known === undefined) {
      this.#tell(`pod/${request.pod}: the log of an earlier run of container ${container} is gone`);
      return;
    }
    const previous = known?.previous === true;
    const options = previous ? { ...request.options, previous, follow: false } : request.options;
    this.#open += 1;
    if (previous) this.#readingPrevious.add(`${uid}/${container}`);
    void this.#read({ ...request, options }, !previous).then(() => {
      this.#open -= 1;
      if (previous) this.#readingPrevious.delete(`${uid}/${container}`);
      this.#openWaiting();
    });
  }

  async #read(request: PodLogRequest, follow: boolean): Promise<void> {
    try {
      await readInOrder([request], { ...this.#options, follow });
    } catch (error) {
      if (!this.#options.signal.aborted) this.#tell(errorMessage(error));
    }
  }

  /** Once each. */
  #tell(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#options.err.write(`${line}\n`);
  }
}

const runsOf = (pod: KubeObject, container: string): readonly ContainerRun[] =>
  containerRuns(pod).filter((run) => run.container === container);

/** The log of a pod that starts while the command runs is shown whole. */
function fromStart({ options, ...request }: PodLogRequest): PodLogRequest {
  return { ...request, options: { ...options, tailLines: undefined, sinceSeconds: undefined, sinceTime: undefined } };
}
