import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { admissionFailure } from "../../server/admission/configuration/admission-configuration.js";
import { type AdmissionOptions, enabledOwnPlugins } from "../../server/admission/enabled-plugins.js";
import type { Authorizer } from "../../server/authz/authorizer.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import type { Server } from "../../server/generic/server.js";
import { type AccessSurroundings, type CoreApiOptions, OpenedAccess, openCoreApi } from "./core-api.js";

/** The servers that plugins and hooks of one server may use: the main server, and the server itself. */
export class PluginAccess {
  readonly coreApi: OpenedAccess | undefined;
  #loopback: OpenedAccess | undefined;
  readonly #surroundings: AccessSurroundings;

  private constructor(coreApi: OpenedAccess | undefined, surroundings: AccessSurroundings) {
    this.coreApi = coreApi;
    this.#surroundings = surroundings;
  }

  /** Rejects as {@link openCoreApi} does. */
  static async open(coreApi: CoreApiOptions | undefined, surroundings: AccessSurroundings): Promise<PluginAccess> {
    return new PluginAccess(coreApi && (await openCoreApi(coreApi, surroundings)), surroundings);
  }

  /**
   * Gives the plugins of the options that run what they ask for. Rejects with the name of a plugin whose `initialize` throws: the server does not
   * start.
   */
  async initialize(plugins: AdmissionOptions, server: Server): Promise<void> {
    const { coreApi } = this;
    const loopback = (): OpenedAccess => this.#openLoopback(server);
    const authorize: Authorizer = (attributes) => server.authorization.authorize(attributes);
    const given = {
      get coreApi() {
        if (coreApi !== undefined) return coreApi;
        throw new Error(
          "admission depends on a Kubernetes core API client, it cannot be nil: give coreApi or --kubeconfig",
        );
      },
      get loopback() {
        return loopback();
      },
      authorize,
    };
    for (const { plugin, initialize } of enabledOwnPlugins(plugins)) {
      try {
        await initialize?.(given);
      } catch (error) {
        const what = `failed to initialize admission plugin ${goQuote(plugin.name)}: ${errorMessage(error)}`;
        throw admissionFailure(what);
      }
    }
    void server.lifeCycle.when("NotAcceptingNewRequest").then(() => this.#loopback?.stop());
  }

  /** kube-apiserver's check: the informers of the main server have their first lists. */
  get readyChecks(): readonly HealthCheck[] {
    const { coreApi } = this;
    if (coreApi === undefined) return [];
    const waiting = new Error("informers of the main server have no first list yet");
    const check = async (): Promise<void> => {
      if (!coreApi.informers.hasSynced()) throw waiting;
    };
    return [{ name: "informer-sync", check }];
  }

  /** Starts the informers that plugins and hooks have asked for. */
  start(): void {
    this.coreApi?.start();
    this.#loopback?.start();
  }

  async close(): Promise<void> {
    await this.#loopback?.close();
    await this.coreApi?.close();
  }

  #openLoopback(server: Server): OpenedAccess {
    this.#loopback ??= new OpenedAccess({ transport: () => server.loopback() }, this.#surroundings);
    return this.#loopback;
  }
}
