import { compareSessions, PREVIOUS } from "./compare-sessions.js";

// Sessions that meet none of the differences in docs/kubectl-1.37.md: on servers of 1.36 the older kubectl and ours do the same.
compareSessions({
  kubectl: PREVIOUS,
  names: [
    "apply",
    "apply-force",
    "apply-server-side",
    "create",
    "delete",
    "diff",
    "edit",
    "get-basics",
    "label",
    "patch",
    "replace",
    "retired-kinds",
    "scale",
    "selectors",
    "shop",
  ],
});
