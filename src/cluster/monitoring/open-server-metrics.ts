import { addBuildInfo, addFeatures } from "../../component/metrics/kubernetes-metrics.js";
import { addProcessMetrics, addStartTime } from "../../component/metrics/process-metrics.js";
import { ServerMetrics } from "../../server/metrics/server-metrics.js";
import { versionInfo } from "../../server/endpoints/non-resource/version.js";
import { featureGatesOf } from "../../api/gates/feature-gates.js";
import { readAllowedLabels } from "./allowed-labels.js";
import type { MonitoredServer, MonitoringParts } from "./monitoring.js";
import type { MonitoringOptions } from "./monitoring-options.js";

/** How old counts of objects and the size of the database may be, in milliseconds; kube-apiserver's. */
const COUNTS_MS = 60_000;
const SIZE_MS = 30_000;

/** Makes the metrics of a server. Rejects in kube-apiserver's words for a manifest of labels that cannot be read. */
export async function openServerMetrics(
  options: MonitoringOptions,
  { release, clock, timers, process, stored }: MonitoringParts,
  { apiServices }: MonitoredServer,
): Promise<ServerMetrics> {
  const { countPeriod: counts = COUNTS_MS, sizePeriod: size = SIZE_MS, disabledMetrics: disabled } = options;
  const metrics = new ServerMetrics({
    clock,
    timers,
    storage: stored,
    polls: { counts, size },
    choice: {
      allowedLabels: options.allowedLabels ?? (await readAllowedLabels(options.allowedLabelsFile)),
      disabled,
      minor: release.minor,
      showsHidden: options.showHiddenMetricsForVersion !== undefined,
    },
    ...(apiServices && { apiServices }),
  });
  const now = (): number => process.clock.now();
  addProcessMetrics(metrics.table, now);
  addStartTime(metrics.slis, now);
  addBuildInfo(metrics.table, versionInfo(release));
  addFeatures(metrics.table, featureGatesOf(release.emulated));
  return metrics;
}
