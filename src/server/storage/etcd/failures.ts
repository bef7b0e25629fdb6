import { UnavailableError, messageIsTooLarge, REQUEST_IS_TOO_LARGE, TooLargeError } from "../kv.js";
import type { GrpcFailure } from "./grpc-channel.js";

/** Codes that etcd returns before it executes any part of a request. */
const REFUSALS: ReadonlySet<GrpcFailure["code"]> = new Set([
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "FAILED_PRECONDITION",
  "OUT_OF_RANGE",
  "PERMISSION_DENIED",
  "UNAUTHENTICATED",
  "UNIMPLEMENTED",
]);

/** Codes for which a retry, possibly at another endpoint, may succeed. */
const PASSING: ReadonlySet<GrpcFailure["code"]> = new Set([
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "INTERNAL",
  "CANCELLED",
  "ABORTED",
  "UNKNOWN",
]);

export const isPassing = ({ code }: GrpcFailure): boolean => PASSING.has(code);

/** True when etcd has not executed the request and will not. */
function isRefused({ code, details, unsent }: GrpcFailure): boolean {
  return unsent || REFUSALS.has(code) || (code === "RESOURCE_EXHAUSTED" && details.startsWith("etcdserver: "));
}

export const isCompacted = ({ details }: GrpcFailure): boolean =>
  details === "etcdserver: mvcc: required revision has been compacted";

export const isFutureRevision = ({ details }: GrpcFailure): boolean =>
  details === "etcdserver: mvcc: required revision is a future revision";

export const isLeaseGone = ({ details }: GrpcFailure): boolean => details === "etcdserver: requested lease not found";

export const NO_SPACE = "etcdserver: mvcc: database space exceeded";

/** What etcd's gRPC server says of a message that Go's client would not have sent: the two have one limit. */
const RECEIVED_TOO_LARGE = /^grpc: received message larger than max \((\d+) vs\. (\d+)\)$/;

/** The error that kube-apiserver returns for this failure. `outcome` is derived from the failure when it is left out. */
export function unavailable(
  failure: GrpcFailure,
  outcome: UnavailableError["outcome"] = isRefused(failure) ? "not-done" : "unknown",
): UnavailableError {
  const [received, size, most] = RECEIVED_TOO_LARGE.exec(failure.details) ?? [];
  if (received !== undefined) return new TooLargeError(messageIsTooLarge(size, most));
  if (failure.details === REQUEST_IS_TOO_LARGE) return new TooLargeError(REQUEST_IS_TOO_LARGE);
  return new UnavailableError(goText(failure), outcome);
}

/** The failure in the words of Go's etcd client. */
function goText({ code, details }: GrpcFailure): string {
  if (details.startsWith("etcdserver: ")) return details;
  if (code === "DEADLINE_EXCEEDED") return "context deadline exceeded";
  return `rpc error: code = ${goName(code)} desc = ${details}`;
}

/** Go's name of a gRPC code: "NOT_FOUND" is NotFound. */
function goName(code: string): string {
  if (code === "CANCELLED") return "Canceled";
  return code
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}
