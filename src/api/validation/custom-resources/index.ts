export {
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "./definition.js";
export { definitionWarnings } from "./warnings.js";
