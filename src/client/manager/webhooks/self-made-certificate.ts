import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { CustomResourceDefinition } from "../../../api/types/apiextensions/v1.js";
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "../../../api/types/admissionregistration/v1.js";
import type { Secret } from "../../../api/types/core/v1.js";
import { pause } from "../../../base/time/pause.js";
import type { PemPair } from "../../../machinery/crypto/key-pair.js";
import { issueCertificate, issuerOf } from "../../../machinery/crypto/issue-certificate.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../../machinery/errors/status-error.js";
import type { KubernetesClient } from "../../dynamic/kubernetes-client.js";
import type { NamespacedName } from "../../informers/indexer.js";
import type { Surroundings } from "../../surroundings.js";
import type { ShowPair } from "./serving-certificate.js";

/** A certificate that the manager makes. All replicas share it through a Secret. */
export interface SelfMade {
  /** The Secret of type kubernetes.io/tls that keeps it, with its authority. It is made when it is missing. */
  readonly secret: NamespacedName;
  /**
   * The DNS names and addresses of the webhooks: "NAME.NAMESPACE.svc" of their Service, or the host of their url. Where a webhook
   * configuration or a CustomResourceDefinition leads to one of them, its caBundle is kept current.
   */
  readonly names: readonly string[];
}

const DAY = 24 * 60 * 60 * 1000;
const AUTHORITY_LIFE = 10 * 365 * DAY;
const LEAF_LIFE = 365 * DAY;
/** Certificates are renewed when less than this part of their life is left. */
const RENEWED_BEFORE = 1 / 3;
/** How often the Secret and the configurations are looked at, in milliseconds. */
const LOOK_INTERVAL = 60_000;
const AUTHORITY_NAME = "kubets-webhook-ca";

/** What the Secret keeps, as PEM. */
interface Kept extends PemPair {
  /** The authorities that clients trust: the one that signs first, and the one before it while a certificate of it may be shown. */
  readonly bundle: string;
  readonly authorityKey: string;
}

export interface SelfMadeParts extends SelfMade {
  readonly client: KubernetesClient;
  readonly surroundings: Surroundings;
  readonly show: ShowPair;
  readonly report: (error: unknown) => void;
  /** Whether CustomResourceDefinitions may lead here: without conversions none is read. */
  readonly converts: boolean;
}

/** Makes and renews a certificate in a Secret, and announces its authority. */
export class SelfMadeCertificate {
  #shown = "";

  constructor(private readonly parts: SelfMadeParts) {}

  /** Shows the certificate of the Secret, made anew where it is missing, does not fit the names or ends soon, and announces it. */
  async look(): Promise<void> {
    const kept = await this.#keep();
    if (kept.certificate !== this.#shown) this.parts.show(kept);
    this.#shown = kept.certificate;
    await this.#announce(Buffer.from(kept.bundle).toString("base64"));
  }

  /** Looks again and again until the signal aborts. What goes wrong is reported. */
  async follow(signal: AbortSignal): Promise<void> {
    const { surroundings, report } = this.parts;
    while (!signal.aborted) {
      await pause(surroundings.timers, LOOK_INTERVAL, signal);
      if (!signal.aborted) await this.look().catch(report);
    }
  }

  async #keep(): Promise<Kept> {
    const { client, secret, surroundings } = this.parts;
    const secrets = client.of("v1", "Secret").namespace(secret.namespace);
    for (;;) {
      const found = await secrets.get(secret.name).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      const kept = found && keptIn(found);
      const now = surroundings.clock.now();
      if (kept !== undefined && this.#isGood(kept, now)) return kept;
      const made = this.#renewed(kept, now);
      try {
        // Another replica may have made one at the same time: the first one counts.
        if (found === undefined) await secrets.create(secretOf(secret, made));
        else await secrets.update({ ...found, data: { ...found.data, ...secretOf(secret, made).data } });
        return made;
      } catch (error) {
        if (!isAlreadyExists(error) && !isConflict(error)) throw error;
      }
    }
  }

  #isGood({ certificate, bundle }: Kept, now: number): boolean {
    const leaf = new X509Certificate(certificate);
    const fits = this.parts.names.every(
      (name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined,
    );
    return fits && lastsLong(leaf, now) && lastsLong(new X509Certificate(bundle), now);
  }

  #renewed(kept: Kept | undefined, now: number): Kept {
    const { names, surroundings } = this.parts;
    const serial = (): Uint8Array => surroundings.random.bytes(16);
    const notBefore = now - 60 * 60 * 1000;
    const last = kept && lastsLong(new X509Certificate(kept.bundle), now) ? kept : undefined;
    const authority = last
      ? { certificate: last.bundle, key: last.authorityKey }
      : issueCertificate({
          commonName: AUTHORITY_NAME,
          notBefore,
          notAfter: now + AUTHORITY_LIFE,
          serial: serial(),
          usage: "ca",
        });
    const leaf = issueCertificate(
      {
        commonName: names[0] ?? "webhook",
        names,
        notBefore,
        notAfter: now + LEAF_LIFE,
        serial: serial(),
        usage: "server",
      },
      issuerOf(authority, AUTHORITY_NAME),
    );
    const before = kept && last === undefined ? `\n${new X509Certificate(kept.bundle).toString()}` : "";
    return {
      ...leaf,
      bundle: `${authority.certificate.trimEnd()}\n${before.trimStart()}`,
      authorityKey: authority.key,
    };
  }

