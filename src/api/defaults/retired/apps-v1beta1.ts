import { child, children, ensureChild, type Fields, setDefault, text } from "../../../machinery/meta/access.js";
import { defaultTemplate } from "../pod.js";
import { defaultPersistentVolumeClaim } from "../workloads.js";
import { defaultToTemplateLabels } from "./template-labels.js";

/** Source of all here: kubernetes pkg/apis/apps/v1beta1/defaults.go. */
export function defaultDeployment(deployment: Fields): void {
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
export function defaultStatefulSet(set: Fields): void {
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
