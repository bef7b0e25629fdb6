import { invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";

/** An APIService without a service is answered by this server, so it is always available. */
export const apiServiceStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  validateName: pathSegmentErrors,
  prepareForCreate(draft, { now }) {
    if (!absent(object(draft.spec).service)) return;
    draft.status = {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    };
  },
  validate: validateName,
  validateUpdate: validateName,
};

/** The core group's ends in a dot: "v1.". */
function validateName(apiService: KubeObject) {
  const spec = object(apiService.spec);
  const expected = `${text(spec.version)}.${text(spec.group)}`;
  const name = apiService.metadata?.name ?? "";
  if (name === expected) return [];
  return [invalidValue("metadata.name", name, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
}
