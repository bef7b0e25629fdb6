import { validateResourceSlice, validateResourceSliceUpdate } from "../../../api/validation/resource-slice.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";

/** Drivers and the scheduler look for the slices of a node or of a driver. */
export const resourceSliceStrategy: Strategy = {
  validate: validateResourceSlice,
  validateUpdate: validateResourceSliceUpdate,
  fieldLabels: ["spec.nodeName", "spec.driver"],
  fieldLabelRefusal: (label, apiVersion) => `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${label}`,
  fields(slice) {
    const spec = object(slice.spec);
    return { "spec.nodeName": text(spec.nodeName), "spec.driver": text(spec.driver) };
  },
};
