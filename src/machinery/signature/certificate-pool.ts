import type { X509Certificate } from "node:crypto";
import { certificatesIn } from "./certificates.js";

/** What a client's certificate, and the authorities between it and a root, must be good for; without a list they are for all. */
const CLIENT_PURPOSES = ["1.3.6.1.5.5.7.3.2", "2.5.29.37.0"];
const LONGEST_CHAIN = 10;

/** Authorities that sign clients' certificates. Each is trusted by itself, also where another authority signed it. */
export class CertificatePool {
  readonly #roots: readonly X509Certificate[];

  constructor(readonly pem: string) {
    this.#roots = certificatesIn(pem);
  }

  /**
   * Whether a chain of signatures leads from the certificate to one of the pool, all of it valid at `now` and for clients.
   * `between` are certificates that the client sent with its own.
   */
  verifies(certificate: X509Certificate, between: readonly X509Certificate[], now: number): boolean {
    return isUsable(certificate, now) && this.#leads(certificate, between, now, LONGEST_CHAIN);
  }

  #leads(certificate: X509Certificate, between: readonly X509Certificate[], now: number, left: number): boolean {
    if (this.#roots.some((root) => isValidAt(root, now) && isSignedBy(certificate, root))) return true;
    if (left === 0) return false;
    return between.some((issuer, index) => {
      if (!issuer.ca || !isUsable(issuer, now) || !isSignedBy(certificate, issuer)) return false;
      return this.#leads(issuer, between.toSpliced(index, 1), now, left - 1);
    });
  }
}

const isSignedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo);

function isUsable(certificate: X509Certificate, now: number): boolean {
  // Node calls the extended key usages keyUsage; undefined where there are none.
  const purposes = certificate.keyUsage as readonly string[] | undefined;
  return (
    isValidAt(certificate, now) &&
    (purposes === undefined || purposes.some((purpose) => CLIENT_PURPOSES.includes(purpose)))
  );
}
