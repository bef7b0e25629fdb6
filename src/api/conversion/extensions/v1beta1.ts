import {
  defaultDaemonSet,
  defaultDeployment,
  defaultNetworkPolicy,
  defaultReplicaSet,
} from "../../defaults/retired/extensions-v1beta1.js";
import { defaultIngress } from "../../defaults/retired/ingress-v1beta1.js";
import { daemonSetWithGeneration } from "../apps/daemon-set.js";
import { deploymentWithRollback } from "../apps/deployment.js";
import { replicaSet } from "../apps/replica-set.js";
import { scaleWithSelectorMap } from "../autoscaling/scale.js";
import { ingressV1beta1 } from "../networking/ingress.js";
import type { VersionTable } from "../version-table.js";

/** The group that apps and networking.k8s.io came out of. A DeploymentRollback is alike in extensions and apps/v1beta1, and nowhere else. */
export const EXTENSIONS: VersionTable = {
  "extensions/v1beta1/DaemonSet": {
    hub: "apps/v1/DaemonSet",
    conversion: daemonSetWithGeneration,
    applyDefaults: defaultDaemonSet,
  },
  "extensions/v1beta1/Deployment": {
    hub: "apps/v1/Deployment",
    conversion: deploymentWithRollback,
    applyDefaults: defaultDeployment,
  },
  "extensions/v1beta1/DeploymentRollback": { hub: "apps/v1beta1/DeploymentRollback" },
  "extensions/v1beta1/Ingress": {
    hub: "networking.k8s.io/v1/Ingress",
    conversion: ingressV1beta1,
    applyDefaults: defaultIngress,
  },
  "extensions/v1beta1/NetworkPolicy": {
    hub: "networking.k8s.io/v1/NetworkPolicy",
    applyDefaults: defaultNetworkPolicy,
  },
  "extensions/v1beta1/ReplicaSet": {
    hub: "apps/v1/ReplicaSet",
    conversion: replicaSet,
    applyDefaults: defaultReplicaSet,
  },
  "extensions/v1beta1/Scale": { hub: "autoscaling/v1/Scale", conversion: scaleWithSelectorMap },
};
