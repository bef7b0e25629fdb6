import type { RequestLog } from "../../server/filters/request-log.js";

/** What a server shows to its operators at /metrics, /statusz, /flagz, /debug and /logs. The flags about metrics set the same options. */
export interface MonitoringOptions {
  /** Whether requests are counted from the start on, and not only from the first time that /metrics is read. Default false. */
  readonly countsFromStart?: boolean;
  /** The values that labels may have, by "metric,label"; any other is counted as "unexpected". Default: labels may have any value. */
  readonly allowedLabels?: Readonly<Record<string, readonly string[]>>;
  /** A YAML file with a map of the same: `"metric,label": "value,value"`. */
  readonly allowedLabelsFile?: string;
  /** Names of metrics that there are not. */
  readonly disabledMetrics?: readonly string[];
  /** "1.36" shows metrics that 1.37 hides. */
  readonly showHiddenMetricsForVersion?: string;
  /** How old counts of objects may be, in milliseconds; 0 counts none. Default 60,000. */
  readonly countPeriod?: number;
  /** How old the size of the database may be, in milliseconds; 0 asks never. Default 30,000. */
  readonly sizePeriod?: number;
  /** Whether users who may can read profiles at /debug/pprof/ and change the verbosity of the log at /debug/flags/v. Default true. */
  readonly profiling?: boolean;
  /** The folder whose files are served at /logs to those who may read them. Default: none is. */
  readonly logsFolder?: string;
  /** The values of the program's flags for /flagz, without secrets. Default: there is no /flagz. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Sets how much the log says, for PUT /debug/flags/v. Default: there is no /debug/flags. */
  readonly setVerbosity?: (level: number) => void;
  /** Takes a line of each request that has ended, without its body and its credentials' headers. Default: requests are not logged. */
  readonly requestLog?: RequestLog;
}
