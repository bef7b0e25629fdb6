import { readFile } from "node:fs/promises";
import { errorMessage } from "../../base/text/error-message.js";
import { allowedLabelFaults } from "../../component/apiserver-flags/metrics.js";
import { addBuildInfo, addFeatures } from "../../component/metrics/kubernetes-metrics.js";
import { addProcessMetrics, addStartTime } from "../../component/metrics/process-metrics.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { ServerMetrics } from "../../server/metrics/server-metrics.js";
import { KUBERNETES_VERSION } from "../../server/endpoints/non-resource/version.js";
import { knownFeatureGates } from "../apiserver/known-feature-gates.js";
import type { MonitoredServer, MonitoringParts } from "./monitoring.js";
import type { MonitoringOptions } from "./monitoring-options.js";

/** How old counts of objects and the size of the database may be, in milliseconds; kube-apiserver's. */
const COUNTS_MS = 60_000;
const SIZE_MS = 30_000;

/** Makes the metrics of a server. Rejects in kube-apiserver's words for a manifest of labels that cannot be read. */
export async function openServerMetrics(
  options: MonitoringOptions,
  { clock, timers, process, stored }: MonitoringParts,
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
      showsHidden: options.showHiddenMetricsForVersion !== undefined,
    },
    ...(apiServices && { apiServices }),
  });
  const now = (): number => process.clock.now();
  addProcessMetrics(metrics.table, now);
  addStartTime(metrics.slis, now);
  addBuildInfo(metrics.table, KUBERNETES_VERSION);
  addFeatures(metrics.table, knownFeatureGates);
  options.addMetrics?.(metrics.table);
  return metrics;
}

/** Reads a manifest of the values that labels may have. */
export async function readAllowedLabels(
  file: string | undefined,
): Promise<Readonly<Record<string, readonly string[]>> | undefined> {
  if (file === undefined) return undefined;
  const fault = (reason: string): Error =>
    new Error(`metrics.allowListMappingManifest: Invalid value: ${JSON.stringify(file)}: ${reason}`);
  let entries: unknown;
  try {
    entries = parseYaml(await readFile(file, "utf8"));
  } catch (error) {
    throw fault(`failed to read allow list manifest: ${errorMessage(error)}`);
  }
  if (typeof entries !== "object" || entries === null || Array.isArray(entries)) {
    throw fault("failed to parse allow list manifest: it is no map of strings");
  }
  const { allowListMapping = entries } = entries as { readonly allowListMapping?: object };
  const allowed: Record<string, readonly string[]> = Object.create(null);
  for (const [key, values] of Object.entries(allowListMapping)) {
    if (typeof values !== "string") throw fault("failed to parse allow list manifest: it is no map of strings");
    allowed[key] = values.split(",");
  }
  const faults = allowedLabelFaults(allowed);
  if (faults.length > 0) throw fault(`invalid allow list mapping in manifest: [${faults.join(", ")}]`);
  return allowed;
}
