import { systemClock } from "../../base/time/clock.js";
import { forkRandom } from "../../base/numbers/random.js";
import { untilAborted } from "../../base/async/until-aborted.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import { type NodeHandler, nodeHandler } from "../../server/generic/node-handler.js";
import type { PlainListener } from "../../server/generic/plain-listener.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import { closeDriven, clusterClock } from "../cluster-clock.js";
import { kubeconfigText } from "../kubeconfig.js";
import { authority, HOST, openPlain, openSocket } from "../open-socket.js";
import type { PemPair } from "../../machinery/crypto/key-pair.js";
import type { ShownPairs } from "../../server/generic/transport/serving-contexts.js";
import type { Hooks } from "../options/server-options.js";
import { userCertificate } from "../pki/client-certificates.js";
import type { RunningServer } from "../running-server.js";
import { ADMIN, hookContext, type OpenedServer, STORAGE_STEP } from "./opened-server.js";
import { untilStorageIsReady } from "./storage-readiness.js";

/** The fifth stage: a server with everything that it will have. Only it runs, once. */
export class PreparedServer {
  readonly #opened: OpenedServer;
  readonly #hooks: Required<Hooks>;
  readonly #delegate: PreparedServer | undefined;
  #listener: Listener | undefined;
  #plain: PlainListener | undefined;

  constructor(opened: OpenedServer, hooks: Required<Hooks>, delegate: PreparedServer | undefined) {
    this.#opened = opened;
    this.#hooks = hooks;
    this.#delegate = delegate;
  }

  /** The checks that /readyz runs but for that of the shutdown. */
  get healthChecks(): readonly HealthCheck[] {
    const { server } = this.#opened;
    return [...server.healthChecks(), ...server.readyChecks()];
  }

  /** Serves until `signal` aborts, and stops in kube-apiserver's order. Rejects when the server cannot start; nothing is left open then. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const server = await this.start({ signal });
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await server.close();
  }

  /** Resolves to the server when it serves. When `signal` aborts before, the call rejects with its reason. It does not end what has started. */
  async start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<RunningServer> {
    try {
      await this.#open();
      await this.#boot(signal);
      await this.#register(signal);
    } catch (error) {
      await this.#close();
      throw error;
    }
    return this.#running();
  }

  /** The ports first: one may be taken, and from now on probes can ask how far the server is. */
  async #open(): Promise<void> {
    const { options, composition, server, pki, serving, authentication, registration, address } = this.#opened;
    const host = composition.serving?.host ?? options.host ?? HOST;
    const { disabled, ...http2 } = options.http2 ?? {};
    const parts = {
      clock: systemClock,
      authorities: authentication?.authorities,
      serving,
      http2: disabled === true ? (false as const) : http2,
    };
    this.#listener = await openSocket(options, host, server, { ...pki, server: this.#pair() }, parts);
    if (this.#listener !== undefined) {
      address.text = authority(host, this.#listener.port);
      serving?.watch(
        () => this.#pair(),
        (pairs) => this.#show(pairs),
      );
      registration?.follow(() => this.#show(this.#pairs()));
    }
    this.#plain = await openPlain(options.http, server);
    if (address.text === "") address.text = plainAuthority(options.http, this.#plain);
    await authentication?.start(() => {
      this.#listener?.trust(authentication.authorities);
      this.#opened.authenticationChanged();
    });
  }

  /** What the port shows where no file has a certificate. */
  #pair(): PemPair {
    return this.#opened.registration?.made ?? this.#opened.pki.server;
  }

  #pairs(): ShownPairs {
    return this.#opened.serving?.pairs(this.#pair()) ?? this.#pair();
  }

