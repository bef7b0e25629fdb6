import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";
import { errorMessage } from "../../base/error-message.js";
import { ExpiringLru } from "../../base/expiring-lru.js";
import { Lru } from "../../base/lru.js";
import { SUBJECT_PART_TYPES as TYPES } from "../codec/certificate-request.js";
import { certificateSubject } from "../codec/certificate-subject.js";
import { CertificatePool } from "./certificate-pool.js";

/** The identity in a verified client certificate. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate's DER, in lower-case hex. Absent for in-process callers. */
  readonly fingerprint?: string;
  /** The subject's attribute 1.3.6.1.4.1.57683.2. */
  readonly uid?: string;
}

/** Who a connection's certificate says it is. All undefined for a connection that shows none. */
export interface PeerIdentity {
  /** Present when an authority of clients signed the certificate. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Present when an authority of front proxies signed the certificate. */
  readonly proxyCertificate?: { readonly commonName: string } | undefined;
  /** Why the certificate names no user; undefined without a certificate. */
  readonly certificateFault?: string | undefined;
}

/** The authorities whose certificates a server takes, as PEM. */
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

/** Tells which authorities signed the certificate of a connection. The authorities may change while connections are open. */
export class PeerAuthorities {
  #clients: CertificatePool | undefined;
  #proxies: CertificatePool | undefined;
  /** By the connection's object, as long as the authorities stay. */
  #known = new WeakMap<object, PeerIdentity>();
  /** Who showed a certificate that was verified a short time ago, by its fingerprint: to read and verify one takes a millisecond. */
  #verified: ExpiringLru<PeerIdentity>;
  /** What clients sent with their certificates, by the fingerprints of these. */
  readonly #chains = new Lru<string, readonly X509Certificate[]>(MOST_CHAINS);

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
    const clients = clientCa === "" ? undefined : new CertificatePool(clientCa);
    this.#proxies = frontProxyCa === undefined ? undefined : new CertificatePool(frontProxyCa);
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
      identity = this.#read(socket);
      this.#known.set(owner, identity);
    }
    return identity;
  }

  /** A connection that resumes a session shows the client's own certificate alone: the others are those of before. */
  #between(leaf: X509Certificate, sent: readonly X509Certificate[]): readonly X509Certificate[] {
    if (sent.length === 0) return this.#chains.get(leaf.fingerprint256) ?? [];
    this.#chains.set(leaf.fingerprint256, sent);
    return sent;
  }

  #noneVerified(): ExpiringLru<PeerIdentity> {
    return new ExpiringLru(MOST_CHAINS, { now: this.now });
  }

  #read(socket: TLSSocket): PeerIdentity {
    // What Node makes of a certificate field by field costs more than the rest of an identification.
    const fingerprint256 = socket.getPeerX509Certificate()?.fingerprint256;
    // OpenSSL has verified it on this connection in any case.
    const verified = socket.authorized && fingerprint256 ? this.#verified.get(fingerprint256) : undefined;
    if (verified !== undefined) return verified;
    const identity = this.#readWhole(socket);
    const isVerified = identity.clientCertificate !== undefined && identity.certificateFault === undefined;
    if (isVerified && fingerprint256) this.#verified.set(fingerprint256, identity, VERIFIED_MS);
    return identity;
  }

  #readWhole(socket: TLSSocket): PeerIdentity {
    const shown = socket.getPeerCertificate(true);
    if (shown.raw === undefined) return {};
    const [leaf, ...sent] = chainOf(shown);
    if (leaf === undefined) return {};
    let subject: Subject;
    try {
      subject = subjectOf(leaf);
    } catch (error) {
      return { certificateFault: `x509: ${errorMessage(error)}` };
    }
    const { commonName, organizations, uids } = subject;
    const between = this.#between(leaf, sent);
    const verified = (pool: CertificatePool | undefined): boolean => pool?.verifies(leaf, between, this.now()) ?? false;
    // OpenSSL looks at what Node's certificates do not show: lengths of paths, constraints on names, critical extensions.
    const byProxies = socket.authorized && verified(this.#proxies);
    const proxyCertificate = byProxies ? { commonName } : undefined;
    if (this.#clients === undefined) return { proxyCertificate };
    if (!socket.authorized || !verified(this.#clients)) {
      return { proxyCertificate, certificateFault: "x509: certificate signed by unknown authority" };
    }
    if (uids.length > 1) {
      return { proxyCertificate, certificateFault: `expected 1 UID, but found multiple: [${uids.join(" ")}]` };
    }
    if (uids[0] === "") return { proxyCertificate, certificateFault: "UID cannot be an empty string" };
    if (commonName === "") return { proxyCertificate };
    const clientCertificate = {
      commonName,
      organizations,
      fingerprint: leaf.fingerprint256.replaceAll(":", "").toLowerCase(),
      ...(uids[0] !== undefined && { uid: uids[0] }),
    };
    return { proxyCertificate, clientCertificate };
  }
}

/** Of a server that asks no client for a certificate. */
export const NO_AUTHORITIES = new PeerAuthorities(() => 0);

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

/** Throws for a certificate that Go could not read. */
function subjectOf({ raw }: X509Certificate): Subject {
  const attributes = certificateSubject(raw);
  const all = (wanted: string) => attributes.flatMap(({ type, value }) => (type === wanted ? [value] : []));
  // Go's reader keeps the last common name.
  return { commonName: all(TYPES.commonName).at(-1) ?? "", organizations: all(TYPES.organization), uids: all(UID) };
}

/** The certificate, and those that the client sent with it or that Node found above it. */
function chainOf(shown: DetailedPeerCertificate): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let at: DetailedPeerCertificate | undefined = shown;
  const seen = new Set<DetailedPeerCertificate>();
  while (at?.raw !== undefined && !seen.has(at)) {
    seen.add(at);
    chain.push(new X509Certificate(at.raw));
    at = at.issuerCertificate;
  }
  return chain;
}
