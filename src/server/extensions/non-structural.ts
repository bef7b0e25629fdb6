import { nonStructuralSteps } from "../../api/validation/custom-resources/index.js";
import { inSlices } from "../../base/time-slice.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StatusChange } from "./definition-conditions.js";

const TYPE = "NonStructuralSchema";

/**
 * The condition of a definition whose schemas prune nothing or need not say what every value is; it goes when they do. Source:
 * apiextensions' nonstructuralschema controller.
 */
export async function nonStructural(definition: KubeObject): Promise<Required<Omit<StatusChange, "acceptedNames">>> {
  const problem = await inSlices(nonStructuralSteps(definition));
  if (problem === undefined) return { conditions: [], removed: [TYPE] };
  const status = problem.reason === "Violations" ? "True" : "Unknown";
  return { conditions: [{ type: TYPE, status, ...problem }], removed: [] };
}
