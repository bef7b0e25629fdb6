import { podLog } from "../../actions/pod-log.js";
import { errorMessage } from "../../base/text/error-message.js";
import { linesOf } from "../../base/text/lines-of.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { containerRuns } from "../../polymorphic-helpers/container-runs.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Watched } from "./watched.js";

export interface FollowLogsOptions {
  readonly client: RestClient;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Resolves when what is read may be written on: a slow reader slows the logs down. */
  readonly ready: () => Promise<void>;
}

/** How many logs are followed at a time, and how many lines of each are shown at first. */
const LOGS = 10;
const TAIL = 10;
/** Milliseconds until a log that broke off is read again. */
const AGAIN = 2000;
/** A line is cut there. In characters. */
const LONGEST_LINE = 4096;

/** A run of a container whose log is followed. */
interface Run {
  readonly key: string;
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly isRunning: boolean;
}

/** Follows the logs of pods' containers, and of containers that start again. */
export class LogFollower {
  readonly #options: FollowLogsOptions;
  readonly #watched: Watched;
  readonly #pods = new Map<string, KubeObject>();
  readonly #begun = new Set<string>();
  #running: ReadonlySet<string> = new Set();
  readonly #reading = new Set<Promise<void>>();

  constructor(options: FollowLogsOptions, watched: Watched) {
    this.#options = options;
    this.#watched = watched;
  }

  /** Takes a pod as it is now; logs are followed of those that are in the tree. */
  takePod(pod: KubeObject, deleted: boolean): void {
    const { uid = "" } = pod.metadata ?? {};
    if (deleted) this.#pods.delete(uid);
    else this.#pods.set(uid, pod);
    if (this.#watched.holds(uid)) this.update();
  }

  /** Begins with logs that are not followed yet. To be called when the tree has changed. */
  update(): void {
    const pods = [...this.#pods].filter(([uid]) => this.#watched.holds(uid));
    const runs = pods.flatMap(([, pod]) => lastRuns(pod));
    this.#running = new Set(runs.filter(({ isRunning }) => isRunning).map(({ key }) => key));
    for (const key of this.#begun) if (!this.#pods.has(key.slice(0, key.indexOf("/")))) this.#begun.delete(key);
    for (const run of runs) {
      if (this.#begun.has(run.key)) continue;
      if (this.#reading.size >= LOGS) return this.#watched.note(`logs of more than ${LOGS} containers`);
      this.#begun.add(run.key);
      const reading = this.#follow(run).finally(() => this.#reading.delete(reading));
      this.#reading.add(reading);
    }
  }

  /** Resolves when no log is read any more, which is after `signal` has aborted. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#reading);
  }

  /** Until the run has ended or `signal` aborts. A log that breaks off is read on behind its last line. */
  async #follow(run: Run): Promise<void> {
    const { signal, timers, ready } = this.#options;
    let last = "";
    while (!signal.aborted) {
      try {
        for await (const line of this.#lines(run, last)) {
          last = line.time || last;
          this.#watched.addLine({ pod: run.pod, container: run.container, text: line.text });
          await ready();
        }
        if (!this.#running.has(run.key)) return;
      } catch (error) {
        if (signal.aborted || isNotFound(error)) return;
        if (!isTransportError(error)) {
          return this.#watched.note(`log of pod/${run.pod} ${run.container} (${errorMessage(error)})`);
        }
      }
      await pause(timers, AGAIN, signal);
    }
  }

  /** Lines with their times, as {@link comparable} has them; those up to `last` are left out. */
  async *#lines(
    { namespace, pod, container }: Run,
    last: string,
  ): AsyncGenerator<{ time: string; text: string }, void> {
    const { client, signal } = this.#options;
    const since = last === "" ? { tailLines: TAIL } : { sinceTime: `${last.slice(0, "2006-01-02T15:04:05".length)}Z` };
    const options = { container, follow: true, timestamps: true, ...since };
    for await (const line of linesOf(podLog(client, { namespace, pod, options }, signal), LONGEST_LINE)) {
      const blank = line.indexOf(" ");
      const time = comparable(blank < 0 ? line : line.slice(0, blank));
      if (time === "") yield { time, text: line };
      else if (time > last) yield { time, text: blank < 0 ? "" : line.slice(blank + 1) };
    }
  }
}

/** A kubelet's time without its zone, with all nine digits, so that texts compare as times do; "" for what is none. */
function comparable(time: string): string {
  const [, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(time) ?? [];
  return seconds === undefined ? "" : `${seconds}.${fraction.padEnd(9, "0")}`;
}

/** The last run of each container that has a log: of a container that waits to be started again, the one before. */
function lastRuns(pod: KubeObject): readonly Run[] {
  const { uid = "", name = "", namespace = "" } = pod.metadata ?? {};
  const runs = containerRuns(pod);
  return runs
    .filter(({ container }, at) => runs[at + 1]?.container !== container)
    .map(({ container, id, isRunning }) => {
      return { key: `${uid}/${container}/${id}`, pod: name, namespace, container, isRunning };
    });
}
