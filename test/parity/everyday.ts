/** Sessions that `npm test` compares: a cross-section of what people type most, good and wrong. */
export const everyday: readonly string[] = [
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
  "discovery",
  "edit",
  "everyday",
  "get-basics",
  "get-errors",
  "selectors",
];

/** Sessions that the executable is compared in: those and some that take longer. */
export const byExecutable: readonly string[] = [
  ...everyday,
  "diff",
  "life",
  "patch",
  "rollout",
  "scale",
  "shop",
  "watch",
];
