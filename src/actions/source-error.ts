import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { isStatusError, StatusError } from "../machinery/errors/status-error.js";

/** Prefixes the error's message with the action and the file; without a file, returns the error unchanged. */
export function withSource(doing: string, source: string, error: unknown): unknown {
  if (source === "") return error;
  const prefix = `error when ${doing} ${goQuote(source)}: `;
  if (isStatusError(error)) return new StatusError({ ...error.status, message: prefix + (error.status.message ?? "") });
  return new Error(prefix + errorMessage(error), { cause: error });
}
