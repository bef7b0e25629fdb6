import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  isStatusError,
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  type ListOptions,
  loadConfig,
} from "../../../src/client/index.js";
import { type HandlerRegistration, objectKey, SharedInformer } from "../../../src/client/informers/index.js";
import { compareResourceVersions } from "../../../src/machinery/meta/resource-version.js";
import type { Selection } from "../../../src/client/reflector/list-watch.js";
import { pause } from "../../../src/base/time/pause.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import { fasterTimers } from "../../helpers/faster-timers.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { describe, HandlerLedger } from "./handler-ledger.js";
import { CONFIG_MAPS } from "./history-writer.js";
import type { FaultProxy } from "./fault-proxy.js";

/** How much shorter waits are: the first retry comes after 5 to 11 ms, silence counts as such after 0.6 to 1.2 s. */
const FASTER = 150;

/** Looks, 5 ms from each other, until an informer must have put what it has read into its cache; each is a turn for it at least. */
const CONSUMING_LOOKS = 60;

export interface Part extends Selection {
  readonly name: string;
  readonly namespace?: string;
  readonly streamingLists: boolean;
}

/** Each informer's part of the collection. */
export const PARTS: readonly Part[] = [
  { name: "all-streamed", streamingLists: true },
  { name: "all-paged", streamingLists: false },
  { name: "front-streamed", streamingLists: true, labelSelector: "tier=front" },
  { name: "not-front-paged", streamingLists: false, labelSelector: "tier!=front" },
  { name: "namespace-one", streamingLists: true, namespace: "one" },
];

/** An informer of a part of the config maps, read through the proxy, and its handlers. */
export class Follower {
  readonly ledgers = new Map<HandlerLedger, HandlerRegistration>();
  readonly faults: string[] = [];
  thrown = 0;
  #historyIsLost = false;
  /** The version at which the cache was last compared. */
  #compared = "";
  readonly #informer: SharedInformer<KubeObject>;

