import { ensureChild, type Fields, list } from "../../../machinery/meta/access.js";
import { defaultMinReplicas } from "../autoscaling.js";

/** As in v2, in v2beta1's flat metrics. */
export function defaultAutoscalerV2beta1(autoscaler: Fields): void {
  defaultMinReplicas(autoscaler);
  const spec = ensureChild(autoscaler, "spec");
  if (list(spec.metrics).length > 0) return;
  spec.metrics = [{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: 80 } }];
}
