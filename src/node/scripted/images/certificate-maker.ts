/** A certificate and its private key, both as PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateOrder {
  readonly commonName: string;
  /** A peer serves and is a client too. */
  readonly usage: "ca" | "server" | "client" | "peer";
  /** DNS names and IP addresses. */
  readonly names?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Makes a certificate for a program of an image: a P-256 key, and a certificate signed by `authority` or, without one, by itself.
 * Throws an error with the reason where the authority cannot be read.
 */
export type MakeCertificate = (order: CertificateOrder, authority?: CertificatePair) => CertificatePair;

export const DAY_MS = 86_400_000;
