import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/registration.js";
import { convertWorkload, REPLICA_SET } from "./workload.js";

/** extensions/v1beta1 and apps/v1beta2 to apps/v1. */
export const replicaSet: Conversion = { toHub: convert, fromHub: convert };

function convert(set: KubeObject): KubeObject {
  return convertWorkload(set, REPLICA_SET);
}
