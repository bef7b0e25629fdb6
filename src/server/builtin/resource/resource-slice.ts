import { validateResourceSlice, validateResourceSliceUpdate } from "../../../api/validation/resource/resource-slice.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** Drivers and the scheduler look for the slices of a node or of a driver. */
export const resourceSliceRecord: ResourceRecord = {
  group: "resource.k8s.io",
  resource: "resourceslices",
  strategy: {
    hasGeneration: true,
    warningsOnCreate: driverWarnings,
    warningsOnUpdate: driverWarnings,
    validate: validateResourceSlice,
    validateUpdate: validateResourceSliceUpdate,
    fieldLabels: ["spec.nodeName", "spec.driver"],
    fieldLabelRefusal: (label, apiVersion) =>
      `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${label}`,
    fields(slice) {
      const spec = object(slice.spec);
      return { "spec.nodeName": text(spec.nodeName), "spec.driver": text(spec.driver) };
    },
    columns: columns(
      [
        "Name",
        ["Node", "The node that has the devices."],
        ["Driver", "The driver of the devices."],
        ["Pool", "The pool that the devices belong to."],
        "Age",
      ],
      (slice, now) => {
        const spec = object(slice.spec);
        return [name(slice), text(spec.nodeName), text(spec.driver), text(object(spec.pool).name), age(slice, now)];
      },
    ),
  },
};

function driverWarnings(slice: KubeObject): string[] {
  const driver = text(object(slice.spec).driver);
  if (driver === driver.toLowerCase()) return [];
  const shown = goQuote(driver);
  return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
}
