import type { FrontProxyInfo } from "../../controllers/authentication-trust/authentication-trust.js";
import { STANDARD_HEADERS } from "../../server/authn/request-header.js";
import { FRONT_PROXY_CLIENT } from "./client-certificates.js";

/** What aggregated API servers must know of this server, which stands in front of them with a certificate of `ca` (PEM). */
export const frontProxyInfo = (ca: string): FrontProxyInfo => ({
  ca,
  allowedNames: [FRONT_PROXY_CLIENT],
  ...STANDARD_HEADERS,
});
