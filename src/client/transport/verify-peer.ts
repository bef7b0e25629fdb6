import type { TLSSocket } from "node:tls";
import { errorMessage } from "../../base/text/error-message.js";
import { pemBlocks } from "../../machinery/crypto/pem.js";
import { sentCertificates } from "../../machinery/crypto/sent-certificates.js";
import { type Certificate, readX509 } from "../../machinery/crypto/x509/certificate.js";
import { CertificatePool } from "../../machinery/crypto/x509/certificate-pool.js";
import { verifyCertificate } from "../../machinery/crypto/x509/verify-certificate.js";
import { NetworkFailure } from "./go-network-error.js";

export interface PeerVerification {
  /** The authorities that servers' certificates must lead to. */
  readonly roots: CertificatePool;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Verifies the peer of a TLS connection that was made without verification, as Go's crypto/tls does: throws a {@link
 * NetworkFailure} in its words unless the certificates lead to a root and are valid for `host`. The caller must not write to the
 * socket before. The result of OpenSSL's own check is ignored.
 */
export function verifyPeer(socket: TLSSocket, host: string, verification: PeerVerification): void {
  const fault = faultOf(sentCertificates(socket.getPeerX509Certificate()), host, verification);
  if (fault !== undefined) throw new NetworkFailure(fault);
}

/**
 * Returns why a server's certificates are rejected, in the words of Go's crypto/tls; undefined when they are valid. `sent` holds
 * at least one certificate in DER, the server's own first.
 */
export function faultOf(
  sent: readonly Uint8Array[],
  host: string,
  { roots, now }: PeerVerification,
): string | undefined {
  let certificates: readonly Certificate[];
  try {
    certificates = sent.map(readX509);
  } catch (error) {
    return `tls: failed to parse certificate from server: ${errorMessage(error)}`;
  }
  const [leaf, ...others] = certificates;
  if (leaf === undefined) return "tls: received empty certificates message";
  try {
    const intermediates = new CertificatePool(others.map(({ raw }) => raw));
    verifyCertificate(leaf, { roots, intermediates, usage: "server", host, now });
    return undefined;
  } catch (error) {
    return `tls: failed to verify certificate: ${errorMessage(error)}`;
  }
}

/** Certificates in PEM, by whatever holds them: they are looked through once. */
const pools = new WeakMap<object, CertificatePool>();

/** Returns the certificate authorities of a connection. `texts` are PEM and cached by `owner`; undefined stands for the runtime's own list. */
export function authoritiesOf(owner: object, texts: readonly (string | Buffer)[] | undefined): CertificatePool {
  if (texts === undefined) return (runtimePool ??= poolOf(runtimeRoots()));
  const pool = pools.get(owner) ?? poolOf(texts);
  pools.set(owner, pool);
  return pool;
}

let runtimePool: CertificatePool | undefined;

/** Since Node 22.15 with those of NODE_EXTRA_CA_CERTS. A static import would make Node read its list for every process. */
function runtimeRoots(): readonly string[] {
  const tls = process.getBuiltinModule("node:tls") as typeof import("node:tls") & {
    readonly getCACertificates?: () => readonly string[];
  };
  return tls.getCACertificates?.() ?? tls.rootCertificates;
}

function poolOf(texts: readonly (string | Buffer)[]): CertificatePool {
  const blocks = texts.flatMap((text) => [...pemBlocks(String(text))]);
  return new CertificatePool(blocks.filter(({ type }) => type === "CERTIFICATE").map(({ bytes }) => bytes));
}
