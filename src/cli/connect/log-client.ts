import type { Clock } from "../../base/time/clock.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { type RequestLog, requestLog } from "../../client/rest/request-log.js";

/** client-go's feature gates, which kubets has not: it does what they do by default. */
const FEATURE_GATES: Readonly<Record<string, boolean>> = {
  AtomicFIFO: true,
  ClientsAllowCARotation: true,
  ClientsAllowCBOR: false,
  ClientsAllowTLSCacheGC: true,
  ClientsPreferCBOR: false,
  InOrderInformers: true,
  InOrderInformersBatchProcess: true,
  InformerResourceVersion: true,
  UnlockWhileProcessingFIFO: true,
  WatchListClient: true,
};

/** What a plugin gives is added where kubectl adds its own `headers`: below the log. */
const hiddenHeaders = ({ auth }: ClientConfig, headers: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set([...Object.keys(headers), "accept-encoding", ...(auth.exec === undefined ? [] : ["authorization"])]);

/**
 * Makes the log of a client, which begins with the lines that kubectl writes when it makes its first client. `headers` are those of every
 * request of the client.
 */
export function logClient(
  log: VerboseLog,
  clock: Clock,
  config: ClientConfig,
  headers: Readonly<Record<string, string>>,
): RequestLog {
  for (const [feature, enabled] of Object.entries(FEATURE_GATES)) {
    log.structured(1, "envvar.go:195", "Feature gate default state", { feature, enabled });
  }
  return requestLog({ log, clock, hidden: hiddenHeaders(config, headers) });
}
