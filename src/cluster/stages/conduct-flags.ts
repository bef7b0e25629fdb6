import type { Flags } from "../../component/flags/flag-set.js";
import type { Conduct } from "../../server/generic/conduct.js";

/** The flags of kube-apiserver that say how a server answers and stops. */
export const CONDUCT_FLAGS = [
  "cors-allowed-origins",
  "goaway-chance",
  "livez-grace-period",
  "min-request-timeout",
  "request-timeout",
  "shutdown-delay-duration",
  "shutdown-send-retry-after",
  "shutdown-watch-termination-grace-period",
  "strict-transport-security-directives",
] as const;

/** Reads {@link CONDUCT_FLAGS}. */
export function readConduct(flags: Flags): Conduct {
  return {
    corsAllowedOrigins: flags.strings("cors-allowed-origins"),
    goawayChance: flags.number("goaway-chance"),
    livezGracePeriod: flags.duration("livez-grace-period"),
    minRequestTimeout: flags.number("min-request-timeout") * 1000,
    requestTimeout: flags.duration("request-timeout"),
    shutdownDelay: flags.duration("shutdown-delay-duration"),
    shutdownSendRetryAfter: flags.bool("shutdown-send-retry-after"),
    shutdownWatchTerminationGracePeriod: flags.duration("shutdown-watch-termination-grace-period"),
    strictTransportSecurity: flags.strings("strict-transport-security-directives"),
  };
}
