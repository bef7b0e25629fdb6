import { nonStructuralSteps } from "../../api/validation/apiextensions/index.js";
import { inSlices } from "../../base/async/time-slice.js";
import type { StatusChange } from "./definition-conditions.js";
import type { KnownDefinition } from "./known-definition.js";

const TYPE = "NonStructuralSchema";

/**
 * The condition of a definition whose schemas prune nothing or need not say what every value is; it goes when they do. Source:
 * apiextensions' nonstructuralschema controller.
 */
export async function nonStructural(known: KnownDefinition): Promise<Required<Omit<StatusChange, "acceptedNames">>> {
  // Where unknown fields are pruned, validation has seen to it that schemas are structural.
  const problem = known.preservesUnknownFields ? await inSlices(nonStructuralSteps(known.read())) : undefined;
  if (problem === undefined) return { conditions: [], removed: [TYPE] };
  const status = problem.reason === "Violations" ? "True" : "Unknown";
  return { conditions: [{ type: TYPE, status, ...problem }], removed: [] };
}
