import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { pause } from "../../base/time/pause.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isForbidden, isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { throwAll } from "../../resource/visitor.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import type { ActionClient } from "../target.js";
import { startTimeLimit, TimedOutError, type TimeLimit } from "../time-limit.js";
import { loadTypedKinds, protobufBody } from "../typed/typed-object.js";
import { isLongDeleted } from "./plan-drain.js";

/** How pods are removed. */
export interface RemovalOptions extends ActionSurroundings {
  readonly client: Pick<ActionClient, "rest">;
  /** With "server" the server tries each eviction and keeps nothing; nothing is waited for then. Default "none". */
  readonly dryRun?: "none" | "server" | undefined;
  /** Seconds each pod gets to end, 0 or more. Default: the pod's own. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Milliseconds for all pods together; 0 has no end. Default 0. */
  readonly timeout?: number | undefined;
  /** Deletes pods rather than evict them, past disruption budgets. Default false. */
  readonly disableEviction?: boolean | undefined;
  /** Milliseconds since its deletion after which a pod is no longer waited for; 0 waits for all. Default 0. */
  readonly skipDeletedAfter?: number | undefined;
  /** Stops all retries and waits; what was asked of the server by then stands. */
  readonly signal?: AbortSignal | undefined;
}

/** What happens to a pod that is removed. Events of several pods mix. */
export type RemovalEvent =
  /** An attempt begins. */
  | { readonly type: "evicting" | "deleting"; readonly pod: KubeObject }
  /** The server does not evict the pod now. It is asked again after `delay` milliseconds. */
  | {
      readonly type: "retrying";
      readonly pod: KubeObject;
      readonly reason: "disruptionBudget" | "namespaceTerminating";
      readonly error: Error;
      readonly delay: number;
    }
  /** The pod is gone. */
  | { readonly type: "evicted" | "deleted"; readonly pod: KubeObject }
  /** The pod's deletion is longer ago than `skipDeletedAfter`: it is no longer waited for. */
  | { readonly type: "skipped"; readonly pod: KubeObject; readonly reason: "terminating" }
  /** The server does not say whether the pod is gone. The action ends with the error. */
  | { readonly type: "failed"; readonly pod: KubeObject; readonly method: Method; readonly error: unknown };

type Method = "eviction" | "deletion";

const POLL = 1000;
const RETRY = 5000;

/**
 * Evicts all pods at once if the server supports eviction, else deletes them; resolves when they are gone. A pod that fails does
 * not stop the others: the errors are thrown at the end, as an AggregateError. Throws the signal's reason when it aborts.
 */
export async function removePods(
  pods: readonly KubeObject[],
  options: RemovalOptions,
  emit: (event: RemovalEvent) => void,
): Promise<void> {
  if (pods.length === 0) return;
  const { timers } = actionSurroundings(options);
  const limit = startTimeLimit(timers, options.timeout || undefined, options.signal);
  try {
    const removal = new Removal(options, limit, emit);
    if (options.disableEviction !== true && (await removal.canEvict())) await removal.evictAll(pods);
    else await removal.deleteAll(pods);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    limit.end();
  }
}

class Removal {
  private readonly client: RestClient;

  constructor(
    private readonly options: RemovalOptions,
    private readonly limit: TimeLimit,
    private readonly emit: (event: RemovalEvent) => void,
  ) {
    this.client = options.client.rest;
  }

  async canEvict(): Promise<boolean> {
    const { signal } = this.options;
    const { resources } = (await this.client.request({ method: "GET", path: "/api/v1", signal })).json();
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
    const { signal } = this.options;
    const options = { kind: "DeleteOptions", apiVersion: "v1", ...this.deletion() };
    const sent = protobufBody(options, await loadTypedKinds());
    for (const pod of pods) {
      this.emit({ type: "deleting", pod });
      await this.client.request({ method: "DELETE", path: podPath(pod), signal, ...sent }).catch(ignoreNotFound);
    }
    // Nothing goes in a dry run.
    if (this.options.dryRun === "server") return;
    await this.untilGone(pods, "deletion");
  }

