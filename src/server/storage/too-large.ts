import { UnavailableError } from "./kv.js";

/** etcd's answer to a request that is larger than its --max-request-bytes. */
export const REQUEST_IS_TOO_LARGE = "etcdserver: request is too large";

/** What Go's etcd client says of a message, of `size` bytes, that it does not send: it sends `most` at most. */
export const messageIsTooLarge = (size: string | number = "", most: string | number = ""): string =>
  `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${most})`;

/**
 * The storage does not take an object of this size, and has written nothing. Clients get code 500 without a reason, as kube-apiserver
 * passes on etcd's errors.
 */
export class TooLargeError extends UnavailableError {
  constructor(message: string) {
    super(message, "not-done");
  }
}
