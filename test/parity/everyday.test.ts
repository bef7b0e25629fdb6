import { compareSessions } from "./compare-sessions.js";

// A cross-section for `npm test`: what people type most, good and wrong. parity.test.ts runs all of them.
compareSessions({
  names: [
    "apply",
    "apply-errors",
    "apply-server-side",
    "bad-input",
    "config",
    "connection",
    "create",
    "create-errors",
    "delete",
    "describe-basics",
    "describe-workloads",
    "diff",
    "discovery",
    "edit",
    "everyday",
    "get-basics",
    "get-errors",
    "patch",
    "rollout",
    "scale",
    "selectors",
    "shop",
    "watch",
  ],
});
