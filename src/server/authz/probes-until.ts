import type { AuthorizationMode } from "./authorizer.js";

const PROBES = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/**
 * Allows probes of a server that is not ready: the roles that allow them are among what it still makes. Afterwards it leaves them to
 * the other authorizers.
 */
export function probesUntil(ready: () => boolean): AuthorizationMode {
  return {
    name: "Probes",
    authorize: ({ verb, isResourceRequest, path }) => ({
      decision: !isResourceRequest && verb === "get" && !ready() && PROBES.test(path) ? "allow" : "no-opinion",
    }),
    rightsOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
