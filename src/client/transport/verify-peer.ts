import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { goQuote } from "../../base/go-quote.js";
import { certificateBlocks } from "../../machinery/signature/certificate-blocks.js";
import { NetworkFailure } from "./go-network-error.js";

/**
 * Verifies the peer of a TLS connection that was made without verification: throws unless the chain is trusted and the
 * leaf's names include `host`. `now` is milliseconds since the epoch. Checks in Go's order (validity, name, chain), so that
 * a certificate with two faults gets Go's error. `roots` are the authorities that the connection was made with, undefined for the
 * runtime's list. Nothing may be written to the socket before.
 */
export function verifyPeer(
  socket: TLSSocket,
  host: string,
  { roots, now }: { readonly roots: readonly (string | Buffer)[] | undefined; readonly now: number },
): void {
  const peer = socket.getPeerCertificate(true);
  if (!peer.raw) throw failure("certificate signed by unknown authority");
  const leaf = new X509Certificate(peer.raw);
  const time = new Date(now);
  checkLeaf(leaf, host, time);
  // Go's rules for the name are checked above. For a trusted chain the only other error is Node's own check of the name.
  const complaint = socket.authorizationError as unknown;
  const code = complaint instanceof Error ? codeOf(complaint) : complaint;
  // Bun takes an empty list for its own.
  if (roots?.length === 0) throw failure("certificate signed by unknown authority");
  if (socket.authorized || code === "ERR_TLS_CERT_ALTNAME_INVALID") return;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    for (let issuer = peer.issuerCertificate, depth = 0; issuer?.raw && depth < 10; depth++) {
      checkValidity(new X509Certificate(issuer.raw), time);
      if (issuer === issuer.issuerCertificate) break;
      issuer = issuer.issuerCertificate;
    }
  }
  throw failure(`certificate signed by unknown authority${hint(leaf, roots ?? [])}`);
}

/**
 * Go's error when the certificate is not valid now or not for `host`, for a TLS implementation that has verified the chain. `raw` is
 * DER.
 */
export function verifyLeaf(raw: Buffer, host: string, now: number): NetworkFailure | undefined {
  try {
    checkLeaf(new X509Certificate(raw), host, new Date(now));
    return undefined;
  } catch (error) {
    return error instanceof NetworkFailure ? error : failure(String(error));
  }
}

/** Whether `host` is an IP address. Loading node:net for its isIP would take bun 2 ms. */
export function isAddress(host: string): boolean {
  return host.includes(":") || /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(host);
}

function checkLeaf(leaf: X509Certificate, host: string, now: Date): void {
  checkValidity(leaf, now);
  checkName(leaf, host);
}

function failure(text: string): NetworkFailure {
  return new NetworkFailure(`tls: failed to verify certificate: x509: ${text}`);
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : error.message;
}

function checkValidity(certificate: X509Certificate, now: Date): void {
  const from = new Date(certificate.validFrom);
  const to = new Date(certificate.validTo);
  const invalid = "certificate has expired or is not yet valid: current time";
  if (now < from) throw failure(`${invalid} ${rfc3339(now)} is before ${rfc3339(from)}`);
  if (now > to) throw failure(`${invalid} ${rfc3339(now)} is after ${rfc3339(to)}`);
}

function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}

function checkName(leaf: X509Certificate, host: string): void {
  const names = subjectAltNames(leaf);
  if (isAddress(host)) {
    if (leaf.checkIP(host) !== undefined) return;
    if (names.ips.length === 0) {
      throw failure(`cannot validate certificate for ${host} because it doesn't contain any IP SANs`);
    }
    throw failure(`certificate is valid for ${names.ips.join(", ")}, not ${host}`);
  }
  if (leaf.checkHost(host, { subject: "never" }) !== undefined) return;
  if (names.dns.length === 0) {
    const common = /^CN=(.*)$/m.exec(leaf.subject)?.[1];
    if (names.none && common !== undefined && sameHost(common, host)) {
      throw failure("certificate relies on legacy Common Name field, use SANs instead");
    }
    throw failure(`certificate is not valid for any names, but wanted to match ${host}`);
  }
  throw failure(`certificate is valid for ${names.dns.join(", ")}, not ${host}`);
}

function sameHost(pattern: string, host: string): boolean {
  return pattern.toLowerCase() === host.toLowerCase();
}

function subjectAltNames(leaf: X509Certificate): {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
  readonly none: boolean;
} {
  const dns: string[] = [];
  const ips: string[] = [];
  const entries = leaf.subjectAltName?.split(", ") ?? [];
  for (const entry of entries) {
    if (entry.startsWith("DNS:")) dns.push(unquote(entry.slice(4)));
    if (entry.startsWith("IP Address:")) ips.push(compressIp(entry.slice(11)));
  }
  return { dns, ips, none: entries.length === 0 };
}

function unquote(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** Shortens an IPv6 address. OpenSSL prints the full form, Go the short one. */
function compressIp(text: string): string {
  if (!text.includes(":")) return text;
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return text;
  }
}

/** Go's hint that an authority of the right name did not sign the certificate. The CA was probably recreated. */
function hint(leaf: X509Certificate, roots: readonly (string | Buffer)[]): string {
  for (const root of roots) {
    for (const pem of certificateBlocks(String(root))) {
      const candidate = tryCertificate(pem);
      if (candidate === undefined || candidate.subject !== leaf.issuer || leaf.verify(candidate.publicKey)) continue;
      const why = VERIFICATION_ERRORS[candidate.publicKey.asymmetricKeyType ?? ""] ?? "crypto/rsa: verification error";
      const name = /^CN=(.*)$/m.exec(candidate.subject)?.[1] ?? /^O=(.*)$/m.exec(candidate.subject)?.[1];
      const shown = name ?? `serial:${BigInt(`0x${candidate.serialNumber}`)}`;
      return ` (possibly because of ${goQuote(why)} while trying to verify candidate authority certificate ${goQuote(shown)})`;
    }
  }
  return "";
}

const VERIFICATION_ERRORS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

function tryCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
