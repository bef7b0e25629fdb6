import { errorMessage } from "../../base/text/error-message.js";

/** Thrown for an error that is answered as plain text, as a kubelet does. */
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
