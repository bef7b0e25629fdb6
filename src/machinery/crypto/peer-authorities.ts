import { createHash, type X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { errorMessage } from "../../base/text/error-message.js";
import { ExpiringLru, Lru } from "../../base/collections/lru.js";
import { SUBJECT_PART_TYPES as TYPES } from "./certificate-request.js";
import { certificatesIn } from "./certificates.js";
import { sentCertificates } from "./sent-certificates.js";
import { type Certificate, readX509 } from "./x509/certificate.js";
import { CertificatePool } from "./x509/certificate-pool.js";
import { verifyCertificate } from "./x509/verify-certificate.js";

/** The identity in a verified client certificate. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate's DER, in lower-case hex. Absent for in-process callers. */
  readonly fingerprint?: string;
  /** The subject's attribute 1.3.6.1.4.1.57683.2. */
  readonly uid?: string;
}

/** The identity in a connection's client certificate. All fields are undefined for a connection without one. */
export interface PeerIdentity {
  /** Present when an authority of clients signed the certificate. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Present when an authority of front proxies signed the certificate. */
  readonly proxyCertificate?: { readonly commonName: string } | undefined;
  /** Why the certificate names no user; undefined without a certificate. */
  readonly certificateFault?: string | undefined;
}

/** The certificate authorities of a server's clients, as PEM. */
export interface AuthorityTexts {
  /** Sign clients' certificates. */
  readonly clientCa: string;
  /** Sign front proxies' certificates. */
  readonly frontProxyCa?: string | undefined;
}

const MOST_CHAINS = 1000;
/** How long a certificate that was verified need not be verified again, in milliseconds: as tokens whose signature was right. */
const VERIFIED_MS = 10_000;
/** An attribute that names a user's uid. */
const UID = "1.3.6.1.4.1.57683.2";

/** Finds which authorities signed the client certificate of a connection. The authorities may change while connections are open. */
export class PeerAuthorities {
  #clients: Authorities | undefined;
  #proxies: Authorities | undefined;
  /** By the connection's object, as long as the authorities stay. */
  #known = new WeakMap<object, PeerIdentity>();
  /** Who showed a certificate that was verified a short time ago, by its fingerprint: to read and verify one takes a millisecond. */
  #verified: ExpiringLru<PeerIdentity>;
  /** What clients sent with their certificates, by the fingerprints of these. */
  readonly #chains = new Lru<string, readonly Uint8Array[]>(MOST_CHAINS);

  /** `now` is milliseconds since the epoch. Throws for texts that hold no certificates. */
  constructor(
    private readonly now: () => number,
    texts?: AuthorityTexts,
  ) {
    this.#verified = this.#noneVerified();
    if (texts !== undefined) this.replace(texts);
  }

  /** From the next request on, of open connections too. Throws, and changes nothing, for texts that hold no certificates. */
  replace({ clientCa, frontProxyCa }: AuthorityTexts): void {
    const clients = clientCa === "" ? undefined : readAuthorities(clientCa);
    this.#proxies = frontProxyCa === undefined ? undefined : readAuthorities(frontProxyCa);
    this.#clients = clients;
    this.#known = new WeakMap();
    this.#verified = this.#noneVerified();
  }

  /** All authorities, which the listener names to clients that have several certificates. */
  get pem(): string {
    return [this.#clients?.pem, this.#proxies?.pem].filter((pem) => pem !== undefined).join("\n");
  }

  /** `owner` is the connection's object, for as long as which the answer is kept. */
  identify(owner: object, socket: TLSSocket): PeerIdentity {
    let identity = this.#known.get(owner);
    if (identity === undefined) {
      identity = this.#read(socket.getPeerX509Certificate());
      this.#known.set(owner, identity);
    }
    return identity;
  }

  /** A connection that resumes a session shows the client's own certificate alone: the others are those of before. */
  #between(fingerprint: string, sent: readonly Uint8Array[]): readonly Uint8Array[] {
    if (sent.length === 0) return this.#chains.get(fingerprint) ?? [];
    this.#chains.set(fingerprint, sent);
    return sent;
  }

  #noneVerified(): ExpiringLru<PeerIdentity> {
    return new ExpiringLru(MOST_CHAINS, { now: this.now });
  }

  #read(shown: X509Certificate | undefined): PeerIdentity {
    const [own, ...sent] = sentCertificates(shown);
    if (own === undefined) return {};
    const fingerprint = createHash("sha256").update(own).digest("hex");
    const between = this.#between(fingerprint, sent);
    const verified = this.#verified.get(fingerprint);
    if (verified !== undefined) return verified;
    const identity = this.#readWhole(own, between, fingerprint);
    const isVerified = identity.clientCertificate !== undefined && identity.certificateFault === undefined;
    if (isVerified) this.#verified.set(fingerprint, identity, VERIFIED_MS);
    return identity;
  }

  #readWhole(own: Uint8Array, between: readonly Uint8Array[], fingerprint: string): PeerIdentity {
    let leaf: Certificate;
    let intermediates: CertificatePool;
    try {
      leaf = readX509(own);
      // Go ends the connection when it cannot read one of the certificates.
      intermediates = new CertificatePool(between.map((raw) => readX509(raw).raw));
    } catch (error) {
      return { certificateFault: errorMessage(error) };
    }
    const now = this.now();
    const faultBy = ({ roots }: Authorities): string | undefined => {
      try {
        verifyCertificate(leaf, { roots, intermediates, usage: "client", now });
        return undefined;
      } catch (error) {
        return errorMessage(error);
      }
    };
    const { commonName, organizations, uids } = subjectOf(leaf);
    const isProxy = this.#proxies !== undefined && faultBy(this.#proxies) === undefined;
    const proxyCertificate = isProxy ? { commonName } : undefined;
    if (this.#clients === undefined) return { proxyCertificate };
    const certificateFault = faultBy(this.#clients);
    if (certificateFault !== undefined) return { proxyCertificate, certificateFault };
    if (uids.length > 1) {
      return { proxyCertificate, certificateFault: `expected 1 UID, but found multiple: [${uids.join(" ")}]` };
    }
    if (uids[0] === "") return { proxyCertificate, certificateFault: "UID cannot be an empty string" };
    if (commonName === "") return { proxyCertificate };
    const clientCertificate = {
      commonName,
      organizations,
      fingerprint,
      ...(uids[0] !== undefined && { uid: uids[0] }),
    };
    return { proxyCertificate, clientCertificate };
  }
}

/** The authorities of a server that requests no client certificates. */
export const NO_AUTHORITIES = new PeerAuthorities(() => 0);

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

function subjectOf({ subjectAttributes }: Certificate): Subject {
  const all = (wanted: string) => subjectAttributes.flatMap(({ type, value }) => (type === wanted ? [value] : []));
  // Go's reader keeps the last common name.
  return { commonName: all(TYPES.commonName).at(-1) ?? "", organizations: all(TYPES.organization), uids: all(UID) };
}

interface Authorities {
  readonly pem: string;
  readonly roots: CertificatePool;
}

/** Throws for a text that holds no certificates. */
function readAuthorities(pem: string): Authorities {
  return { pem, roots: new CertificatePool(certificatesIn(pem).map(({ raw }) => raw)) };
}
