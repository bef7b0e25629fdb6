import type { AuthorizationMode } from "./authorizer.js";

/** No user may do anything, but for what another authorizer of the chain allows. */
export const alwaysDeny: AuthorizationMode = {
  name: "AlwaysDeny",
  authorize: () => ({ decision: "no-opinion", reason: "Everything is forbidden." }),
  rightsOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
};