  /** Throws for pairs that cannot be served. */
  #show(pairs: ShownPairs): void {
    this.#listener?.show(pairs);
    this.#opened.registration?.show(pairs);
  }

  /** Tells the main server that this one serves, with what is behind it, and of each version that it serves later. */
  async #register(signal: AbortSignal | undefined): Promise<void> {
    const { registration, server, parts } = this.#opened;
    if (registration === undefined || this.#listener === undefined) return;
    registration.show(this.#pairs());
    const serving = { port: this.#listener.port, transport: server.loopback() };
    await untilAborted(registration.register(serving), signal);
    parts.add(server.registry.onChange(() => registration.again()));
  }

  /** Runs the steps of the servers behind this one, then its own, then its hooks. */
  async #boot(signal: AbortSignal | undefined): Promise<void> {
    if (this.#delegate !== undefined) await this.#delegate.#boot(signal);
    const { boot, steps, storage, server, composition, options, timers } = this.#opened;
    const run = (name: string, step: () => Promise<void>) => untilAborted(boot.run(name, step), signal);
    await run(STORAGE_STEP, () => untilStorageIsReady(storage, timers, options));
    for (const step of steps) await run(step.name, async () => step.run(server, this.#listener));
    server.lifeCycle.signal("MuxAndDiscoveryComplete");
    composition.afterSteps?.();
    for (const hook of this.#hooks.postStart) await run(hook.name, async () => hook.run(hookContext(this.#opened)));
    if (storage.outsideEdits !== undefined) {
      const { applyByRequests } = await import("../outside-edits.js");
      storage.outsideEdits(applyByRequests(server.loopback())).catch(options.onError ?? (() => {}));
    }
    server.lifeCycle.signal("HasBeenReady");
  }

  #running(): RunningServer {
    const { server, pki, serverCa, manual, clock, random, options } = this.#opened;
    // Users must not change which uids objects get.
    const userRandom = forkRandom(random, "users");
    const { text } = this.#opened.address;
    const url = text === "" ? "" : `${this.#listener === undefined ? "http" : "https"}://${text}`;
    let closing: Promise<void> | undefined;
    const closeOnce = () => (closing ??= manual === undefined ? this.#close() : closeDriven(manual, this.#close()));
    const plain = plainAuthority(options.http, this.#plain);
    return {
      ...(manual && { clock: clusterClock(manual) }),
      url,
      ...(plain !== "" && { httpUrl: `http://${plain}` }),
      kubeconfig: (user) =>
        kubeconfigText(
          "kubets",
          url,
          { ...pki, ca: { certificate: serverCa } },
          user && userCertificate(pki, user, [clock, systemClock], userRandom),
        ),
      caCertificate: serverCa,
      token: pki.token,
      registry: server.registry,
      paths: server.paths,
      lifeCycle: server.lifeCycle,
      transport: () => server.transport(ADMIN),
      handler: (): NodeHandler => nodeHandler(server),
      close: closeOnce,
      [Symbol.asyncDispose]: closeOnce,
    };
  }

  async #close(): Promise<void> {
    const { server } = this.#opened;
    await server.stop(() => this.#shutDown());
    await this.#listener?.close();
    await this.#plain?.close();
    server.lifeCycle.signal("HTTPServerStoppedListening");
    await this.#closeParts();
  }

  /** Closes what this server has opened, and the servers behind it, which have no connections of their own. */
  async #closeParts(): Promise<void> {
    if (this.#delegate !== undefined) {
      await this.#delegate.#opened.server.stop();
      await this.#delegate.#closeParts();
    }
    await this.#opened.parts.close();
  }

  /** Runs the hooks of the stop, those of the servers behind this one first. One that throws is reported. */
  async #shutDown(): Promise<void> {
    if (this.#delegate !== undefined) await this.#delegate.#shutDown();
    const { options, composition } = this.#opened;
    for (const hook of this.#hooks.preShutdown) {
      try {
        await hook.run(hookContext(this.#opened));
      } catch (error) {
        options.onError?.(error);
      }
    }
    await composition.preShutdown?.();
  }
}

/** "127.0.0.1:6080"; "" where there is no such port. */
function plainAuthority(http: OpenedServer["options"]["http"], plain: PlainListener | undefined): string {
  if (http === undefined || plain === undefined || "socketPath" in http) return "";
  return authority(http.host ?? HOST, plain.port);
}
