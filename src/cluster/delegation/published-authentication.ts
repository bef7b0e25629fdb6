import { isDeepStrictEqual } from "node:util";
import type { ConfigMap } from "../../api/types/core/v1.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { InformerFactory } from "../../client/informers/informer-factory.js";
import { NAME, NAMESPACE, namesIn } from "../../controllers/authentication-trust/authentication-trust.js";
import { certificatesIn } from "../../machinery/crypto/certificates.js";
import { isForbidden, isNotFound } from "../../machinery/errors/status-error.js";
import type { FrontProxyTrust } from "../../server/authn/request-header.js";

const READER = "extension-apiserver-authentication-reader";

export interface PublishedAuthenticationParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly warn: (warning: string) => void;
}

/**
 * The CAs of clients and of front proxies that a main server publishes for extension servers, in the ConfigMap
 * kube-system/extension-apiserver-authentication. While the ConfigMap is missing or invalid, the last valid content stays in use.
 */
export class PublishedAuthentication {
  readonly #clients = new PublishedAuthorities("client-ca-file");
  readonly #proxies = new PublishedAuthorities("requestheader-client-ca-file");
  #trust: FrontProxyTrust | undefined;
  /** What is wrong with the ConfigMap as it is now; each fault is reported once. */
  #faults = "";
  readonly #end = new AbortController();
  readonly #informers: InformerFactory;

  constructor(private readonly parts: PublishedAuthenticationParts) {
    const { client, clock, timers, random, report } = parts;
    this.#informers = new InformerFactory(client, {
      namespace: NAMESPACE,
      clock,
      timers,
      random,
      onFault: ({ error }) => report(new Error(`failed to follow configmap/${NAME}: ${errorMessage(error)}`)),
      onError: report,
    });
  }

  /** The authorities of clients, PEM; "" while none are known. */
  get clientCa(): string {
    return this.#clients.pem;
  }

  /** The authorities of front proxies, PEM; undefined while none are known. */
  get frontProxyCa(): string | undefined {
    return this.#proxies.pem === "" ? undefined : this.#proxies.pem;
  }

  /** The front proxies; the same object until they change. */
  get frontProxy(): FrontProxyTrust | undefined {
    return this.#trust;
  }

  /**
   * Reads the ConfigMap once. One that does not exist yet is no fault. Rejects where the main server does not answer or refuses, and for headers
   * that cannot be read.
   */
  async read(client: KubernetesClient, signal: AbortSignal | undefined): Promise<void> {
    let configMap: ConfigMap;
    try {
      configMap = await client
        .of("v1", "ConfigMap")
        .namespace(NAMESPACE)
        .get(NAME, { ...(signal && { signal }) });
    } catch (error) {
      if (isNotFound(error)) return;
      if (isForbidden(error)) {
        this.parts.warn(
          `Unable to get configmap/${NAME} in ${NAMESPACE}.  Usually fixed by 'kubectl create rolebinding -n ${NAMESPACE} ROLEBINDING_NAME --role=${READER} --serviceaccount=YOUR_NS:YOUR_SA'`,
        );
      }
      throw error;
    }
    this.#takeAuthorities(configMap);
    this.#takeHeaders(configMap);
  }

  /** Follows the ConfigMap. `changed` is called after the authorities have changed. */
  start(changed: () => void): void {
    const take = (configMap: ConfigMap): void => {
      if (this.#take(configMap)) changed();
    };
    const informer = this.#informers.of("v1", "ConfigMap", { fieldSelector: `metadata.name=${NAME}` });
    informer.addHandler({
      added: take,
      updated: (_, configMap) => take(configMap),
      deleted: () => this.#tell(`configmap ${goQuote(NAME)} not found`),
    });
    this.#informers.start(this.#end.signal);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#informers.stopped();
    await this.parts.client.close();
  }

  /** Returns whether authorities have changed. */
  #take(configMap: ConfigMap): boolean {
    const [isChanged, faults] = this.#takeAuthorities(configMap);
    try {
      this.#takeHeaders(configMap);
    } catch (error) {
      faults.push(errorMessage(error));
    }
    this.#tell(faults.join(", "));
    return isChanged;
  }

  #tell(faults: string): void {
    if (faults !== this.#faults && faults !== "") {
      this.parts.report(new Error(`${NAMESPACE}/${NAME} failed with : ${faults}`));
    }
    this.#faults = faults;
  }

  #takeAuthorities({ data = {} }: ConfigMap): [isChanged: boolean, faults: string[]] {
    const before = [this.#clients.pem, this.#proxies.pem];
    const faults = [this.#clients.take(data), this.#proxies.take(data)].filter((fault) => fault !== undefined);
    return [!isDeepStrictEqual(before, [this.#clients.pem, this.#proxies.pem]), faults];
  }

  /** Throws for a list that is none, and keeps what it had. */
  #takeHeaders({ data = {} }: ConfigMap): void {
    const trust: FrontProxyTrust = {
      usernameHeaders: namesIn(data["requestheader-username-headers"]),
      uidHeaders: namesIn(data["requestheader-uid-headers"]),
      groupHeaders: namesIn(data["requestheader-group-headers"]),
      extraHeadersPrefixes: namesIn(data["requestheader-extra-headers-prefix"]),
      allowedNames: namesIn(data["requestheader-allowed-names"]),
    };
    if (!isDeepStrictEqual(trust, this.#trust)) this.#trust = trust;
  }
}

/** The authorities under one key of the ConfigMap. */
class PublishedAuthorities {
  pem = "";

  constructor(private readonly key: string) {}

  /** Takes new authorities, and keeps those that it had where there are none. Returns what is wrong with the new ones. */
  take(data: Readonly<Record<string, string>>): string | undefined {
    const pem = data[this.key] ?? "";
    const name = goQuote(`client-ca::${NAMESPACE}::${NAME}::${this.key}`);
    // A main server without front proxies publishes none.
    if (pem === "") return this.pem === "" ? undefined : `missing content for CA bundle ${name}`;
    try {
      certificatesIn(pem);
      this.pem = pem;
      return undefined;
    } catch (error) {
      return `error loading CA bundle for ${name}: ${errorMessage(error)}`;
    }
  }
}
