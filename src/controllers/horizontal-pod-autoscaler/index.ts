/** What the controller loads for its first autoscaler. */
export { AutoscalerReconciler } from "./autoscaler-reconciler.js";
export { metricReader } from "./metric-reader.js";
export { scaleOf } from "./scale-target.js";
