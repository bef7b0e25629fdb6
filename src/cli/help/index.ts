export { flagUsages } from "./flag-usages.js";
export { helpText, usageText } from "./help-text.js";
export { helpWidth } from "./help-width.js";
