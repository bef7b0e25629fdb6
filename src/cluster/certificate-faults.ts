import { errorMessage } from "../base/text/error-message.js";
import { pemBlocks } from "../machinery/crypto/pem.js";
import { type Certificate, readX509 } from "../machinery/crypto/x509/certificate.js";
import { CertificatePool } from "../machinery/crypto/x509/certificate-pool.js";
import { insecureAlgorithm, signingFault } from "../machinery/crypto/x509/signature-check.js";
import { verifyCertificate } from "../machinery/crypto/x509/verify-certificate.js";

/**
 * Returns why clients that verify as Go does reject a server's certificate, in Go's words; undefined where they accept it. Both
 * texts are PEM. Without `authorities` the server's last certificate is its root. `now` is milliseconds since the epoch. Without
 * `host` any name in the certificate is accepted.
 */
export function servingFault(certificate: string, authorities: string, now: number, host?: string): string | undefined {
  return faultIn(() => {
    const [leaf, ...others] = certificatesOf(certificate);
    if (leaf === undefined) return undefined;
    const given = certificatesOf(authorities);
    const roots = given.length > 0 ? given : [others.at(-1) ?? leaf];
    verifyCertificate(leaf, {
      roots: poolOf(roots),
      intermediates: poolOf(others),
      usage: "server",
      host: host ?? someNameOf(leaf),
      now,
    });
    return leaf.issuer === leaf.subject ? undefined : insecureAlgorithm(leaf);
  });
}

/** Finds the faults of the authorities (PEM) of clients or of front proxies, each with the name of its certificate, in Go's words. */
export function authorityFaults(authorities: string, now: number): readonly string[] {
  return certificatesOf(authorities).flatMap((authority) => {
    const fault = faultIn(() => {
      const alone = poolOf([authority]);
      verifyCertificate(authority, { roots: alone, intermediates: alone, usage: "client", now });
      // One that is for clients may be a client's own: it is trusted by itself.
      return authority.extensions.extendedKeyUsages.length === 0 ? signingFault(authority) : undefined;
    });
    return fault === undefined ? [] : [`certificate ${JSON.stringify(nameOf(authority))}: ${fault}`];
  });
}

function faultIn(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return errorMessage(error);
  }
}

const certificatesOf = (pem: string): readonly Certificate[] =>
  [...pemBlocks(pem)].filter(({ type }) => type === "CERTIFICATE").map(({ bytes }) => readX509(bytes));

const poolOf = (all: readonly Certificate[]): CertificatePool => new CertificatePool(all.map(({ raw }) => raw));

const nameOf = ({ subjectAttributes, serial }: Certificate): string =>
  subjectAttributes.map(({ value }) => value).join(" ") || `serial:${serial}`;

/** A name that the certificate is for. Without one, the common name, which names no server. */
function someNameOf({ extensions, subjectAttributes }: Certificate): string {
  const { dns = [], ips = [] } = extensions.alternativeNames ?? {};
  return dns[0]?.replace(/^\*/, "any") ?? ips[0] ?? subjectAttributes.at(-1)?.value ?? "localhost";
}
