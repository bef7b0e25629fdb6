import { isIP } from "node:net";
import type { X509Certificate } from "node:crypto";
import { readKeyPair, type PemPair } from "../../../machinery/crypto/key-pair.js";

/** A certificate and its key, for clients that use certain server names. */
export interface NamedPair extends PemPair {
  /** "shop.example.com", "*.example.com", or an address of the server. Without any: those of the certificate. */
  readonly names: readonly string[];
}

/**
 * Chooses among certificates as kube-apiserver does. An exact name comes before a wildcard, whose star stands for the first label; a
 * name that was given comes before one that a certificate has, and of two equal ones the earlier pair's counts.
 */
export class NamedCertificates<Served extends object> {
  /** What clients see that ask for no name that there is. */
  readonly main: Served;
  readonly #byName = new Map<string, Served>();
  readonly #given = new Map<string, Served>();
  readonly #all: readonly (readonly [X509Certificate, Served])[];

  /** `served` makes of a pair what is chosen. Throws in Go's words for a pair that is none. */
  constructor(main: PemPair, named: readonly NamedPair[], served: (pair: PemPair) => Served) {
    const all = named.map((pair) => ({ pair, certificate: readKeyPair(pair).leaf, served: served(pair) }));
    this.main = served(main);
    for (const { pair, certificate, served: own } of all.toReversed()) {
      for (const name of pair.names) this.#given.set(name, own);
      if (pair.names.length === 0) for (const name of namesOf(certificate)) this.#byName.set(name, own);
    }
    for (const [name, own] of this.#given) this.#byName.set(name, own);
    this.#all = [
      [readKeyPair(main).leaf, this.main],
      ...all.map(({ certificate, served: own }) => [certificate, own] as const),
    ];
  }

  /** For a client that asks for a name. Where none is listed, a certificate that is valid for the name will do. */
  for(serverName: string): Served {
    const name = serverName.toLowerCase();
    const [, ...others] = name.split(".");
    const listed = this.#byName.get(name) ?? this.#byName.get(["*", ...others].join("."));
    if (listed !== undefined) return listed;
    const [, valid] = this.#all.find(([certificate]) => isValidFor(certificate, name)) ?? [];
    return valid ?? this.main;
  }

  /** For a client that asks for no name, as those do that connect to an address: what was given for the server's address. */
  withoutName(address: string): Served {
    return this.#given.get(address) ?? this.main;
  }
}

/** No address is among them: a client cannot ask for one by name. */
function namesOf(certificate: X509Certificate): readonly string[] {
  const [, commonName = ""] = [...certificate.subject.matchAll(/^CN=(.*)$/gm)].at(-1) ?? [];
  const isName = commonName === "*" || DOMAIN.test(commonName.replace(/^\*\./, ""));
  return [...(isName && isIP(commonName) === 0 ? [commonName] : []), ...dnsNamesOf(certificate)];
}

function dnsNamesOf({ subjectAltName = "" }: X509Certificate): readonly string[] {
  return subjectAltName.split(", ").flatMap((entry) => (entry.startsWith("DNS:") ? [entry.slice(4)] : []));
}

/** As Go checks it: by the alternative names, never by the common name. */
const isValidFor = (certificate: X509Certificate, name: string): boolean =>
  certificate.checkHost(name, { subject: "never", partialWildcards: false }) !== undefined;

const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
