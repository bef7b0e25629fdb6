import { originFaults } from "../filters/cors.js";
import { directiveFaults } from "../filters/hsts.js";

/**
 * How a server answers and stops: kube-apiserver's generic flags, whose defaults these are. Times are in milliseconds.
 */
export interface Conduct {
  /** Patterns in Go's syntax of origins whose pages may use the API (--cors-allowed-origins). Default: none. */
  readonly corsAllowedOrigins?: readonly string[];
  /** "max-age=31536000", "includeSubDomains", "preload" (--strict-transport-security-directives). Default: no such header. */
  readonly strictTransportSecurity?: readonly string[];
  /** The chance, from 0 to 0.02, that a request ends its HTTP/2 connection, so that clients spread over several servers (--goaway-chance). Default 0. */
  readonly goawayChance?: number;
  /** How long a request may take, but for watches and connections into pods (--request-timeout). Default 60,000. */
  readonly requestTimeout?: number;
  /** How long a watch lasts at least; the end is spread up to twice of it (--min-request-timeout). Default 1,800,000. */
  readonly minRequestTimeout?: number;
  /** How long after the start unfinished steps do not fail /livez (--livez-grace-period). Default 0. */
  readonly livezGracePeriod?: number;
  /** How long the server serves on after it was told to stop, while /readyz fails already (--shutdown-delay-duration). Default 0. */
  readonly shutdownDelay?: number;
  /** Whether requests that arrive while the server stops are answered 429 with Retry-After, in place of 503 (--shutdown-send-retry-after). Default false. */
  readonly shutdownSendRetryAfter?: boolean;
  /** Over how long open watches are ended one after the other when the server stops; 0 ends all at once (--shutdown-watch-termination-grace-period). Default 0. */
  readonly shutdownWatchTerminationGracePeriod?: number;
}

/** What cannot be right, in kube-apiserver's words. */
export function conductFaults(conduct: Conduct): string[] {
  const {
    goawayChance = 0,
    requestTimeout = 0,
    minRequestTimeout = 0,
    livezGracePeriod = 0,
    shutdownDelay = 0,
  } = conduct;
  const negative: readonly (readonly [number, string])[] = [
    [livezGracePeriod, "--livez-grace-period can not be a negative value"],
    [requestTimeout, "--request-timeout can not be negative value"],
    [minRequestTimeout, "--min-request-timeout can not be negative value"],
    [shutdownDelay, "--shutdown-delay-duration can not be negative value"],
    [
      conduct.shutdownWatchTerminationGracePeriod ?? 0,
      "shutdown-watch-termination-grace-period, if provided, can not be a negative value",
    ],
  ];
  return [
    ...negative.filter(([value]) => value < 0).map(([, fault]) => fault),
    ...(goawayChance < 0 || goawayChance > 0.02 ? ["--goaway-chance can not be less than 0 or greater than 0.02"] : []),
    ...directiveFaults(conduct.strictTransportSecurity ?? []),
    ...originFaults(conduct.corsAllowedOrigins ?? []),
  ];
}
