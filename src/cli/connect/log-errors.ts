import { isConfigurationInvalid } from "../../client/config/config-errors.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { isReadAsTyped } from "../../client/rest/request-log.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { isStatusError, type Status } from "../../machinery/errors/status-error.js";
import { isNoMatchError } from "../../machinery/rest-mapper.js";

/** Logs what kubectl logs about an error before it prints it: a server's whole Status, or why there was no connection. */
export function logError(thrown: unknown, log: VerboseLog): void {
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  for (const error of errors) logOne(error, log);
}

function logOne(error: unknown, log: VerboseLog): void {
  // kubectl words these itself, without a look at what is behind them.
  if (isConfigurationInvalid(error) || isNoMatchError(error)) return;
  if (isStatusError(error) && error.reason !== "Invalid") {
    const status = encodeJson(inGoOrder(error.status, !isReadAsTyped(error)), { indent: 2 });
    log.info(4, "helpers.go:247", `server response object: ${status}`);
  }
  if (isTransportError(error) && error.op !== "") {
    log.info(4, "helpers.go:265", `Connection error: ${error.op} ${error.url}: ${error.reason}`);
  }
}

/** The fields in the order of Go's type, whatever the server's was. */
function inGoOrder(whole: Partial<Status>, withKind: boolean): object {
  const { kind, apiVersion, metadata, status, message, reason, details, code } = whole;
  const { name, group, kind: ofKind, uid, causes, retryAfterSeconds } = details ?? {};
  // client-go makes one itself of an answer that is none, and leaves out what it is.
  const isMade = causes?.some((cause) => cause.reason === "UnexpectedServerResponse") === true;
  return {
    ...(withKind && !isMade && { kind, apiVersion }),
    metadata: metadata ?? {},
    status,
    message,
    reason,
    details: details && { name, group, kind: ofKind, uid, causes, retryAfterSeconds },
    code,
  };
}
