import { isGateOn } from "../../../api/gates/feature-gates.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { STATIC_SUFFIX } from "../../admission/configuration/manifest-folder.js";
import type { StrategyContext } from "../../registry/strategy.js";

/** K37-108: names that only objects of files may have. An object that has such a name already keeps it. */
export function staticNameErrors({ metadata }: ApiObject, { release }: StrategyContext): readonly FieldError[] {
  const { name = "" } = metadata ?? {};
  if (!name.endsWith(STATIC_SUFFIX) || !isGateOn(release, "ManifestBasedAdmissionControlConfig")) return [];
  const reserved = `names ending with ${goQuote(STATIC_SUFFIX)} are reserved for static manifest-based configurations`;
  return [invalidValue("metadata.name", name, `${reserved} and cannot be managed via the API`)];
}
