import { X509Certificate } from "node:crypto";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----\r?\n(?:(?!-----BEGIN )[\s\S])*?-----END CERTIFICATE-----/g;

/** What is wrong with a bundle of certificates in base64; undefined for a good one and for none. */
export function caBundleProblem(bundle: string): string | undefined {
  if (bundle === "") return undefined;
  const certificates = Buffer.from(bundle, "base64").toString("latin1").match(CERTIFICATE) ?? [];
  const unreadable = "unable to load root certificates: unable to parse bytes as PEM block";
  if (certificates.length === 0) return unreadable;
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch {
      return "unable to load root certificates: failed to parse certificate: x509: malformed certificate";
    }
  }
  return undefined;
}
