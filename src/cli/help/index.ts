export { flagUsages } from "./flag-usages.js";
export { helpStyle } from "./help-style.js";
export { helpText, usageText } from "./help-text.js";
