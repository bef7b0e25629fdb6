import type { Clock } from "../../../src/base/time/clock.js";
import type { Random } from "../../../src/base/numbers/random.js";
import type { Timers } from "../../../src/base/time/timers.js";
import { kubernetesClient, loadConfig } from "../../../src/client/index.js";
import type { KubernetesClient } from "../../../src/client/index.js";
import { LeaderElector, type LeaderElectorOptions } from "../../../src/client/leaderelection/index.js";
import type { Transport, TransportRequest, TransportResponse } from "../../../src/client/transport/transport.js";
import { TransportError } from "../../../src/client/transport/transport-error.js";
import { startCluster } from "../../../src/cluster/index.js";
import { seededRandom } from "../../helpers/seeded-random.js";

/** What happens to one request. The server handles it even when its client no longer waits. */
export interface Fate {
  /** Milliseconds until the server handles it; 5 by default. */
  readonly before?: number;
  /** Milliseconds until the answer is there; 5 by default. */
  readonly after?: number;
  /** "refused": it never arrives. "lost": it is handled, and the connection breaks. "hangs": it is handled, and nothing comes. */
  readonly outcome?: "answered" | "refused" | "lost" | "hangs";
}

/** A real server, and the time of a world around it that passes in no time. */
export class World {
  /** Milliseconds of the world's time. No host sees it. */
  now = 0;
  readonly hosts: Host[] = [];
  /** Called after everything that happens. */
  check: () => void = () => {};
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];
  #handling = 0;

  private constructor(
    private readonly server: Transport,
    private readonly token: string,
    private readonly config: Awaited<ReturnType<typeof loadConfig>>,
  ) {}

  static async start(): Promise<{ world(): World; close(): Promise<void> }> {
    const cluster = await startCluster({ port: false, storage: "memory", controllers: false });
    const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
    return { world: () => new World(cluster.transport(), cluster.token, config), close: () => cluster.close() };
  }

  host(name: string, options: HostOptions = {}): Host {
    const host = new Host(this, name, options);
    this.hosts.push(host);
    return host;
  }

  /** A client for the test itself, without delays. Its requests end within a step of the world. */
  get client(): KubernetesClient {
    return kubernetesClient(this.config, { transport: this.server });
  }

  clientOf(host: Host): KubernetesClient {
    const transport = { send: (request: TransportRequest) => this.#send(host, request), close: async () => {} };
    return kubernetesClient(this.config, { transport, clock: host, timers: host, random: host.random });
  }

  at(time: number, run: () => void): () => void {
    const event = { at: Math.max(time, this.now), run };
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > event.at) index -= 1;
    this.#events.splice(index, 0, event);
    return () => {
      const found = this.#events.indexOf(event);
      if (found !== -1) this.#events.splice(found, 1);
    };
  }

  /** Lets time pass, event by event. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await this.#settle();
    for (;;) {
      const next = this.#events[0];
      if (next === undefined || next.at > end) break;
      this.#events.shift();
      this.now = next.at;
      next.run();
      await this.#settle();
      this.check();
    }
    this.now = end;
    this.check();
  }

  /** Resolves when nothing runs that waits for anything but the world's time. */
  async #settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#handling > 0);
  }

  #send(host: Host, request: TransportRequest): Promise<TransportResponse> {
    const { before = 5, after = 5, outcome = "answered" } = host.network(request);
    const { signal, ...sent } = request;
    return new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new TransportError(reason, { method: request.method, url: request.path }));
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.at(this.now + before, () => {
        if (outcome === "refused") return host.later(after, () => fail("connect: connection refused"));
        this.#handling += 1;
        void this.#handle(sent).then((answer) => {
          this.#handling -= 1;
          if (outcome === "answered") host.later(after, () => resolve(answer));
          if (outcome === "lost") host.later(after, () => fail("read: i/o timeout"));
        });
      });
    });
  }

  async #handle(request: TransportRequest): Promise<TransportResponse> {
    const headers = { ...request.headers, authorization: `Bearer ${this.token}` };
    const answer = await this.server.send({ ...request, headers });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return {
      ...answer,
      body: (async function* () {
        yield* chunks;
      })(),
    };
  }
}

export interface HostOptions {
  /** How fast its monotonic clock and its timers run; 1 as the world's time. */
  readonly rate?: number;
  /** By how many milliseconds its wall clock is ahead. */
  readonly skew?: number;
}

/** A machine with one process: with clocks of its own, and a way to be stopped. */
export class Host implements Clock, Timers {
  readonly random: Random;
  /** Decides what happens to a request of this host. */
  network: (request: TransportRequest) => Fate = () => ({});
  /** Puts what fell due while the host was stopped into the order in which the process finds it. */
  order: (due: (() => void)[]) => (() => void)[] = (due) => due;
  #skew: number;
  #waking: (() => void)[] | undefined;
  #isDead = false;

  constructor(
    readonly world: World,
    readonly name: string,
    private readonly options: HostOptions,
  ) {
    this.random = seededRandom(name);
    this.#skew = options.skew ?? 0;
  }

  get isStopped(): boolean {
    return this.#waking !== undefined || this.#isDead;
  }

  now(): number {
    return Math.floor(Date.UTC(2026, 0, 1) + this.world.now + this.#skew);
  }

  readonly stopwatch = (): (() => number) => {
    const rate = this.options.rate ?? 1;
    const start = this.world.now;
    return () => (this.world.now - start) * rate;
  };

  start(milliseconds: number, callback: () => void): () => void {
    let isCancelled = false;
    this.later(milliseconds / (this.options.rate ?? 1), () => {
      if (!isCancelled) callback();
    });
    return () => {
      isCancelled = true;
    };
  }

  setClock(skew: number): void {
    this.#skew = skew;
  }

  /** Runs in the process, after so many milliseconds of the world, or when the host runs again. */
  later(milliseconds: number, run: () => void): void {
    this.world.at(this.world.now + milliseconds, () => {
      if (this.#isDead) return;
      if (this.#waking === undefined) run();
      else this.#waking.push(run);
    });
  }

  /** Stops the process as SIGSTOP does. */
  stop(): void {
    this.#waking ??= [];
  }

  /** Continues it. What fell due meanwhile comes in one go, each in a turn of its own. */
  continue(): void {
    const due = this.order(this.#waking ?? []);
    this.#waking = undefined;
    for (const run of due) this.later(0, run);
  }

  die(): void {
    this.#isDead = true;
  }

  elector(options: Pick<LeaderElectorOptions, "lease" | "onStartedLeading"> & Partial<LeaderElectorOptions>) {
    const { name, random, stopwatch } = this;
    const client = this.world.clientOf(this);
    return new LeaderElector({ client, identity: name, clock: this, timers: this, random, stopwatch, ...options });
  }
}
