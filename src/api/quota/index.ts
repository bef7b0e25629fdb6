export { countedResource } from "./counted-resource.js";
export { chargedUntil } from "./pod-usage.js";
export { objectUsage, quotaStatus } from "./quota-status.js";
