import { validateResourceSlice, validateResourceSliceUpdate } from "../../../api/validation/resource-slice.js";
import { goQuote } from "../../../base/go-quote.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";

/** Drivers and the scheduler look for the slices of a node or of a driver. */
export const resourceSliceStrategy: Strategy = {
  warningsOnCreate: driverWarnings,
  warningsOnUpdate: driverWarnings,
  validate: validateResourceSlice,
  validateUpdate: validateResourceSliceUpdate,
  fieldLabels: ["spec.nodeName", "spec.driver"],
  fieldLabelRefusal: (label, apiVersion) => `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${label}`,
  fields(slice) {
    const spec = object(slice.spec);
    return { "spec.nodeName": text(spec.nodeName), "spec.driver": text(spec.driver) };
  },
};

function driverWarnings(slice: KubeObject): string[] {
  const driver = text(object(slice.spec).driver);
  if (driver === driver.toLowerCase()) return [];
  const shown = goQuote(driver);
  return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
}
