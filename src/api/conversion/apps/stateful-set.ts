import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/registration.js";
import { withChild, withChildren, zeroWhereAbsent } from "../with-child.js";
import { convertWorkload, STATEFUL_SET } from "./workload.js";

/** apps/v1beta2 and apps/v1 are alike. */
export const statefulSet: Conversion = { toHub: convert, fromHub: convert };

/** apps/v1beta1 can tell an `observedGeneration` that was never set from 0, and the hub cannot. */
export const statefulSetV1beta1: Conversion = {
  toHub: convert,
  fromHub: (set) => withChild(convert(set), "status", (status) => zeroWhereAbsent(status, ["observedGeneration"])),
};

function convert(set: KubeObject): KubeObject {
  return withChild(convertWorkload(set, STATEFUL_SET), "spec", (spec) =>
    withChildren(spec, "volumeClaimTemplates", stampClaim),
  );
}

/** The claims say what they are, whatever they said before: see issue 87583 of kubernetes. */
function stampClaim(claim: ReadonlyFields): ReadonlyFields {
  return { ...claim, kind: "PersistentVolumeClaim", apiVersion: "v1" };
}
