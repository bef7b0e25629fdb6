import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { configFromFile, inClusterConfig } from "../../client/config/load-config.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { kubernetesClient, type InProcessServer } from "../../client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../../client/informers/informer-factory.js";
import type { Environment } from "../../client/surroundings.js";
import type { coreApiOptions, registrationOptions } from "../../component/apiserver-flags/delegated.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { ApiAccess } from "../../server/admission/plugin.js";

/** The options for the main server whose objects an extension server reads. */
export type CoreApiOptions = OptionsOf<typeof coreApiOptions>;

/** How an extension server registers itself at the main server. */
export type RegistrationOptions = OptionsOf<typeof registrationOptions>;

export interface AccessSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Receives the failures of lists and watches, which are tried again, and what handlers of events throw. */
  readonly report: (error: unknown) => void;
}

/** A client of one server, with informers that run until {@link stop}. */
export class OpenedAccess implements ApiAccess {
  readonly client: ApiAccess["client"];
  readonly informers: InformerFactory;
  readonly #end = new AbortController();

  constructor(server: ClientConfig | InProcessServer, { report, ...surroundings }: AccessSurroundings) {
    this.client = kubernetesClient(server, surroundings);
    this.informers = new InformerFactory(this.client, {
      ...surroundings,
      onFault: ({ step, error }, what) => report(new Error(`failed to ${step} ${what}: ${errorMessage(error)}`)),
      onError: report,
    });
  }

  /** Starts the informers that are there now. */
  start(): void {
    this.informers.start(this.#end.signal);
  }

  /** Stops the informers. */
  stop(): void {
    this.#end.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.informers.stopped();
    await this.client.close();
  }
}

/** Connects to the main server, without a request. Rejects for a kubeconfig that cannot be used, and outside of a Pod if there is none. */
export async function openCoreApi(
  { kubeconfig = "" }: CoreApiOptions,
  surroundings: AccessSurroundings,
): Promise<OpenedAccess> {
  const { KUBECONFIG: _, ...env } = surroundings.env;
  if (kubeconfig === "") return new OpenedAccess(await inClusterConfig({ env }), surroundings);
  try {
    return new OpenedAccess(await configFromFile(kubeconfig, { env }), surroundings);
  } catch (error) {
    throw new Error(`failed to load kubeconfig at ${goQuote(kubeconfig)}: ${errorMessage(error)}`, { cause: error });
  }
}
