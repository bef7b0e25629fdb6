import { absent, child, ensureChild, type Fields, list, setDefault } from "../../machinery/meta/access.js";

/** Sets minReplicas to 1, in every version. */
export function defaultMinReplicas(autoscaler: Fields): void {
  setDefault(ensureChild(autoscaler, "spec"), "minReplicas", 1);
}

/** Sets the defaults of autoscaling/v2. Without metrics it scales on 80 % of the requested CPU. */
export function defaultHorizontalPodAutoscaler(autoscaler: Fields): void {
  defaultMinReplicas(autoscaler);
  const spec = ensureChild(autoscaler, "spec");
  if (list(spec.metrics).length === 0) {
    const target = { type: "Utilization", averageUtilization: 80 };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const behavior = child(spec, "behavior");
  if (behavior === undefined) return;
  const up = ensureChild(behavior, "scaleUp");
  setDefault(up, "stabilizationWindowSeconds", 0);
  defaultRules(up, [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ]);
  defaultRules(ensureChild(behavior, "scaleDown"), [{ type: "Percent", value: 100, periodSeconds: 15 }]);
}

function defaultRules(rules: Fields, policies: readonly Fields[]): void {
  setDefault(rules, "selectPolicy", "Max");
  if (absent(rules.policies)) rules.policies = policies.map((policy) => ({ ...policy }));
}
