import { defaultDeployment, defaultStatefulSet } from "../../defaults/retired/apps-v1beta1.js";
import * as v1 from "../../defaults/workloads.js";
import { scaleWithSelectorMap } from "../autoscaling/scale.js";
import type { VersionTable } from "../version-table.js";
import { daemonSetWithAnnotation } from "./daemon-set.js";
import { deploymentWithAnnotation, deploymentWithRollback } from "./deployment.js";
import { replicaSet } from "./replica-set.js";
import { statefulSet, statefulSetV1beta1 } from "./stateful-set.js";

/** apps/v1beta1 and apps/v1beta2; the defaults of the latter are those of apps/v1. */
export const APPS: VersionTable = {
  "apps/v1beta1/Deployment": { conversion: deploymentWithRollback, applyDefaults: defaultDeployment },
  "apps/v1beta1/Scale": { hub: "autoscaling/v1/Scale", conversion: scaleWithSelectorMap },
  "apps/v1beta1/StatefulSet": { conversion: statefulSetV1beta1, applyDefaults: defaultStatefulSet },
  "apps/v1beta2/DaemonSet": { conversion: daemonSetWithAnnotation, applyDefaults: v1.defaultDaemonSet },
  "apps/v1beta2/Deployment": { conversion: deploymentWithAnnotation, applyDefaults: v1.defaultDeployment },
  "apps/v1beta2/ReplicaSet": { conversion: replicaSet, applyDefaults: v1.defaultReplicaSet },
  "apps/v1beta2/Scale": { hub: "autoscaling/v1/Scale", conversion: scaleWithSelectorMap },
  "apps/v1beta2/StatefulSet": { conversion: statefulSet, applyDefaults: v1.defaultStatefulSet },
};
