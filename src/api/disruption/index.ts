export { allowedCondition, hasCondition, withAllowedCondition } from "./allowed-condition.js";
export { isPodReady } from "./pod-state.js";
