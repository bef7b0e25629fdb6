/** How browsers send a bearer token with a WebSocket: as a subprotocol, in base64url. Source: apiserver's websocket authenticator. */
const BEARER = "base64url.bearer.authorization.k8s.io.";

/** The subprotocols that a handshake offers, in its order, without those that are a token. */
export const withoutBearer = (offered: readonly string[]): readonly string[] =>
  offered.filter((one) => one !== "" && !one.startsWith(BEARER));

/** The token among the subprotocols; undefined for none. Several, or one without another subprotocol beside it, are "": no token. */
export function bearerSubprotocol(offered: readonly string[]): string | undefined {
  const tokens = offered.filter((one) => one.startsWith(BEARER)).map((one) => one.slice(BEARER.length));
  const [token] = tokens;
  if (token === undefined) return undefined;
  if (tokens.length > 1 || withoutBearer(offered).length === 0) return "";
  return Buffer.from(token, "base64url").toString("utf8");
}
