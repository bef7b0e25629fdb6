export { allowedCondition, hasCondition, withAllowedCondition } from "./budgets.js";
export { isPodReady } from "./budgets.js";
