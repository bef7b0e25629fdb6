const BRAND = Symbol.for("kubets.TransportError");

/**
 * The server did not answer, or its answer broke off. `reason` has the text of Go's net/http, the message that of its
 * url.Error: `Get "https://127.0.0.1:6443/api": dial tcp 127.0.0.1:6443: connect: connection refused`.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly [BRAND] = true;
  /** "Get", "Post", ...; "" outside of a request. */
  readonly op: string;
  readonly url: string;
  readonly reason: string;
  /** Node's error code, if there is one. */
  readonly code: string | undefined;

  constructor(reason: string, request: FailedRequest = {}) {
    const { method = "", url = "" } = request;
    const op = method.slice(0, 1) + method.slice(1).toLowerCase();
    super(method === "" ? reason : `${op} "${url}": ${reason}`, { cause: request.cause });
    this.op = op;
    this.url = url;
    this.reason = reason;
    this.code = request.code;
  }
}

export interface FailedRequest {
  readonly method?: string;
  readonly url?: string;
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

export function isTransportError(error: unknown): error is TransportError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** True when the connection was refused: no server listens at the address. */
export function isConnectionRefused(error: unknown): error is TransportError {
  return isTransportError(error) && error.reason.includes("connection refused");
}