  /** Puts the bundle into each configuration and definition that leads to one of the names. */
  async #announce(caBundle: string): Promise<void> {
    const { client } = this.parts;
    for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const) {
      const configurations = client.of("admissionregistration.k8s.io/v1", kind);
      for await (const found of configurations.listAll()) {
        const changed = this.#withBundle(found, caBundle);
        if (changed !== undefined) await configurations.update(changed as typeof found).catch(unlessChanged);
      }
    }
    if (this.parts.converts) await this.#announceToDefinitions(caBundle);
  }

  async #announceToDefinitions(caBundle: string): Promise<void> {
    const definitions = this.parts.client.of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    for await (const found of definitions.listAll()) {
      const config = found.spec.conversion?.webhook?.clientConfig;
      if (config === undefined || !this.#leadsHere(config) || config.caBundle === caBundle) continue;
      const { metadata } = found;
      const patch = { metadata: { resourceVersion: metadata?.resourceVersion ?? "" }, spec: bundleIn(caBundle) };
      await definitions.patch(metadata?.name ?? "", patch, { type: "merge" }).catch(unlessChanged);
    }
  }

  #withBundle(
    configuration: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
    caBundle: string,
  ): typeof configuration | undefined {
    const { webhooks = [] } = configuration;
    const isStale = ({ clientConfig }: { readonly clientConfig: WebhookClientConfig }): boolean =>
      this.#leadsHere(clientConfig) && clientConfig.caBundle !== caBundle;
    if (!webhooks.some(isStale)) return undefined;
    const changed = webhooks.map((one) =>
      isStale(one) ? { ...one, clientConfig: { ...one.clientConfig, caBundle } } : one,
    );
    return { ...configuration, webhooks: changed } as typeof configuration;
  }

  #leadsHere({ service, url }: Pick<WebhookClientConfig, "service" | "url">): boolean {
    const { names } = this.parts;
    if (service !== undefined) return names.includes(`${service.name}.${service.namespace}.svc`);
    return url !== undefined && URL.canParse(url) && names.includes(new URL(url).hostname);
  }
}

const bundleIn = (caBundle: string): Pick<CustomResourceDefinition, never> => ({
  conversion: { webhook: { clientConfig: { caBundle } } },
});

/** Passes over a write that came too late: the next look begins with what is there then. */
function unlessChanged(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}

function lastsLong({ validFrom, validTo }: X509Certificate, now: number): boolean {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return to - now > (to - from) * RENEWED_BEFORE;
}

/** What a Secret keeps; undefined where it keeps something else. */
function keptIn({ data = {} }: Secret): Kept | undefined {
  const textOf = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  const kept = {
    certificate: textOf("tls.crt"),
    key: textOf("tls.key"),
    bundle: textOf("ca.crt"),
    authorityKey: textOf("ca.key"),
  };
  try {
    return new X509Certificate(kept.certificate).issuer === new X509Certificate(kept.bundle).subject ? kept : undefined;
  } catch {
    return undefined;
  }
}

function secretOf({ namespace, name }: NamespacedName, { certificate, key, bundle, authorityKey }: Kept): Secret {
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name },
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": encoded(certificate),
      "tls.key": encoded(key),
      "ca.crt": encoded(bundle),
      "ca.key": encoded(authorityKey),
    },
  };
}
