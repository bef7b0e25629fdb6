import { aborted } from "../../base/async/until-aborted.js";
import { pause } from "../../base/time/pause.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { MetricRegistry } from "../../machinery/metrics/metric-registry.js";
import type { KubernetesClient } from "../dynamic/kubernetes-client.js";
import type { AnyKindIn, AnyObjectOf } from "../dynamic/api-kinds.js";
import type { Stored } from "../dynamic/stored.js";
import type { ReadonlyIndexer } from "../informers/indexer.js";
import { InformerFactory, type InformerFactoryOptions } from "../informers/informer-factory.js";
import { LeaderElector, type LeaderElectorOptions } from "../leaderelection/index.js";
import { faultBackoff } from "../fault-backoff.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { Controller, type ControllerStatus } from "./controller.js";
import {
  ControllerBuilder,
  type ControllerDescription,
  type Source,
  type Watched,
  type FollowedInformer,
  followSource,
} from "./controller-builder.js";
import type { OwnMetricRegistry } from "../metric-registry.js";
import type { Endpoint } from "./endpoints/endpoint.js";
import type { HealthEndpointOptions } from "./endpoints/health-endpoint.js";
import type { MetricsEndpointOptions } from "./endpoints/metrics-endpoint.js";
import { ManagerMetrics } from "./manager-metrics.js";
import { describeProblem, type Problem } from "./problem.js";
import { ConversionBuilder, WebhookBuilder, Webhooks, type WebhookServerOptions } from "./webhooks/webhooks.js";

export interface ManagerOptions extends Partial<Surroundings> {
  /** Informers follow this namespace alone. Default: all. */
  readonly namespace?: string;
  /** Changes objects before they are cached, for example to drop fields that no controller reads. */
  readonly transform?: InformerFactoryOptions["transform"];
  /** As {@link InformerFactoryOptions.whenOccupied}. */
  readonly whenOccupied?: InformerFactoryOptions["whenOccupied"];
  /** Controllers run only while this process leads. Informers run all the time, so that a new leader starts with full caches. */
  readonly leaderElection?: Omit<LeaderElectorOptions, "client" | "onStartedLeading">;
  /** How many objects controllers of these names reconcile at a time, in place of what their builders say. */
  readonly workers?: Readonly<Record<string, number>>;
  /** How often every object is reconciled even if nothing changes. 0, the default: never. */
  readonly resyncMilliseconds?: number;
  /** How long {@link Manager.run} waits for running reconciliations after the signal has aborted. Default 30,000. */
  readonly gracefulShutdownMilliseconds?: number;
  /** Where the metrics of queues, reconciliations and the election go, under client-go's and controller-runtime's names. Default: nowhere. */
  readonly metrics?: MetricRegistry;
  /** Where the webhooks are served and which certificate they show. Nothing is served where the manager has no webhook. */
  readonly webhooks?: WebhookServerOptions;
  /** The port of kubelet's probes, /healthz and /readyz. Default: none. */
  readonly health?: HealthEndpointOptions;
  /** The port that {@link metrics} are scraped from, /metrics. Default: none. */
  readonly metricsEndpoint?: MetricsEndpointOptions;
  /** Called with what goes wrong. Default: a line on stderr. */
  readonly onProblem?: (problem: Problem) => void;
}

interface Member {
  readonly controller: Pick<Controller, "name" | "run" | "status">;
  /** Connects the controller with its informers. Rejects while the server does not have the kind. */
  readonly connect: () => Promise<void>;
  /** Resolves when the server is known to have the controller's kind. */
  readonly known: () => Promise<void>;
  /** Resolves when the caches of its informers are full. */
  readonly synced: () => Promise<unknown>;
}

/**
 * Runs controllers over shared informers (controller-runtime's Manager). Add controllers, then {@link run}. One manager runs
 * once.
 */
export class Manager {
  /** The caches of the manager's controllers. Ask for more before {@link run}. */
  readonly informers: InformerFactory;
  /** What the manager answers API servers. Add all of it before {@link run}. */
  readonly webhooks = new Webhooks();
  readonly #members: Member[] = [];
  /** The controllers whose kinds the server did not have at the start. */
  readonly #unconnected = new Map<Member, Promise<void>>();
  readonly #surroundings: Surroundings;
  readonly #metrics: ManagerMetrics | undefined;
  #started = false;
  /** Whether the caches have been full. */
  #isFull = false;

  constructor(
    readonly client: KubernetesClient,
    private readonly options: ManagerOptions = {},
  ) {
    this.#surroundings = surroundingsOf(options);
    this.#metrics = options.metrics && new ManagerMetrics(options.metrics);
    this.informers = new InformerFactory(client, {
      ...this.#surroundings,
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(options.transform && { transform: options.transform }),
      ...(options.whenOccupied && { whenOccupied: options.whenOccupied }),
      resyncMilliseconds: options.resyncMilliseconds ?? 0,
      onFault: (fault, kind) => this.#report({ type: "informer-fault", kind, fault }),
      onError: (error) => this.#report({ type: "failed", what: "a handler of an informer", error }),
    });
  }

