import type { Pod, PodStatus } from "../../../api/types/core/v1.js";
import { deferred } from "../../../base/async/deferred.js";
import { pause } from "../../../base/time/pause.js";
import type { Timers } from "../../../base/time/timers.js";
import type { ResourceClient } from "../../../client/dynamic/resource-client.js";
import { isConflict, isInvalid, isNotFound } from "../../../machinery/errors/status-error.js";
import { type FieldsOf, object, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import { compareResourceVersions } from "../../../machinery/meta/resource-version.js";
import { isOverwritten, ownStatusPatch } from "./own-status.js";

const RETRY_MS = 1000;

/** Writes a node's part of the status of one pod: the last one wins, and one write is under way at a time. */
export class StatusWriter {
  #next: Received<PodStatus> | undefined;
  /** The last status, as JSON. */
  #content = "";
  #writing: Promise<void> | undefined;
  /** The last status that the API took, and the version of the pod that has it. */
  #taken: { readonly status: Received<PodStatus>; readonly resourceVersion: string } | undefined;
  /** Resolves when a write has failed. */
  readonly #failed = deferred<void>();

  constructor(
    private readonly pods: ResourceClient,
    private readonly pod: ReceivedObject<Pod>,
    private readonly timers: Timers,
    private readonly signal: AbortSignal,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Writes a status that differs from the last one. */
  write(status: Received<PodStatus>): void {
    const content = JSON.stringify(status);
    if (content === this.#content) return;
    this.#content = content;
    this.#start(status);
  }

  /** Writes the last status once more if `pod`, as the API has it since, has other conditions: something else has changed them. */
  repair(pod: ReceivedObject<Pod>): void {
    if (this.#writing !== undefined || this.#taken === undefined) return;
    const { status, resourceVersion } = this.#taken;
    const age = compareResourceVersions(pod.metadata?.resourceVersion ?? "", resourceVersion);
    if (age !== undefined && age > 0 && isOverwritten(pod, status)) this.#start(status);
  }

  /** Resolves when nothing is left to write, or a write has failed. */
  async tried(): Promise<void> {
    await Promise.race([this.#writing, this.#failed.promise]);
  }

  /** Resolves when the last status is written, or given up because the pod is gone. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  #start(status: Received<PodStatus>): void {
    this.#next = status;
    this.#writing ??= this.#drain().finally(() => (this.#writing = undefined));
  }

  async #drain(): Promise<void> {
    const { name = "", uid } = this.pod.metadata ?? {};
    for (let status = this.#take(); status !== undefined && !this.signal.aborted; status = this.#take()) {
      try {
        // The uid: a pod of the same name that was created since is another one.
        const patch = {
          metadata: { uid },
          status: ownStatusPatch(status, this.#taken?.status ?? object(this.pod.status)),
        } satisfies FieldsOf<Pod>;
        const pod = await this.pods.patchStatus(name, patch, { type: "strategic", signal: this.signal });
        this.#taken = { status, resourceVersion: pod.metadata?.resourceVersion ?? "" };
      } catch (error) {
        if (this.signal.aborted || isOfAnotherPod(error)) return;
        this.#failed.resolve();
        this.report(error);
        this.#next ??= status;
        await pause(this.timers, RETRY_MS, this.signal);
      }
    }
  }

  #take(): Received<PodStatus> | undefined {
    const status = this.#next;
    this.#next = undefined;
    return status;
  }
}

/** The pod is gone; one of its name may have been created since, which has another uid. */
const isOfAnotherPod = (error: unknown): boolean =>
  isNotFound(error) || isConflict(error) || (isInvalid(error) && error.message.includes("metadata.uid"));
