import { jsonWebKey } from "../../../machinery/crypto/jwt/jws.js";
import type { Handler } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";
import { type TokenIssuer, verificationKeysOf } from "../../request/token-issuer.js";

const CONFIGURATION = "/.well-known/openid-configuration";
const KEYS = "/openid/v1/jwks";

/** The paths of these documents. */
export const OPENID_PATHS: readonly string[] = [CONFIGURATION, KEYS];

/** Serves the documents by which others verify tokens of service accounts. `serverAddress` is "host:port". */
export function openIdHandlers(
  issuer: TokenIssuer,
  serverAddress: () => string,
): (path: string) => Handler | undefined {
  const respond =
    (type: string, document: () => object): Handler =>
    (request) =>
      respondBytes(
        request,
        200,
        { "content-type": type, "cache-control": "public, max-age=3600" },
        Buffer.from(JSON.stringify(document())),
      );
  const configuration = respond("application/json", () => ({
    issuer: issuer.url,
    jwks_uri: issuer.keysUrl ?? `https://${serverAddress()}${KEYS}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(verificationKeysOf(issuer).map(({ algorithm }) => algorithm))],
  }));
  const keys = respond("application/jwk-set+json", () => ({ keys: verificationKeysOf(issuer).map(jsonWebKey) }));
  return (path) => (path === CONFIGURATION ? configuration : path === KEYS ? keys : undefined);
}
