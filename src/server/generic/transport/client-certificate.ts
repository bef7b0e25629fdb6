import type { TLSSocket } from "node:tls";
import type { Exchange } from "../../request/exchange.js";

type ClientCertificate = NonNullable<Exchange["clientCertificate"]>;

const known = new WeakMap<object, ClientCertificate | null>();

/** The subject of the certificate a connection proved, if it was signed by our CA. `owner` is what lives as long as the connection. */
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
  const subject: Record<string, string | string[] | undefined> = { ...socket.getPeerCertificate()?.subject };
  const commonName = [subject["CN"] ?? []].flat()[0];
  if (commonName === undefined) return undefined;
  return { commonName, organizations: [subject["O"] ?? []].flat() };
}
