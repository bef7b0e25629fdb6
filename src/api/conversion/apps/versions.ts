import * as v1 from "../../defaults/workloads.js";
import { defaultPersistentVolumeClaim } from "../../defaults/workloads.js";
import { scaleWithSelectorMap } from "../autoscaling/scale.js";
import type { VersionTable } from "../version-table.js";
import { daemonSetWithAnnotation } from "./daemon-set.js";
import { deploymentWithAnnotation, deploymentWithRollback } from "./deployment.js";
import { replicaSet, statefulSet, statefulSetV1beta1, defaultToTemplateLabels } from "./workload.js";
import { child, children, ensureChild, type Fields, setDefault, text } from "../../../machinery/meta/access.js";
import { defaultTemplate } from "../../defaults/pod.js";

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

/** Source of all here: kubernetes pkg/apis/apps/v1beta1/defaults.go. */
function defaultDeployment(deployment: Fields): void {
  defaultToTemplateLabels(deployment);
  const spec = ensureChild(deployment, "spec");
  setDefault(spec, "replicas", 1);
  const strategy = ensureChild(spec, "strategy");
  if (text(strategy.type) === "") strategy.type = "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", "25%");
    setDefault(rolling, "maxSurge", "25%");
  }
  setDefault(spec, "revisionHistoryLimit", 2);
  setDefault(spec, "progressDeadlineSeconds", 600);
  defaultTemplate(child(spec, "template"));
}

/** Pods are replaced only when they are deleted, unless it says otherwise. */
function defaultStatefulSet(set: Fields): void {
  defaultToTemplateLabels(set);
  const spec = ensureChild(set, "spec");
  if (text(spec.podManagementPolicy) === "") spec.podManagementPolicy = "OrderedReady";
  const strategy = ensureChild(spec, "updateStrategy");
  if (text(strategy.type) === "") strategy.type = "OnDelete";
  const rolling = strategy.type === "RollingUpdate" ? child(strategy, "rollingUpdate") : undefined;
  if (rolling !== undefined) setDefault(rolling, "partition", 0);
  const retention = ensureChild(spec, "persistentVolumeClaimRetentionPolicy");
  if (text(retention.whenDeleted) === "") retention.whenDeleted = "Retain";
  if (text(retention.whenScaled) === "") retention.whenScaled = "Retain";
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  for (const claim of children(spec, "volumeClaimTemplates")) defaultPersistentVolumeClaim(claim);
  defaultTemplate(child(spec, "template"));
}
