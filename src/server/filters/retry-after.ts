import type { Filter } from "../request/api-request.js";
import { respondBytes } from "../request/respond.js";

const EXEMPT_PATHS = ["/readyz", "/livez", "/healthz", "/metrics"];
const EXEMPT_AGENT = "kube-apiserver/";
const RETRY_AFTER_SECONDS = "5";

/**
 * Rejects requests that arrive while the server stops, and closes their connections (--shutdown-send-retry-after). Probes and the
 * server's own requests pass.
 */
export function retryAfter(isStopping: () => boolean): Filter {
  return (next) => (request) => {
    const { headers } = request.exchange;
    const isExempt =
      EXEMPT_PATHS.some((prefix) => request.info.path.startsWith(prefix)) ||
      (headers["user-agent"] ?? "").startsWith(EXEMPT_AGENT);
    if (!isStopping() || isExempt) return next(request);
    return respondBytes(
      request,
      429,
      {
        "content-type": "text/plain; charset=utf-8",
        "retry-after": RETRY_AFTER_SECONDS,
        connection: "close",
      },
      Buffer.from("The apiserver is shutting down, please try again later.\n"),
    );
  };
}
