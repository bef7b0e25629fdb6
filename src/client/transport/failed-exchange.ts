import { errorCode } from "../../base/files/path-error.js";
import { type ConnectedSocket, goNetworkReason } from "./go-network-error.js";
import { isTransportError, TransportError } from "./transport-error.js";

/** The reason with which the signal of a request aborted, as an Error. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Makes the error of a request that got no answer, with Go's message. `socket` supplies the addresses of a connection that broke. */
export function transportError(
  error: unknown,
  request: { readonly method: string; readonly url: string },
  socket?: ConnectedSocket,
): TransportError {
  if (isTransportError(error)) return error;
  return new TransportError(goNetworkReason(error, socket), { ...request, code: errorCode(error), cause: error });
}
