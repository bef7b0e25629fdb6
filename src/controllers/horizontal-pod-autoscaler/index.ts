/** What the controller loads for its first autoscaler. */
export { AutoscalerReconciler } from "./autoscaler-reconciler.js";
export { metricReader } from "./metric-reader.js";
export { servedMetrics } from "./served-metrics.js";
export { scaleOf } from "./scale-target.js";
