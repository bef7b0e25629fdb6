import type { Environment } from "../surroundings.js";
import { hasSystemRoots } from "./tls-options.js";

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY"];

/** Since Node 22.19. */
type SetAuthorities = ((certificates: readonly string[]) => void) | undefined;

/**
 * Takes this process its runtime's own list of authorities. Node reads the whole list for the first TLS connection, used or not, and
 * needs 10 ms for it. Every connection must name its authorities afterwards, as `tlsOptions` does where the system has some:
 * where it has none, and where a proxy may be verified by the list, nothing is done.
 */
export function giveUpDefaultAuthorities(env: Environment, proxyUrl: string | undefined): void {
  // Bun reads its list for a connection that names none, and takes long to load node:tls.
  if (process.versions["bun"] !== undefined) return;
  const hasProxy = proxyUrl || PROXIES.some((name) => env[name] || env[name.toLowerCase()]);
  if (hasProxy || !hasSystemRoots(env)) return;
  // A static import would take the names that the Node of the build has.
  const tls = process.getBuiltinModule("node:tls") as { setDefaultCACertificates?: SetAuthorities };
  tls.setDefaultCACertificates?.([]);
}