  /** Begins a controller of a kind: `manager.controllerFor("apps/v1", "Deployment").owns(...).reconcile(...)`. */
  controllerFor<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
    watched: Watched<Stored<AnyObjectOf<V, K>>> = {},
  ): ControllerBuilder<Stored<AnyObjectOf<V, K>>> {
    return new ControllerBuilder<Stored<AnyObjectOf<V, K>>>((description) => this.#add(description), {
      apiVersion,
      kind,
      watched,
    });
  }

  /** Begins the admission webhooks of a kind: `manager.webhookFor("apps/v1", "Deployment").defaults(...).validates(...)`. */
  webhookFor<V extends string, K extends AnyKindIn<V>>(apiVersion: V, kind: K): WebhookBuilder<AnyObjectOf<V, K>> {
    return new WebhookBuilder<AnyObjectOf<V, K>>(this.webhooks, apiVersion, kind);
  }

  /** Begins the conversions of a kind, of which this is the hub version: `.with("example.com/v1", "Shelf", { toHub, fromHub })`. */
  conversionFor<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
  ): ConversionBuilder<AnyObjectOf<V, K>> {
    return new ConversionBuilder<AnyObjectOf<V, K>>(this.webhooks, apiVersion, kind);
  }

  /** What the controllers do: depth of their queues, longest running reconciliation, and more. */
  status(): ControllerStatus[] {
    return this.#members.map(({ controller }) => controller.status());
  }

  /**
   * Serves the webhooks, starts informers, and each controller when the caches of its informers are full: one whose kind the server does not have holds up no
   * other. With leader election, the caches of all kinds that the server has are full before this process may lead, and controllers start
   * when it does. Resolves when the signal has
   * aborted and no reconciliation runs any more, or the grace for them is over. Rejects with a LeadershipLostError when another
   * process may lead: the process should exit.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error("the manager was started already");
    this.#started = true;
    const stop = new AbortController();
    const all = AbortSignal.any([signal, stop.signal]);
    const ended: Promise<void>[] = [];
    try {
      // The API server asks the conversion webhooks before it answers the lists of the informers.
      ended.push(...(await this.#serveWebhooks(all)));
      ended.push(...(await this.#openEndpoints(all)));
      await this.#connect(all);
      this.informers.start(all);
      void this.#synced().then(() => (this.#isFull = true));
      await this.#lead(signal, stop.signal, all);
    } finally {
      stop.abort();
      await Promise.all([this.informers.stopped(), ...ended]);
    }
  }

  /** Serves the webhooks. Resolves, when they are served, with what resolves when they are no longer. */
  async #serveWebhooks(signal: AbortSignal): Promise<readonly Promise<void>[]> {
    if (this.webhooks.handlers.size === 0) return [];
    const { serveWebhooks } = await import("./webhooks/webhook-server.js");
    const parts = {
      webhooks: this.webhooks,
      options: this.options.webhooks ?? {},
      client: this.client,
      surroundings: this.#surroundings,
      metrics: this.options.metrics,
      grace: this.#grace,
      report: (what: string, error: unknown) => this.#report({ type: "failed", what, error }),
    };
    return [(await serveWebhooks(parts, signal)).ended];
  }

  /** Opens the ports of probes and metrics until the signal aborts. Resolves with what resolves when each is closed. */
  async #openEndpoints(signal: AbortSignal): Promise<readonly Promise<void>[]> {
    const { health, metrics, metricsEndpoint } = this.options;
    if (health === undefined && metricsEndpoint === undefined) return [];
    const report = (what: string, error: unknown): void => this.#report({ type: "failed", what, error });
    const [{ openHealthEndpoint }, { openMetricsEndpoint }] = await Promise.all([
      import("./endpoints/health-endpoint.js"),
      import("./endpoints/metrics-endpoint.js"),
    ]);
    const closed: Promise<void>[] = [];
    const keep = (endpoint: Endpoint): void => void closed.push(aborted(signal).then(() => endpoint.close()));
    const own = {
      informers: () => {
        if (!this.#isFull) throw new Error("the caches are not full yet");
      },
    };
    if (health !== undefined) keep(await openHealthEndpoint(health, own, report));
    if (metricsEndpoint !== undefined) {
      const read = metricsEndpoint.read ?? (metrics as Partial<OwnMetricRegistry> | undefined)?.read;
      if (read === undefined) throw new Error("metricsEndpoint has no metrics: give the option metrics or read");
      keep(await openMetricsEndpoint(metricsEndpoint, read, this.client, this.#surroundings));
    }
    return closed;
  }

  get #grace(): number {
    return this.options.gracefulShutdownMilliseconds ?? 30_000;
  }

  async #lead(signal: AbortSignal, stopped: AbortSignal, all: AbortSignal): Promise<void> {
    const { leaderElection } = this.options;
    if (leaderElection === undefined) return this.#runControllers(signal);
    if (!(await unlessAborted(this.#synced(), all))) return;
    const { name } = leaderElection.lease;
    this.#metrics?.leads(name, false);
    const elector = new LeaderElector({
      ...this.#surroundings,
      onError: (error) => this.#report({ type: "failed", what: "a request of the leader election", error }),
      ...leaderElection,
      client: this.client,
      onStartedLeading: (leading) => {
        this.#metrics?.leads(name, true);
        return this.#runControllers(AbortSignal.any([leading, stopped]));
      },
      onStoppedLeading: () => {
        this.#metrics?.leads(name, false);
        leaderElection.onStoppedLeading?.();
      },
    });
    await elector.run(signal);
  }

  async #runControllers(signal: AbortSignal): Promise<void> {
    // A manager of webhooks alone has no controller to wait for.
    if (this.#members.length === 0) return aborted(signal);
    const running = Promise.all(
      this.#members.map(async (member) => {
        // A signal each: Node warns of more than ten listeners of one.
        const own = AbortSignal.any([signal]);
        const connected = this.#unconnected.get(member);
        const ready = connected === undefined ? member.synced() : connected.then(member.synced);
        if (await unlessAborted(ready, own)) await member.controller.run(own);
      }),
    );
    const ended = new AbortController();
    const graceOver = this.#graceAfter(signal, ended.signal);
    await Promise.race([running, graceOver]);
    ended.abort();
  }

  /** Resolves when the grace for running reconciliations is over, which begins when `signal` aborts. */
  async #graceAfter(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      for (const one of [signal, ended]) {
        if (one.aborted) resolve();
        one.addEventListener("abort", () => resolve(), { once: true });
      }
    });
    await pause(this.#surroundings.timers, this.#grace, ended);
    if (ended.aborted) return;
    for (const { name, queue } of this.status()) {
      const { longestRunning } = queue;
      if (longestRunning === undefined) continue;
      const { item: key, seconds } = longestRunning;
      this.#report({ type: "reconcile-running", controller: name, key, seconds });
    }
  }

  #add<T extends ApiObject>(description: ControllerDescription<T>): Controller<T> {
    const { sources, ...rest } = description;
    if (this.#started) throw new Error(`controller ${rest.name} was added after the manager was started`);
    const [primary] = sources;
    const followed = sources.map((source) => ({ source, informer: this.#informerOf(source) }));
    const [first] = followed;
    if (primary === undefined || first === undefined) throw new Error(`controller ${rest.name} has no kind`);
    const controller = new Controller<T>({
      ...rest,
      workers: this.options.workers?.[rest.name] ?? rest.workers,
      cache: first.informer.cache as ReadonlyIndexer<T>,
      surroundings: this.#surroundings,
      report: (problem) => this.#report(problem),
      metrics: this.#metrics && this.options.metrics && { registry: this.options.metrics, manager: this.#metrics },
    });
    const { apiVersion, kind } = primary;
    const connect = async (): Promise<void> => {
      const { namespaced = true } = await this.client.of<ApiObject>(apiVersion, kind).resolve();
      for (const { source, informer } of followed) {
        followSource(informer, source, { apiVersion, kind, namespaced }, (key) => controller.enqueue(key));
      }
    };
    const synced = () => Promise.all(followed.map(({ informer }) => informer.synced));
    const known = () => first.informer.synced;
    this.#members.push({ controller, connect, known, synced });
    return controller;
  }

  #informerOf({ apiVersion, kind, watched }: Source): FollowedInformer {
    const { when: _, ...selection } = watched;
    return this.informers.of(apiVersion, kind, selection);
  }

  /** Connects the controllers whose kinds the server has. Each of the others is connected when its informer has found its kind. */
  async #connect(signal: AbortSignal): Promise<void> {
    for (const member of this.#members) {
      if (signal.aborted) return;
      try {
        await member.connect();
      } catch {
        // The informer meets the same fault, reports it and tries again.
        this.#unconnected.set(member, this.#connectWhenKnown(member, signal));
      }
    }
  }

  async #connectWhenKnown({ controller, connect, known }: Member, signal: AbortSignal): Promise<void> {
    await known();
    const backoff = faultBackoff(this.#surroundings);
    while (!signal.aborted) {
      try {
        return await connect();
      } catch (error) {
        this.#report({ type: "failed", what: `discovery for controller ${controller.name}`, error });
        await pause(this.#surroundings.timers, backoff.next(), signal);
      }
    }
  }

  /** Resolves when the caches are full, but for those of controllers that are not connected. */
  async #synced(): Promise<void> {
    if (this.#unconnected.size === 0) return this.informers.synced();
    const connected = this.#members.filter((member) => !this.#unconnected.has(member));
    await Promise.all(connected.map(({ synced }) => synced()));
  }

  #report(problem: Problem): void {
    if (this.options.onProblem !== undefined) this.options.onProblem(problem);
    // oxlint-disable-next-line no-console -- what goes wrong must be seen where a program gives no other place for it.
    else console.error(describeProblem(problem));
  }
}

/** Whether the promise resolved before the signal aborted. */
function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const aborted = new Promise<boolean>((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  return Promise.race([promise.then(() => true), aborted]);
}
