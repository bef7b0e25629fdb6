import { defaultIngress, ingressV1beta1 } from "../networking/v1beta1.js";
import { daemonSetWithGeneration, deploymentWithRollback } from "../apps/versions.js";
import { replicaSet, defaultToTemplateLabels } from "../apps/workload.js";
import { scaleWithSelectorMap } from "../autoscaling/scale.js";
import type { VersionTable } from "../version-table.js";
import { child, ensureChild, type Fields, list, setDefault, text } from "../../../machinery/meta/access.js";
import { defaultTemplate } from "../../defaults/pod.js";

/**
 * Converts the group that apps and networking.k8s.io were split from. DeploymentRollback exists in extensions and in apps/v1beta1
 * alone, in the same form.
 */
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

/** Means "all" for history and "none" for a deadline: what these fields stood for before they had a default. */
const MAX_INT32 = 2 ** 31 - 1;

/** Source of all here: kubernetes pkg/apis/extensions/v1beta1/defaults.go, and the comments of its types. */
function defaultDeployment(deployment: Fields): void {
  defaultToTemplateLabels(deployment);
  const spec = ensureChild(deployment, "spec");
  setDefault(spec, "replicas", 1);
  const strategy = ensureChild(spec, "strategy");
  if (text(strategy.type) === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate" || child(strategy, "rollingUpdate") !== undefined) {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", 1);
    setDefault(rolling, "maxSurge", 1);
  }
  setDefault(spec, "revisionHistoryLimit", MAX_INT32);
  setDefault(spec, "progressDeadlineSeconds", MAX_INT32);
  defaultTemplate(child(spec, "template"));
}

/** Replaced only when it is deleted, unless it says otherwise. */
function defaultDaemonSet(set: Fields): void {
  defaultToTemplateLabels(set);
  const spec = ensureChild(set, "spec");
  const strategy = ensureChild(spec, "updateStrategy");
  if (text(strategy.type) === "") strategy.type = "OnDelete";
  if (strategy.type === "RollingUpdate") {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", 1);
    setDefault(rolling, "maxSurge", 0);
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  defaultTemplate(child(spec, "template"));
}

function defaultReplicaSet(set: Fields): void {
  defaultToTemplateLabels(set);
  const spec = ensureChild(set, "spec");
  setDefault(spec, "replicas", 1);
  defaultTemplate(child(spec, "template"));
}

/** A port's protocol stays unset: what sets it in Kubernetes sets it in a copy. */
function defaultNetworkPolicy(policy: Fields): void {
  const spec = ensureChild(policy, "spec");
  if (list(spec.policyTypes).length > 0) return;
  spec.policyTypes = list(spec.egress).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}
