export { apiApprovalOf } from "./api-approval.js";
export { isStructuralSchema } from "./forgiven.js";
export {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "./definition.js";
export { nonStructuralSteps } from "./version-schema.js";
export { customResourceDefinitionSteps } from "./steps.js";
export { definitionWarnings } from "./warnings.js";
