import { errorMessage } from "../../base/text/error-message.js";
import { internalError, isStatusError, type Status, type StatusError } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Filter } from "../request/api-request.js";
import { isFailure, noteFailure } from "../request/failure-stack.js";

/**
 * Turns whatever was thrown behind it into the answer that `respondStatus` writes: a StatusError as it is, anything else as
 * a 500. After the answer
 * has begun nothing can be said any more, so the exchange is given up; the same when the client is gone. A server that
 * stops still answers what it accepted.
 */
export function panicRecovery(
  report: (error: unknown) => void,
  respondStatus: (request: ApiRequest, status: Status) => Promise<void>,
): Filter {
  return (next) => async (request) => {
    try {
      await next(request);
    } catch (error) {
      // A client that is gone hears of nothing, and the deadline answers one whose time has passed. What ended because of that is no fault.
      if (request.isCancelled) throw error;
      if (!isStatusError(error) && !request.exchange.signal.aborted) {
        report(error);
        request.audit?.panicked(error);
      }
      if (request.exchange.responded) throw error;
      const { status } = asStatusError(error);
      if (isFailure(status.code)) noteFailure(request.added, error);
      await respondStatus(request, status);
    }
  };
}

function asStatusError(error: unknown): StatusError {
  if (isStatusError(error)) return error;
  return internalError(errorMessage(error));
}
