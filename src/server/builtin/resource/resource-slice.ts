import type { ResourceSlice } from "../../../api/types/resource/v1.js";
import { sliceRuleErrors } from "../../../api/validation/resource/device-rules.js";
import { validateResourceSlice, validateResourceSliceUpdate } from "../../../api/validation/resource/resource-slice.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

const LABELS = { "spec.nodeName": "spec.nodeName", "spec.driver": "spec.driver" };
/** Kubernetes 1.36 does not select by it (K37-011). */
const POOL_LABEL = { "spec.pool.name": "spec.pool.name" };

/** Drivers and the scheduler look for the slices of a node or of a driver. */
export const resourceSliceRecord: RecordOf<ResourceSlice> = {
  group: "resource.k8s.io",
  resource: "resourceslices",
  strategy: {
    hasGeneration: true,
    warningsOnCreate: driverWarnings,
    warningsOnUpdate: driverWarnings,
    validate: (slice, context) => [...validateResourceSlice(slice), ...sliceRuleErrors(slice, undefined, context)],
    validateUpdate: (slice, old, context) => [
      ...validateResourceSliceUpdate(slice, old),
      ...sliceRuleErrors(slice, old, context),
    ],
    // K37-011.
    fieldLabels: (_apiVersion, release) => (release.atLeast("1.37") ? { ...LABELS, ...POOL_LABEL } : LABELS),
    fieldLabelRefusal: (label, apiVersion) =>
      `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${label}`,
    fields(slice) {
      const spec = object(slice.spec);
      return {
        "spec.nodeName": text(spec.nodeName),
        "spec.driver": text(spec.driver),
        "spec.pool.name": text(object(spec.pool).name),
      };
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

function driverWarnings(slice: ReceivedObject<ResourceSlice>): string[] {
  const driver = text(object(slice.spec).driver);
  if (driver === driver.toLowerCase()) return [];
  const shown = goQuote(driver);
  return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
}
