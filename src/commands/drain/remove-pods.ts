import type { Clock } from "../../base/clock.js";
import { loadTypedKinds, protobufBody } from "../../actions/typed-object.js";
import { poll } from "../../actions/poll.js";
import { startStopwatch } from "../../base/stopwatch.js";
import { goQuote } from "../../base/go-quote.js";
import type { Streams } from "../../cli/factory.js";
import type { DryRunStrategy } from "../../cli/flags/resource-flags.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { encodeJson } from "../../machinery/codec/json-encoder.js";
import { isForbidden, isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { throwAll } from "../../resource/visitor.js";
import { isLongDeleted } from "./pods-to-delete.js";

export interface RemoveOptions {
  readonly client: () => Promise<RestClient>;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly dryRun: DryRunStrategy;
  /** Seconds; below 0 the pod's own. */
  readonly gracePeriod: number;
  /** Milliseconds for all of it; 0: no limit. */
  readonly timeout: number;
  /** Deletes, without asking for leave. */
  readonly disableEviction: boolean;
  readonly skipDeletedAfter: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** "pod/web evicted". */
  readonly finished: (pod: KubeObject, operation: string) => void;
}

const POLL = 1000;
const RETRY = 5000;

/** Evicts the pods, all at once, where the server can do that, else deletes them; waits until they are gone. */
export async function removePods(pods: readonly KubeObject[], options: RemoveOptions): Promise<void> {
  if (pods.length === 0) return;
  const removal = new Removal(await options.client(), options);
  if (!options.disableEviction && (await removal.canEvict())) await removal.evictAll(pods);
  else await removal.deleteAll(pods);
}

class Removal {
  /** Milliseconds since the removal began. */
  private readonly elapsed = startStopwatch();
  /** Milliseconds that it may take; Infinity has no end. */
  private readonly limit: number;

  constructor(
    private readonly client: RestClient,
    private readonly options: RemoveOptions,
  ) {
    this.limit = options.timeout || Infinity;
  }

  async canEvict(): Promise<boolean> {
    const { resources } = (await this.client.request({ method: "GET", path: "/api/v1" })).json();
    return (
      Array.isArray(resources) &&
      resources.some(
        (one) => isJsonObject(one) && one["name"] === "pods/eviction" && one["kind"] === "Eviction" && !!one["group"],
      )
    );
  }

  async evictAll(pods: readonly KubeObject[]): Promise<void> {
    const failures: unknown[] = [];
    await Promise.all(pods.map((pod) => this.evict(pod).catch((error: unknown) => failures.push(error))));
    throwAll(failures);
  }

  /** Waits also after a dry run, as kubectl does: until the pods are gone by other hands, or the time is over. */
  async deleteAll(pods: readonly KubeObject[]): Promise<void> {
    const options = { kind: "DeleteOptions", apiVersion: "v1", ...this.deletion() };
    const sent = protobufBody(options, await loadTypedKinds());
    for (const pod of pods) {
      await this.client.request({ method: "DELETE", path: podPath(pod), ...sent }).catch(ignoreNotFound);
    }
    await this.untilGone(pods, "deleted", "deletion failed");
  }

  private async evict(pod: KubeObject): Promise<void> {
    const { dryRun, streams } = this.options;
    let active = pod;
    for (;;) {
      const { namespace = "", name = "" } = active.metadata ?? {};
      streams.out.write(`evicting pod ${namespace}/${name}${dryRun === "server" ? " (server dry run)" : ""}\n`);
      if (this.isLate()) {
        const limit = goDurationText(this.options.timeout);
        throw new Error(`${evicting(active)}: global timeout reached: ${limit}`);
      }
      const outcome = await this.tryToEvict(active);
      if (outcome === "gone") return;
      if (outcome === "evicted") break;
      await this.options.sleep(RETRY);
      active = await this.get(active).catch(() => active);
    }
    if (dryRun === "server") return;
    await this.untilGone([active], "evicted", "eviction failed").catch((error: unknown) => {
      const { namespace = "", name = "" } = pod.metadata ?? {};
      const place = `pod ${goQuote(name)} in namespace ${goQuote(namespace)}`;
      throw new Error(`error when waiting for ${place} to terminate: ${messageOf(error)}`, { cause: error });
    });
  }

  private async tryToEvict(pod: KubeObject): Promise<"evicted" | "gone" | "later"> {
    const { namespace = "", name = "", deletionTimestamp } = pod.metadata ?? {};
    const body = line({
      kind: "Eviction",
      apiVersion: "policy/v1",
      metadata: { name, namespace },
      deleteOptions: this.deletion(),
    });
    try {
      await this.client.request({ method: "POST", path: `${podPath(pod)}/eviction`, body });
      return "evicted";
    } catch (error) {
      if (isNotFound(error)) return "gone";
      const delay = `(will retry after ${goDurationText(RETRY)})`;
      if (isStatusError(error) && (error.reason === "TooManyRequests" || error.code === 429)) {
        this.options.streams.err.write(`${evicting(pod)} ${delay}: ${error.message}\n`);
        return "later";
      }
      if (!isEnding(error)) throw new Error(`${evicting(pod)}: ${messageOf(error)}`, { cause: error });
      // A namespace on its way out takes its pods along; what is marked already needs no eviction.
      if (deletionTimestamp !== undefined) return "evicted";
      const place = `pod ${goQuote(name)} from terminating namespace ${goQuote(namespace)}`;
      this.options.streams.err.write(`error when evicting ${place} ${delay}: ${error.message}\n`);
      return "later";
    }
  }

  /** Asks once a second. */
  private async untilGone(pods: readonly KubeObject[], done: string, failed: string): Promise<void> {
    let pending = pods;
    const areGone = async (): Promise<boolean> => {
      const left: KubeObject[] = [];
      for (const pod of pending) if (!(await this.isGone(pod, done, failed))) left.push(pod);
      pending = left;
      return left.length === 0;
    };
    const timeout = this.limit - this.elapsed();
    if (await poll(areGone, { interval: POLL, timeout, sleep: this.options.sleep })) return;
    throw new Error("context deadline exceeded");
  }

  private async isGone(pod: KubeObject, done: string, failed: string): Promise<boolean> {
    const { skipDeletedAfter, clock, streams, finished } = this.options;
    let found: KubeObject | undefined;
    try {
      found = await this.get(pod);
    } catch (error) {
      if (!isNotFound(error)) {
        finished(pod, failed);
        throw error;
      }
    }
    if (found === undefined || found.metadata?.uid !== pod.metadata?.uid) {
      finished(pod, done);
      return true;
    }
    if (!isLongDeleted(found, skipDeletedAfter, clock)) return false;
    const name = goQuote(pod.metadata?.name ?? "");
    streams.out.write(`pod ${name} has DeletionTimestamp older than ${skipDeletedAfter} seconds, skipping\n`);
    return true;
  }

  private async get(pod: KubeObject): Promise<KubeObject> {
    return (await this.client.request({ method: "GET", path: podPath(pod), sentBy: "typed" })).json() as KubeObject;
  }

  private isLate(): boolean {
    return this.elapsed() >= this.limit;
  }

  private deletion(): object {
    const { gracePeriod, dryRun } = this.options;
    return {
      ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }),
      ...(dryRun === "server" && { dryRun: ["All"] }),
    };
  }
}

const evicting = ({ metadata }: KubeObject): string =>
  `error when evicting pods/${goQuote(metadata?.name ?? "")} -n ${goQuote(metadata?.namespace ?? "")}`;

const isEnding = (error: unknown): error is Error =>
  isForbidden(error) && error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;

const podPath = ({ metadata }: KubeObject): string =>
  `/api/v1/namespaces/${metadata?.namespace ?? ""}/pods/${metadata?.name ?? ""}`;

/** In the order written, ended as Go's encoder ends it. */
const line = (value: object): Uint8Array => new TextEncoder().encode(`${encodeJson(value)}\n`);

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
