export { apiApprovalOf } from "./api-approval.js";
export { isStructuralSchema } from "./forgiven.js";
export {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "./definition.js";
export { nonStructuralSteps } from "./non-structural.js";
export { customResourceDefinitionSteps } from "./steps.js";
export { definitionWarnings } from "./warnings.js";
