import { driveTurns } from "../../base/async/turns.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { ApiAccess } from "../../server/admission/plugin.js";
import type { ApiRegistry } from "../../server/api-registry/api-registry.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import type { LifeCycle } from "../../server/generic/life-cycle.js";
import type { OwnPaths } from "../../server/generic/own-paths.js";
import type { Server } from "../../server/generic/server.js";
import type { Hook } from "../options/server-options.js";
import { OpenedParts } from "./opened-parts.js";
import { type OpenedServer, type Opening, openParts, STORAGE_STEP } from "./opened-server.js";
import { PreparedServer } from "./prepared-server.js";

/** Opens the parts of a server, and makes the server. If it rejects, it has closed everything. */
export async function openServer(opening: Opening, delegate: GenericServer | undefined): Promise<GenericServer> {
  const parts = new OpenedParts();
  if (opening.manual !== undefined) parts.add(driveTurns());
  try {
    return new GenericServer(await openParts(opening, parts), delegate);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The fourth stage: a server that can be extended, and that listens nowhere yet. */
export class GenericServer {
  readonly name: string;
  readonly #opened: OpenedServer;
  readonly #delegate: GenericServer | undefined;
  readonly #postStart: Hook[] = [];
  readonly #preShutdown: Hook[] = [];
  #isPrepared = false;

  constructor(opened: OpenedServer, delegate: GenericServer | undefined) {
    this.#opened = opened;
    this.#delegate = delegate;
    this.name = opened.name;
    const { access } = opened;
    if (access !== undefined) this.addPostStartHook({ name: this.#informersHook(), run: () => access.start() });
    const { postStart = [], preShutdown = [] } = opened.options.hooks ?? {};
    for (const hook of postStart) this.addPostStartHook(hook);
    for (const hook of preShutdown) this.addPreShutdownHook(hook);
  }

  /** @internal */
  get server(): Server {
    return this.#opened.server;
  }

  /** The resources that are served; more can be installed, and any removed, while the server runs. */
  get registry(): ApiRegistry {
    return this.server.registry;
  }

  /** Paths that belong to no API. */
  get paths(): OwnPaths {
    return this.server.paths;
  }

  /** The main server of the options; undefined where they name none. */
  get coreApi(): ApiAccess | undefined {
    return this.#opened.access?.coreApi;
  }

  /** What has happened in the server's life. */
  get lifeCycle(): LifeCycle {
    return this.server.lifeCycle;
  }

  /** Checks of this server's health and of those behind it. */
  get healthChecks(): readonly HealthCheck[] {
    return this.server.healthChecks();
  }

  /**
   * Adds what runs after the server's own steps and before it serves; it is a health check, "poststarthook/<name>". Throws for a name that this server
   * or one behind it has, and after {@link prepareRun}.
   */
  addPostStartHook(hook: Hook): void {
    this.#checkOpen(`the post-start hook ${goQuote(hook.name)}`);
    if (this.hasPostStartHook(hook.name)) {
      throw new Error(
        `unable to add ${goQuote(hook.name)} because it was already registered: every post-start hook needs a name of its own`,
      );
    }
    this.#opened.boot.add(hook.name);
    this.#postStart.push(hook);
  }

  /** Adds what runs when the server stops, while it still serves. Throws as {@link addPostStartHook} does. */
  addPreShutdownHook(hook: Hook): void {
    this.#checkOpen(`the pre-shutdown hook ${goQuote(hook.name)}`);
    if (this.#hasPreShutdownHook(hook.name)) {
      throw new Error(
        `unable to add ${goQuote(hook.name)} because it is already registered: every pre-shutdown hook needs a name of its own`,
      );
    }
    this.#preShutdown.push(hook);
  }

  /** Whether this server or one behind it has a step or a hook of the name. */
  hasPostStartHook(name: string): boolean {
    if (this.#opened.boot.has(name)) return true;
    return name !== STORAGE_STEP && this.#delegate?.hasPostStartHook(name) === true;
  }

  /** kube-apiserver's name. Servers of one chain have informers of their own. */
  #informersHook(): string {
    const name = "generic-apiserver-start-informers";
    return this.hasPostStartHook(name) ? `${name}-${this.name}` : name;
  }

  #hasPreShutdownHook(name: string): boolean {
    if (this.#preShutdown.some((hook) => hook.name === name)) return true;
    return this.#delegate !== undefined && this.#delegate.#hasPreShutdownHook(name);
  }

  /** Closes the server for extensions, with those behind it, and makes it ready to run. */
  prepareRun(): PreparedServer {
    this.#checkOpen("prepareRun()");
    this.#isPrepared = true;
    const delegate = this.#delegate?.prepareRun();
    return new PreparedServer(this.#opened, { postStart: this.#postStart, preShutdown: this.#preShutdown }, delegate);
  }

  /** Closes a server that will not run, and those behind it. */
  async close(): Promise<void> {
    await this.server.stop();
    await this.#opened.parts.close();
    await this.#delegate?.close();
  }

  #checkOpen(what: string): void {
    if (this.#isPrepared)
      throw new Error(`${what} comes too late: the server ${goQuote(this.name)} is prepared to run`);
  }
}
