import { badRequest, timeout } from "../../machinery/errors/status-error.js";
import { parseGoDuration } from "../../base/go-duration.js";
import type { Filter } from "../request/api-request.js";

/** What a request may take at most, watches and proxied streams excepted. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Ends a request that takes too long: `?timeout=` when it asks for less than the server's own limit. A write that was
 * handed to storage by then may still be done.
 */
export const deadline: Filter = (next) => async (request) => {
  if (request.info.verb === "watch") return next(request);
  const late = new AbortController();
  const end = () => late.abort();
  request.signal.addEventListener("abort", end, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        end();
        reject(timeout("request did not complete within the allotted timeout", 0));
      },
      limitOf(request.exchange.query.get("timeout")),
    );
    timer.unref();
  });
  try {
    await Promise.race([next({ ...request, signal: late.signal }), expiry]);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener("abort", end);
  }
};

function limitOf(asked: string | null): number {
  if (asked === null || asked === "") return REQUEST_TIMEOUT_MS;
  const milliseconds = parseGoDuration(asked);
  if (milliseconds === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(asked)}`);
  }
  return milliseconds <= 0 ? REQUEST_TIMEOUT_MS : Math.min(milliseconds, REQUEST_TIMEOUT_MS);
}
