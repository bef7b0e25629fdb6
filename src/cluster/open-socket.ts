import type { Clock } from "../base/time/clock.js";
import { nodeHandler } from "../server/generic/node-handler.js";
import type { PlainListener } from "../server/generic/plain-listener.js";
import type { Http2Options, Listener } from "../server/generic/secure-listener.js";
import type { AuthorityTexts } from "../machinery/crypto/peer-authorities.js";
import type { Server } from "../server/generic/server.js";
import type { ClusterPki } from "./pki/cluster-pki.js";
import type { ServingCertificates } from "./reload/serving-certificates.js";
import type { ServerOptions } from "./options/server-options.js";

/** The host that a server listens on unless its composition names another one. */
export const HOST = "127.0.0.1";

/** "127.0.0.1:6443", "[::1]:6443". */
export const authority = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

interface SocketParts {
  readonly clock: Clock;
  readonly authorities?: AuthorityTexts | undefined;
  /** Left out: the pki's certificate. */
  readonly serving?: Pick<ServingCertificates, "pairs" | "protocol"> | undefined;
  readonly http2?: Http2Options | false | undefined;
}

/** Opens the port of a server; undefined where it has none. */
export async function openSocket(
  options: Pick<ServerOptions, "port">,
  host: string,
  server: Server,
  pki: ClusterPki,
  { clock, authorities, serving, http2 }: SocketParts,
): Promise<Listener | undefined> {
  if (options.port === false) return undefined;
  const { listen } = await import("../server/generic/secure-listener.js");
  return listen({
    host,
    port: options.port ?? 0,
    tls: {
      ...(serving?.pairs(pki.server) ?? pki.server),
      protocol: serving?.protocol,
      ...(authorities ?? { clientCa: pki.ca.certificate }),
    },
    clock,
    http2,
    handle: (exchange) => server.handle(exchange),
    stopping: server.stopping,
    onHandshakeError: () => server.measuring.on?.handshakeFailed(),
  });
}

/** Opens the port without TLS; undefined where the options have none. */
export async function openPlain(http: ServerOptions["http"], server: Server): Promise<PlainListener | undefined> {
  if (http === undefined) return undefined;
  const { listenPlain } = await import("../server/generic/plain-listener.js");
  const address = "socketPath" in http ? http : { host: http.host ?? HOST, port: http.port ?? 0 };
  return listenPlain(address, nodeHandler(server));
}
