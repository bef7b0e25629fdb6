import type { Freshness } from "../kv.js";
import type { EndpointStatus } from "./etcd-client.js";

/**
 * "progress" when every endpoint answers progress requests correctly, as etcd does since 3.4.31 and 3.5.13. An endpoint that
 * did not report its version counts as an old one.
 */
export function freshnessOf(statuses: readonly (EndpointStatus | undefined)[]): Freshness {
  return statuses.every((one) => one !== undefined && isTruthful(one.version)) ? "progress" : "quorum";
}

function isTruthful(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/, 3).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
