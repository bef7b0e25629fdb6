export { flagUsages } from "./help-text.js";
export { helpStyle } from "./help-text.js";
export { helpText, usageText } from "./help-text.js";