  constructor(
    readonly part: Part,
    client: KubernetesClient,
    seed: string,
  ) {
    const { name: _, namespace, streamingLists, ...selection } = part;
    const all = client.resource(CONFIG_MAPS);
    this.#informer = new SharedInformer(namespace === undefined ? all : all.namespace(namespace), {
      selection,
      streamingLists,
      timers: fasterTimers(FASTER),
      random: seededRandom(seed),
      onFault: ({ step, error, attempt, retryInMilliseconds }) => {
        this.faults.push(`${step} ${attempt}: ${String(error)}, again in ${retryInMilliseconds} ms`);
      },
      onError: () => void (this.thrown += 1),
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** A handler that does nothing else, one that throws now and then, one that takes its time. */
  addHandler(kind: "plain" | "throwing" | "slow"): void {
    const ledger = new HandlerLedger((calls) => {
      if (kind === "throwing" && calls % 7 === 0) throw new Error("this handler throws now and then");
      return kind === "slow" && calls % 50 === 0 ? pause(systemTimers, 2) : undefined;
    });
    ledger.historyIsLost = this.#historyIsLost;
    this.ledgers.set(ledger, this.#informer.addHandler(ledger));
  }

  /** Removes the handler that was added last but one. */
  removeHandler(): void {
    const [ledger, registration] = [...this.ledgers].at(-2) ?? [];
    registration?.remove();
    if (ledger !== undefined) this.ledgers.delete(ledger);
  }

  set historyIsLost(lost: boolean) {
    this.#historyIsLost = lost;
    for (const ledger of this.ledgers.keys()) ledger.historyIsLost = lost;
  }

  /**
   * Throws with the first difference between what the cluster has and what the cache or a handler has. What the cache lacks of
   * the version that it claims to be at is an {@link IllegalState}: a later list would hide it.
   */
  async compare(direct: KubernetesClient): Promise<void> {
    const { objects: wanted, version } = await this.#listed(direct, {});
    await this.#compareAtOwnVersion(direct, version);
    same("the cache", wanted, this.#cached());
    if (!this.#informer.hasSynced()) throw new Error("the informer has not synced");
    for (const [ledger, registration] of this.ledgers) {
      if (ledger.wrong.length > 0) throw new IllegalState(ledger.wrong.slice(0, 5).join("\n"));
      same(`a handler with ${registration.pending} calls to come`, wanted, ledger.state);
      if (!registration.hasSynced()) throw new Error("a handler has not synced");
    }
  }

  async #compareAtOwnVersion(direct: KubernetesClient, newest: string): Promise<void> {
    const version = this.#informer.resourceVersion;
    // Ahead of the server: it has lost its history, and the informer has not noticed yet.
    const isAhead = (compareResourceVersions(version, newest) ?? 1) > 0;
    if (isAhead || version === this.#compared) return;
    this.#compared = version;
    let wanted: ReadonlyMap<string, KubeObject>;
    try {
      wanted = (await this.#listed(direct, { resourceVersion: version, resourceVersionMatch: "Exact" })).objects;
    } catch (error) {
      // The server no longer has that version.
      if (isStatusError(error)) return;
      throw error;
    }
    for (let look = 1; this.#informer.resourceVersion === version; look++) {
      try {
        return same("the cache", wanted, this.#cached());
      } catch (error) {
        if (look > CONSUMING_LOOKS) throw new IllegalState(`at version ${version} ${(error as Error).message}`);
      }
      await setTimeout(5);
    }
  }

  /** The informer's part, as a list has it. */
  async #listed(
    direct: KubernetesClient,
    at: ListOptions,
  ): Promise<{ readonly objects: ReadonlyMap<string, KubeObject>; readonly version: string }> {
    const { namespace, labelSelector } = this.part;
    const all = direct.resource(CONFIG_MAPS);
    const { items, metadata } = await (namespace === undefined ? all : all.namespace(namespace)).list({
      ...at,
      ...(labelSelector !== undefined && { labelSelector }),
    });
    const objects = items.map((item) => ({ ...item, apiVersion: "v1", kind: "ConfigMap" }));
    return {
      objects: new Map(objects.map((item) => [objectKey(item), item])),
      version: metadata.resourceVersion ?? "",
    };
  }

  #cached(): ReadonlyMap<string, KubeObject | undefined> {
    const { cache } = this.#informer;
    return new Map([...cache.keys()].map((key) => [key, cache.get(key)]));
  }

  /** What the informer waits for, for the message of a test that fails. */
  status(proxy: FaultProxy): string {
    return [
      `${this.part.name} is at version ${this.#informer.resourceVersion}`,
      ...proxy.openExchanges(this.part.name).map((exchange) => `  open: ${exchange}`),
      ...this.faults.slice(-4).map((fault) => `  fault: ${fault}`),
    ].join("\n");
  }
}

/** What may not even be for a moment: waiting does not mend it. */
export class IllegalState extends Error {}

export async function proxyClient(server: string, part: Part): Promise<KubernetesClient> {
  const config = await loadConfig({ server, userAgent: part.name, env: {} });
  const timers = fasterTimers(FASTER);
  return kubernetesClient(config, { sleep: (milliseconds, signal) => pause(timers, milliseconds, signal) });
}

function same(
  what: string,
  wanted: ReadonlyMap<string, KubeObject>,
  found: ReadonlyMap<string, KubeObject | undefined>,
): void {
  for (const [key, object] of wanted) {
    const other = found.get(key);
    if (other === undefined) throw new Error(`${what} lacks ${describe(object)}`);
    if (!isDeepStrictEqual(other, object)) throw new Error(`${what} has ${describe(other)}, not ${describe(object)}`);
  }
  for (const [key, object] of found) {
    if (!wanted.has(key) && object !== undefined) throw new Error(`${what} has ${describe(object)}, which is gone`);
  }
}
