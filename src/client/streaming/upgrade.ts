import { connectingClient } from "../rest/connecting-rest-client.js";
import type { RestClient } from "../rest/rest-client.js";
import { addressesOf, dial } from "../transport/dial.js";
import { endpointOf } from "../transport/endpoint.js";
import { errorCode } from "../../base/files/path-error.js";
import { goNetworkReason, NetworkFailure } from "../transport/go-network-error.js";
import type { Transport, TransportRequest, Upgrade } from "../transport/transport.js";
import { isTransportError, TransportError } from "../transport/transport-error.js";
import { wireHeaders } from "../transport/wire-headers.js";
import { upgradeExchange } from "./upgrade-exchange.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

export interface UpgradeRequest {
  readonly method: string;
  /** Absolute, with the query; the server's own path comes before it. */
  readonly path: string;
  /** What asks for the other protocol. Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a client's server for another protocol on a connection of its own, with the client's TLS, proxy, credentials and headers. Rejects
 * with a TransportError when there is no answer, and with the reason of the signal, which ends the connection later, too.
 */
export async function upgrade(rest: RestClient, request: UpgradeRequest): Promise<Upgrade> {
  const client = connectingClient(rest);
  const { config, options, surroundings } = client;
  const [, origin = config.server, prefix = ""] = /^([^:]+:\/\/[^/]+)(.*)$/.exec(config.server) ?? [];
  const path = withoutTrailing(prefix, "/") + request.path;
  const where = { method: request.method, url: origin + path };
  const credentials = await client.credentials(where);
  const { signal } = request;
  signal?.throwIfAborted();
  let made: Upgrade | undefined;
  const dialled = async ({ headers, repeatedHeaders }: TransportRequest): Promise<Upgrade> => {
    const tls = { ...config.tls, ...credentials.certificate };
    const { target, hostHeader } = endpointOf({ ...config, tls }, surroundings);
    const head = {
      method: request.method,
      path,
      headers: wireHeaders({ host: hostHeader, ...headers, ...repeatedHeaders }),
    };
    return exchange({ ...target, tunnel: true, ...(signal && { signal }) }, head, signal);
  };
  const { transport } = options;
  const connect = transport === undefined ? dialled : transport.upgrade;
  if (connect === undefined) throw new Error("the client's transport makes no connections that could be upgraded");
  const send: Transport["send"] = async (asked) => {
    try {
      made = await connect({ ...asked, signal });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isTransportError(error)) throw error;
      throw new TransportError(goNetworkReason(error), { ...where, code: errorCode(error), cause: error });
    }
    const { status, headers: answered } = made.answer;
    return { status, headers: answered, body: (async function* () {})() };
  };
  const carrier: Transport = { send, close: () => Promise.resolve() };
  await (options.log?.around(carrier, origin) ?? carrier).send({
    method: request.method,
    path,
    headers: {
      "user-agent": config.userAgent,
      ...options.headers,
      ...credentials.headers,
      ...single(request.headers),
    },
    repeatedHeaders: { ...credentials.repeatedHeaders, ...repeated(request.headers) },
  });
  if (made === undefined) throw new Error("the log has sent no request");
  if (made.answer.status === 401) credentials.refused();
  return made;
}

async function exchange(
  target: Parameters<typeof dial>[0],
  head: Parameters<typeof upgradeExchange>[1],
  signal: AbortSignal | undefined,
): Promise<Upgrade> {
  const socket = await dial({ ...target, signal });
  const abort = (): void => void socket.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  socket.once("close", () => signal?.removeEventListener("abort", abort));
  if (signal?.aborted) abort();
  try {
    return { answer: await upgradeExchange(socket, head), socket };
  } catch (error) {
    socket.destroy();
    throw new NetworkFailure(goNetworkReason(error, addressesOf(socket)), errorCode(error));
  }
}

type Headers = UpgradeRequest["headers"];

const single = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );

const repeated = (headers: Headers): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, readonly string[]] => typeof entry[1] !== "string"),
  );
