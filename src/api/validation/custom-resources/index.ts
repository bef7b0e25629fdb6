export { apiApprovalOf } from "./api-approval.js";
export {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "./definition.js";
export { customResourceDefinitionSteps } from "./steps.js";
export { definitionWarnings } from "./warnings.js";
