import type { Clock } from "../../base/time/clock.js";
import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { forkRandom, type Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { type KubernetesClient, kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { PemPair } from "../../machinery/crypto/key-pair.js";
import { object, objects } from "../../machinery/meta/access.js";
import type { GroupVersion } from "../../machinery/meta/gvk.js";
import { NamedCertificates } from "../../server/generic/transport/named-certificates.js";
import type { ShownPairs } from "../../server/generic/transport/serving-contexts.js";
import { servingFault } from "../certificate-faults.js";
import type { TlsOptions } from "../options/tls-options.js";
import { type ClusterPki, SERVER_NAMES } from "../pki/cluster-pki.js";
import type { RegistrationOptions } from "./core-api.js";
import { MadeCertificate } from "./made-certificate.js";
import { type Registered, type RegisteredService, writeRegistered } from "./registered-objects.js";

export interface RegistrationParts {
  /** The name of the server. */
  readonly server: string;
  /** A client of the main server. */
  readonly client: KubernetesClient;
  readonly pki: Pick<ClusterPki, "ca">;
  readonly tls: TlsOptions | undefined;
  readonly clock: Clock;
  /** The time by which other processes verify certificates. */
  readonly verifiers: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Receives why a later change could not be written; it is tried again. */
  readonly report: (error: unknown) => void;
}

/** What is known when the server serves. */
interface Serving {
  readonly port: number;
  /** The server itself. */
  readonly transport: Transport;
}

/** How long a change waits that could not be written, in milliseconds. */
const RETRY = 10_000;

/** The name by which a main server verifies the certificate of a service. */
const serverNameOf = ({ namespace, name }: RegisteredService): string => `${name}.${namespace}.svc`;

const namesOf = ({ service, host }: RegistrationOptions): readonly string[] => [
  ...new Set([serverNameOf(service), ...SERVER_NAMES, ...(host === undefined ? [] : [host])]),
];

/** Keeps the registration at a main server up to date: the address of this server, what it serves, and how its certificate is verified. */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #parts: RegistrationParts;
  readonly #made: MadeCertificate | undefined;
  #serving: Serving | undefined;
  #shown: ShownPairs | undefined;
  #last = "";
  #reported = "";
  #writing: Promise<void> = Promise.resolve();
  readonly #end = new AbortController();
  #cancelRetry = (): void => {};

  constructor(options: RegistrationOptions, parts: RegistrationParts) {
    this.#options = options;
    this.#parts = parts;
    const { pki, tls, clock, verifiers, timers, random } = parts;
    if (tls?.certificate !== undefined) return;
    this.#made = new MadeCertificate(namesOf(options), {
      ca: pki.ca,
      clocks: [clock, verifiers],
      timers,
      random: forkRandom(random, "registration"),
    });
  }

  /** The certificate to serve with where no file has one; undefined where a file has. */
  get made(): PemPair | undefined {
    return this.#made?.pair;
  }

  /** Calls `renewed` when {@link made} is another one. */
  follow(renewed: () => void): void {
    this.#made?.follow(renewed);
  }

  /** Takes what the port shows from now on, and writes a changed authority. */
  show(pairs: ShownPairs): void {
    this.#shown = pairs;
    this.again();
  }

  /**
   * Registers for the first time. Rejects for a certificate that the main server would refuse, for a Service or an APIService that is not this
   * server's, and for what may not be written.
   */
  async register(serving: Serving): Promise<void> {
    try {
      this.#last = await this.#write(serving);
    } catch (error) {
      throw new Error(`failed to register this server: ${errorMessage(error)}`, { cause: error });
    }
    this.#serving = serving;
  }

  /** Writes what has changed since, after what is being written. A failure is reported once, and tried again. */
  again(): void {
    this.#cancelRetry();
    this.#writing = this.#writing.then(() => this.#writeAgain());
  }

  async close(): Promise<void> {
    this.#end.abort(new Error("the server stops"));
    this.#made?.close();
    this.#cancelRetry();
    await this.#writing;
  }

  async #writeAgain(): Promise<void> {
    const serving = this.#serving;
    if (serving === undefined || this.#end.signal.aborted) return;
    try {
      this.#last = await this.#write(serving);
      this.#reported = "";
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== this.#reported) {
        this.#reported = reason;
        this.#parts.report(new Error(`failed to register this server again: ${reason}`, { cause: error }));
      }
      if (!this.#end.signal.aborted) this.#cancelRetry = this.#parts.timers.start(RETRY, () => this.again());
    }
  }

  /** Returns what it wrote, so that the same is not written twice. */
  async #write({ port, transport }: Serving): Promise<string> {
    const { service, host = "localhost", groupPriorityMinimum = 1000, versionPriority = 100 } = this.#options;
    const { server, client, timers } = this.#parts;
    const registered: Registered = {
      server,
      service,
      host,
      port,
      caBundle: await this.#bundle(),
      groupPriorityMinimum,
      versionPriority,
      versions: await versionsOf(transport),
    };
    const text = JSON.stringify(registered);
    if (text !== this.#last) await writeRegistered({ client, timers, signal: this.#end.signal }, registered);
    return text;
  }

  /** The certificates that verify what a main server is shown. */
  async #bundle(): Promise<string> {
    const { pki, tls, clock } = this.#parts;
    const shown = this.#shown;
    if (shown === undefined) return pki.ca.certificate;
    const host = serverNameOf(this.#options.service);
    const pair = new NamedCertificates<PemPair>(shown, shown.named ?? [], (one) => one).for(host);
    const isMain = pair.certificate === shown.certificate;
    if (isMain && this.#made !== undefined) return pki.ca.certificate;
    const bundle = isMain && tls?.caFile !== undefined ? await readText(tls.caFile) : pair.certificate;
    const fault = servingFault(pair.certificate, bundle, clock.now(), host);
    if (fault === undefined) return bundle;
    throw new Error(
      `the main server would refuse the certificate of this server, which it reaches as ${host}: ${fault}`,
    );
  }
}

/** The group versions that a server serves, of each group in the order of their preference. */
async function versionsOf(transport: Transport): Promise<readonly GroupVersion[]> {
  await using client = kubernetesClient({ transport: () => transport });
  const answer = await client.rest.request({ method: "GET", path: "/apis" });
  return objects(answer.json()["groups"]).flatMap(({ name, versions, preferredVersion }) => {
    const all = objects(versions).map((one) => String(one["version"]));
    const preferred = String(object(preferredVersion)["version"]);
    return [...new Set([preferred, ...all])].map((version) => ({ group: String(name), version }));
  });
}
