import { createHash } from "node:crypto";

/** Computes the answer to a handshake's Sec-WebSocket-Key. */
export const acceptKey = (key: string): string =>
  createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Lists the subprotocols that a handshake offers, in its order. */
export function offeredSubprotocols({ "sec-websocket-protocol": offered }: RequestHeaders): readonly string[] {
  return [offered ?? []]
    .flat()
    .flatMap((one) => one.split(","))
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/**
 * Makes the headers of a server's 101 answer, with one of the subprotocols that the client offers; undefined or "" for none.
 * Throws an Error for an invalid handshake, which the caller answers with 400. `headers` are the request's, with lower-case names.
 */
export function webSocketAnswer(
  method: string,
  headers: RequestHeaders,
  subprotocol: string | undefined,
): Readonly<Record<string, string>> {
  const { "sec-websocket-key": key, "sec-websocket-version": version } = headers;
  if (method !== "GET") throw new Error("the handshake of a WebSocket is a GET request");
  if (typeof key !== "string" || !/^[+/0-9A-Za-z]{22}==$/.test(key)) {
    throw new Error("the Sec-WebSocket-Key header is missing or invalid");
  }
  if (version !== "13") throw new Error("the Sec-WebSocket-Version is not 13");
  return {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-accept": acceptKey(key),
    ...(subprotocol ? { "sec-websocket-protocol": subprotocol } : {}),
  };
}

/** How browsers send a bearer token with a WebSocket: as a subprotocol, in base64url. Source: apiserver's websocket authenticator. */
const BEARER = "base64url.bearer.authorization.k8s.io.";

/** The subprotocols that a handshake offers, in order, without bearer tokens. */
export const withoutBearer = (offered: readonly string[]): readonly string[] =>
  offered.filter((one) => one !== "" && !one.startsWith(BEARER));

/**
 * The bearer token among the subprotocols; undefined for none, and "", which is never valid, for several tokens or for one without
 * another subprotocol beside it.
 */
export function bearerSubprotocol(offered: readonly string[]): string | undefined {
  const tokens = offered.filter((one) => one.startsWith(BEARER)).map((one) => one.slice(BEARER.length));
  const [token] = tokens;
  if (token === undefined) return undefined;
  if (tokens.length > 1 || withoutBearer(offered).length === 0) return "";
  return Buffer.from(token, "base64url").toString("utf8");
}
