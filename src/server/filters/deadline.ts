import { badRequest } from "../../machinery/errors/status-error.js";
import { parseGoDuration } from "../../base/go-duration.js";
import type { Filter } from "../request/api-request.js";

/** What a request may take at most, watches and proxied streams excepted. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Ends a request that takes too long: `?timeout=` when it asks for less than the server's own limit. */
export const deadline: Filter = (next) => async (request) => {
  if (request.info.verb === "watch") {
    await next(request);
    return;
  }
  const limit = limitOf(request.exchange.query.get("timeout"));
  const timer = AbortSignal.timeout(limit);
  await next({ ...request, signal: AbortSignal.any([request.signal, timer]) });
};

function limitOf(asked: string | null): number {
  if (asked === null || asked === "") return REQUEST_TIMEOUT_MS;
  const milliseconds = parseGoDuration(asked);
  if (milliseconds === undefined) {
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(asked)}`);
  }
  return milliseconds <= 0 ? REQUEST_TIMEOUT_MS : Math.min(milliseconds, REQUEST_TIMEOUT_MS);
}
