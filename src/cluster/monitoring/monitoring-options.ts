import type { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";

/** What operators may read of a server at /metrics, /statusz, /flagz, /debug and /logs. */
export interface MonitoringOptions extends OptionsOf<(typeof serverOptionTable)["monitoring"]> {
  /** Whether requests are counted from the start on, and not only from the first time that /metrics is read. Default false. */
  readonly countsFromStart?: boolean;
  /** The values of the program's flags for /flagz, without secrets. Default: there is no /flagz. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Sets how much the log says, for PUT /debug/flags/v. Default: there is no /debug/flags. */
  readonly setVerbosity?: (level: number) => void;
  /** Adds metrics to the server's own, when they are first read. @internal */
  readonly addMetrics?: (table: MetricTable) => void;
}
