import { isDeepStrictEqual } from "node:util";
import { kubernetesClient, type KubernetesClient, type KubeObject, loadConfig } from "../../../src/client/index.js";
import { type HandlerRegistration, objectKey, SharedInformer } from "../../../src/client/informers/index.js";
import type { Selection } from "../../../src/client/reflector/list-watch.js";
import { pause } from "../../../src/base/pause.js";
import { systemTimers } from "../../../src/base/timers.js";
import { fasterTimers } from "../../helpers/faster-timers.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { describe, HandlerLedger } from "./handler-ledger.js";
import { CONFIG_MAPS } from "./history-writer.js";
import type { FaultProxy } from "./fault-proxy.js";

/** How much shorter waits are: the first retry comes after 5 to 11 ms, silence counts as such after 0.6 to 1.2 s. */
const FASTER = 150;

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

  /** Throws with the first difference between what the cluster has and what the cache or a handler has. */
  async compare(direct: KubernetesClient): Promise<void> {
    const { namespace, labelSelector } = this.part;
    const all = direct.resource(CONFIG_MAPS);
    const { items } = await (namespace === undefined ? all : all.namespace(namespace)).list({
      ...(labelSelector !== undefined && { labelSelector }),
    });
    const wanted = new Map(items.map((item) => [objectKey(item), { ...item, apiVersion: "v1", kind: "ConfigMap" }]));
    const cached = new Map([...this.#informer.cache.keys()].map((key) => [key, this.#informer.cache.get(key)]));
    same("the cache", wanted, cached);
    if (!this.#informer.hasSynced()) throw new Error("the informer has not synced");
    for (const [ledger, registration] of this.ledgers) {
      if (ledger.wrong.length > 0) throw new IllegalCalls(ledger.wrong.slice(0, 5).join("\n"));
      same(`a handler with ${registration.pending} calls to come`, wanted, ledger.state);
      if (!registration.hasSynced()) throw new Error("a handler has not synced");
    }
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

/** A handler was called in a sequence that waiting does not mend. */
export class IllegalCalls extends Error {}

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
