import { child, ensureChild, type Fields, list, setDefault, text } from "../../../machinery/meta/access.js";
import { defaultTemplate } from "../pod.js";
import { defaultToTemplateLabels } from "./template-labels.js";

/** Means "all" for history and "none" for a deadline: what these fields stood for before they had a default. */
const MAX_INT32 = 2 ** 31 - 1;

/** Source of all here: kubernetes pkg/apis/extensions/v1beta1/defaults.go, and the comments of its types. */
export function defaultDeployment(deployment: Fields): void {
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
export function defaultDaemonSet(set: Fields): void {
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

export function defaultReplicaSet(set: Fields): void {
  defaultToTemplateLabels(set);
  const spec = ensureChild(set, "spec");
  setDefault(spec, "replicas", 1);
  defaultTemplate(child(spec, "template"));
}

/** A port's protocol stays unset: what sets it in Kubernetes sets it in a copy. */
export function defaultNetworkPolicy(policy: Fields): void {
  const spec = ensureChild(policy, "spec");
  if (list(spec.policyTypes).length > 0) return;
  spec.policyTypes = list(spec.egress).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}
