import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { Cluster } from "../../src/cluster/index.js";

/** A connection to a cluster's server, for HTTP/1.1 that a test writes by hand. */
export async function tlsSocket(cluster: Cluster): Promise<TLSSocket> {
  const socket = connect({
    host: "127.0.0.1",
    port: Number(new URL(cluster.url).port),
    ca: cluster.caCertificate,
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  return socket;
}

/** The head of such a request: its line, the bearer token and `more` headers. */
export const requestHead = ({ token }: Cluster, line: string, ...more: string[]): string =>
  `${[`${line} HTTP/1.1`, "Host: x", `Authorization: Bearer ${token}`, ...more].join("\r\n")}\r\n\r\n`;
