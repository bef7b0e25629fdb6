import { errorMessage } from "../../base/text/error-message.js";

/** An answer that is an error: plain text, as a kubelet sends it. */
export class HttpError extends Error {
  override readonly name = "HttpError";

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string | readonly string[]>> = {},
  ) {
    super(message);
  }
}

/** Turns a thrown value into the error that is sent; any other error becomes a 500. */
export function httpErrorOf(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  return new HttpError(500, errorMessage(error));
}
