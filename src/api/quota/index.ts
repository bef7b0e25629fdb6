export { countedResources, isExtendedRequest } from "./quota-status.js";
export { type DeviceFacts, NO_DEVICES, payingPodName } from "./extended-resources.js";
export { RESOURCE_CLAIMS } from "./object-usage.js";
export { chargedUntil } from "./pod-usage.js";
export { objectUsage, quotaStatus } from "./quota-status.js";
export { requiredAmounts } from "./pod-usage.js";
export { isInScopes, matchedScopes, scopesOf } from "./scopes.js";
export { addUsage, listOf, moreUsage, raiseUsage, type Usage, usageOf } from "./usage.js";
