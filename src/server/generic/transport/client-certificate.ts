import type { TLSSocket } from "node:tls";
import type { ClientCertificate } from "../../request/exchange.js";

const known = new WeakMap<object, ClientCertificate | null>();

/**
 * The client certificate of a connection, if the cluster's CA signed it. The result is cached for the life of `owner`, the
 * connection's object.
 */
export function clientCertificateOf(owner: object, socket: TLSSocket): ClientCertificate | undefined {
  let certificate = known.get(owner);
  if (certificate === undefined) {
    certificate = read(socket) ?? null;
    known.set(owner, certificate);
  }
  return certificate ?? undefined;
}

function read(socket: TLSSocket): ClientCertificate | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerCertificate();
  const subject: Record<string, string | string[] | undefined> = { ...certificate.subject };
  const commonName = [subject["CN"] ?? []].flat()[0];
  if (commonName === undefined) return undefined;
  return {
    commonName,
    organizations: [subject["O"] ?? []].flat(),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}
