import { stopwatchOf } from "../../base/time/timers.js";
import { metricsOptions } from "../../component/apiserver-flags/metrics.js";
import type { ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { addBuildInfo } from "../../component/metrics/kubernetes-metrics.js";
import { addProcessMetrics, addStartTime } from "../../component/metrics/process-metrics.js";
import { showLeader } from "../../component/metrics/queue-metrics.js";
import { optionFaults, readOptions } from "../../component/option-group.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { measuredTransport, REST_CLIENT_METRICS } from "../../client/transport/measured-transport.js";
import type { Transport } from "../../client/transport/transport.js";
import { MetricTable } from "../../machinery/metrics/metric-table.js";
import { DEFAULT_VERSION, gitVersionOf, minorOf, versionBefore } from "../../machinery/served-versions.js";
import { versionInfo } from "../../server/endpoints/non-resource/version.js";
import { HEALTH } from "../../server/metrics/request-definitions.js";
import { readAllowedLabels } from "../monitoring/allowed-labels.js";
import { processTimers } from "./surroundings.js";

/** What the build information of a program says: it is the version that a server is by default. */
const OWN_VERSION = {
  minor: minorOf(DEFAULT_VERSION),
  gitVersion: gitVersionOf(DEFAULT_VERSION),
  emulated: DEFAULT_VERSION,
  minCompatibility: versionBefore(DEFAULT_VERSION),
};

/** The metrics of a program: everything that is counted from its start on. */
export interface ProgramMetrics {
  /** Those of /metrics. */
  readonly table: MetricTable;
  /** Those of /metrics/slis. */
  readonly slis: MetricTable;
  /** Notes the result of a health check. */
  healthCheck(name: string, type: string, passed: boolean): void;
  /** The transport, whose requests are counted. */
  counted(transport: Transport, config: ClientConfig): Transport;
}

/** Finds the faults of the flags about metrics, in component-base's words. */
export const metricsFaults = (flags: Flags, cwd: string): readonly string[] =>
  optionFaults(metricsOptions, readOptions(metricsOptions, flags, cwd));

/** Creates the metrics of a program from its flags. `leads` returns whether it leads the election for `lease`, which is "" without an election. */
export async function openProgramMetrics(
  flags: Flags,
  { clock, cwd }: Pick<ComponentContext, "clock" | "cwd">,
  { lease, leads }: { readonly lease: string; readonly leads: () => boolean },
): Promise<ProgramMetrics> {
  const options = readOptions(metricsOptions, flags, cwd);
  const choice = {
    allowedLabels: options.allowedLabels ?? (await readAllowedLabels(options.allowedLabelsFile)),
    disabled: options.disabledMetrics,
    showsHidden: options.showHiddenMetricsForVersion !== undefined,
  };
  const table = new MetricTable(choice);
  const slis = new MetricTable(choice);
  const now = (): number => clock.now();
  addProcessMetrics(table, now);
  addStartTime(slis, now);
  addBuildInfo(table, versionInfo(OWN_VERSION));
  if (lease !== "") table.onRead(() => showLeader(table, lease, leads()));
  for (const { type, labelNames: labels, ...metric } of REST_CLIENT_METRICS) {
    table.family({ ...metric, type, labels, stability: "ALPHA" });
  }
  const elapsed = stopwatchOf(processTimers)();
  const result = slis.family(HEALTH.result);
  const results = slis.family(HEALTH.results);
  return {
    table,
    slis,
    healthCheck(name, type, passed) {
      result.set(result.series(name, type), passed ? 1 : 0);
      results.add(results.series(name, type, passed ? "success" : "error"));
    },
    counted: (transport, { server }) => measuredTransport(transport, new URL(server).host, table, elapsed),
  };
}
