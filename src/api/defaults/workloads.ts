import { absent, child, children, ensureChild, type Fields, setDefault, text } from "../../machinery/meta/access.js";
import { roundAmounts } from "./amounts.js";
import { defaultTemplate } from "./pod.js";
import { defaultClaimSpec } from "./volumes.js";

export function defaultDeployment(deployment: Fields): void {
  const spec = ensureChild(deployment, "spec");
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  setDefault(spec, "progressDeadlineSeconds", 600);
  const strategy = ensureChild(spec, "strategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", "25%");
    setDefault(rolling, "maxSurge", "25%");
  }
  defaultTemplate(child(spec, "template"));
}

export function defaultDaemonSet(set: Fields): void {
  const spec = ensureChild(set, "spec");
  setDefault(spec, "revisionHistoryLimit", 10);
  const strategy = ensureChild(spec, "updateStrategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy.type === "RollingUpdate") {
    const rolling = ensureChild(strategy, "rollingUpdate");
    setDefault(rolling, "maxUnavailable", 1);
    setDefault(rolling, "maxSurge", 0);
  }
  defaultTemplate(child(spec, "template"));
}

export function defaultStatefulSet(set: Fields): void {
  const spec = ensureChild(set, "spec");
  setDefault(spec, "podManagementPolicy", "OrderedReady");
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  const strategy = ensureChild(spec, "updateStrategy");
  if (text(strategy.type) === "") {
    strategy.type = "RollingUpdate";
    ensureChild(strategy, "rollingUpdate");
  }
  const rolling = strategy.type === "RollingUpdate" ? child(strategy, "rollingUpdate") : undefined;
  if (rolling !== undefined) setDefault(rolling, "partition", 0);
  const retention = ensureChild(spec, "persistentVolumeClaimRetentionPolicy");
  setDefault(retention, "whenDeleted", "Retain");
  setDefault(retention, "whenScaled", "Retain");
  for (const claim of children(spec, "volumeClaimTemplates")) {
    setDefault(claim, "apiVersion", "v1");
    setDefault(claim, "kind", "PersistentVolumeClaim");
    defaultPersistentVolumeClaim(claim);
  }
  defaultTemplate(child(spec, "template"));
}

export function defaultPersistentVolumeClaim(claim: Fields): void {
  defaultClaimSpec(ensureChild(claim, "spec"));
  const status = ensureChild(claim, "status");
  setDefault(status, "phase", "Pending");
  roundAmounts(child(status, "capacity"));
  roundAmounts(child(status, "allocatedResources"));
}

export function defaultReplicaSet(set: Fields): void {
  const spec = ensureChild(set, "spec");
  setDefault(spec, "replicas", 1);
  defaultTemplate(child(spec, "template"));
}

/** Sets the labels and the selector of a ReplicationController to its template's labels, if it has none. */
export function defaultReplicationController(controller: Fields): void {
  const spec = ensureChild(controller, "spec");
  setDefault(spec, "replicas", 1);
  const template = child(spec, "template");
  const labels = templateLabels(template);
  if (labels !== undefined) {
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    defaultLabels(controller, labels);
  }
  defaultTemplate(template);
}

export function defaultJob(job: Fields): void {
  const spec = ensureChild(job, "spec");
  if (absent(spec.completions) && absent(spec.parallelism)) spec.completions = 1;
  setDefault(spec, "parallelism", 1);
  setDefault(spec, "backoffLimit", absent(spec.backoffLimitPerIndex) ? 6 : 2 ** 31 - 1);
  const template = child(spec, "template");
  const labels = templateLabels(template);
  if (labels !== undefined) defaultLabels(job, labels);
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(spec, "podReplacementPolicy", absent(spec.podFailurePolicy) ? "TerminatingOrFailed" : "Failed");
  setDefault(spec, "manualSelector", false);
  defaultFailurePolicy(spec);
  defaultTemplate(template);
}

export function defaultCronJob(cronJob: Fields): void {
  const spec = ensureChild(cronJob, "spec");
  setDefault(spec, "concurrencyPolicy", "Allow");
  setDefault(spec, "suspend", false);
  setDefault(spec, "successfulJobsHistoryLimit", 3);
  setDefault(spec, "failedJobsHistoryLimit", 1);
  const jobSpec = child(child(spec, "jobTemplate") ?? {}, "spec");
  if (jobSpec === undefined) return;
  defaultFailurePolicy(jobSpec);
  defaultTemplate(child(jobSpec, "template"));
}

function defaultFailurePolicy(jobSpec: Fields): void {
  for (const rule of children(child(jobSpec, "podFailurePolicy") ?? {}, "rules")) {
    for (const condition of children(rule, "onPodConditions")) setDefault(condition, "status", "True");
  }
}

function templateLabels(template: Fields | undefined): Fields | undefined {
  const labels = template && child(child(template, "metadata") ?? {}, "labels");
  return labels === undefined || isEmpty(labels) ? undefined : labels;
}

function defaultLabels(object: Fields, labels: Fields): void {
  const metadata = ensureChild(object, "metadata");
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
}

function isEmpty(value: unknown): boolean {
  return absent(value) || (typeof value === "object" && Object.keys(value).length === 0);
}