  private async evict(pod: KubeObject): Promise<void> {
    let active = pod;
    for (;;) {
      this.emit({ type: "evicting", pod: active });
      if (this.limit.isOver()) {
        const limit = goDurationText(this.options.timeout ?? 0);
        throw new TimedOutError(`${evicting(active)}: global timeout reached: ${limit}`);
      }
      const outcome = await this.tryToEvict(active);
      if (outcome === "gone") return;
      if (outcome === "evicted") break;
      await this.sleep(RETRY, this.options.signal);
      active = await this.get(active).catch(() => active);
    }
    if (this.options.dryRun === "server") return;
    await this.untilGone([active], "eviction").catch((error: unknown) => {
      const { namespace = "", name = "" } = pod.metadata ?? {};
      const place = `pod ${goQuote(name)} in namespace ${goQuote(namespace)}`;
      throw new Error(`error when waiting for ${place} to terminate: ${errorMessage(error)}`, { cause: error });
    });
  }

  private async tryToEvict(pod: KubeObject): Promise<"evicted" | "gone" | "later"> {
    const { namespace = "", name = "", deletionTimestamp } = pod.metadata ?? {};
    const { signal } = this.options;
    const body = line({
      kind: "Eviction",
      apiVersion: "policy/v1",
      metadata: { name, namespace },
      deleteOptions: this.deletion(),
    });
    try {
      await this.client.request({ method: "POST", path: `${podPath(pod)}/eviction`, body, signal });
      return "evicted";
    } catch (error) {
      if (isNotFound(error)) return "gone";
      if (isStatusError(error) && (error.reason === "TooManyRequests" || error.code === 429)) {
        this.emit({ type: "retrying", pod, reason: "disruptionBudget", error, delay: RETRY });
        return "later";
      }
      if (!isEnding(error)) throw new Error(`${evicting(pod)}: ${errorMessage(error)}`, { cause: error });
      // A namespace on its way out takes its pods along; what is marked already needs no eviction.
      if (deletionTimestamp !== undefined) return "evicted";
      this.emit({ type: "retrying", pod, reason: "namespaceTerminating", error, delay: RETRY });
      return "later";
    }
  }

  /** Asks once a second. */
  private async untilGone(pods: readonly KubeObject[], method: Method): Promise<void> {
    for (let pending = pods; ; ) {
      const left: KubeObject[] = [];
      for (const pod of pending) if (!(await this.isGone(pod, method))) left.push(pod);
      if (left.length === 0) return;
      pending = left;
      await this.sleep(POLL, this.limit.deadline);
      if (this.limit.isOver()) throw new TimedOutError("context deadline exceeded");
    }
  }

  private async isGone(pod: KubeObject, method: Method): Promise<boolean> {
    const { skipDeletedAfter = 0 } = this.options;
    const { clock } = actionSurroundings(this.options);
    let found: KubeObject | undefined;
    try {
      found = await this.get(pod);
    } catch (error) {
      if (!isNotFound(error)) {
        this.emit({ type: "failed", pod, method, error });
        throw error;
      }
    }
    if (found === undefined || found.metadata?.uid !== pod.metadata?.uid) {
      this.emit({ type: method === "eviction" ? "evicted" : "deleted", pod });
      return true;
    }
    if (!isLongDeleted(found, skipDeletedAfter, clock)) return false;
    this.emit({ type: "skipped", pod, reason: "terminating" });
    return true;
  }

  private async get(pod: KubeObject): Promise<KubeObject> {
    const { signal } = this.options;
    const answer = await this.client.request({ method: "GET", path: podPath(pod), sentBy: "typed", signal });
    return answer.json();
  }

  /** Throws the reason of the caller's signal. */
  private async sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    await pause(actionSurroundings(this.options).timers, milliseconds, signal);
    this.options.signal?.throwIfAborted();
  }

  private deletion(): object {
    const { gracePeriodSeconds, dryRun } = this.options;
    return {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(dryRun === "server" && { dryRun: ["All"] }),
    };
  }
}

/** What errors say of a pod that is evicted. */
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
