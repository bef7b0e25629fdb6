import { goQuote } from "../../base/text/go-quote.js";
import { fieldErrorBody, type FieldError, formatFieldErrors } from "./field-error.js";

/** metav1.Status, the body of every failed request. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Record<string, unknown>;
  readonly status: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

const BRAND = Symbol.for("kubets.StatusError");

/**
 * A failure in Kubernetes' own terms: what the server answers with, and what a client throws for that answer.
 * Recognised by a symbol, so that two copies of this module still know each other's errors.
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly [BRAND] = true;

  constructor(readonly status: Status) {
    super(status.message ?? "");
  }

  get code(): number {
    return this.status.code;
  }

  /** "" when the server gave none. */
  get reason(): string {
    return this.status.reason ?? "";
  }
}

export function isStatusError(error: unknown): error is StatusError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Formats a resource: "deployments.apps", "pods". */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

export function notFound(gr: GroupResource, name: string): StatusError {
  return failure(404, "NotFound", `${formatGroupResource(gr)} ${goQuote(name)} not found`, about(gr, name));
}

export function alreadyExists(gr: GroupResource, name: string): StatusError {
  return failure(409, "AlreadyExists", `${formatGroupResource(gr)} ${goQuote(name)} already exists`, about(gr, name));
}

export function generateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${formatGroupResource(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure(409, "AlreadyExists", message, { ...about(gr, name), retryAfterSeconds });
}

export function conflict(gr: GroupResource, name: string, message: string): StatusError {
  const text = `Operation cannot be fulfilled on ${formatGroupResource(gr)} ${goQuote(name)}: ${message}`;
  return failure(409, "Conflict", text, about(gr, name));
}

/** 409 for a server-side apply that would change fields of other managers. */
export const applyConflict = (message: string, causes: readonly StatusCause[]): StatusError =>
  failure(409, "Conflict", message, { causes });

/** 422 for an invalid object. `name` may be "" when the object has no name yet. */
export function invalid(
  gk: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const kind = gk.group === "" ? gk.kind : `${gk.kind}.${gk.group}`;
  const subject = `${kind} ${goQuote(name)} is invalid`;
  const causes = errors.map((error) => ({
    reason: error.type,
    message: fieldErrorBody(error),
    field: error.field,
  }));
  const message = errors.length === 0 ? subject : `${subject}: ${formatFieldErrors(errors)}`;
  return failure(422, "Invalid", message, {
    ...about({ group: gk.group, resource: gk.kind }, name),
    ...(causes.length > 0 && { causes }),
  });
}

export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

export function forbidden(gr: GroupResource, name: string, message: string): StatusError {
  const resource = formatGroupResource(gr);
  const subject = resource === "" ? "forbidden" : `${resource}${name === "" ? "" : ` ${goQuote(name)}`} is forbidden`;
  return failure(403, "Forbidden", `${subject}: ${message}`, about(gr, name));
}

export const unauthorized = (message = "Unauthorized"): StatusError => failure(401, "Unauthorized", message);

export function methodNotSupported(gr: GroupResource, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${goQuote(formatGroupResource(gr))}`;
  return failure(405, "MethodNotAllowed", message, about(gr, ""));
}

export const notAcceptable = (message: string): StatusError => failure(406, "NotAcceptable", message);

export const unsupportedMediaType = (message: string): StatusError => failure(415, "UnsupportedMediaType", message);

export const requestEntityTooLarge = (message: string): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);

export function timeout(message: string, retryAfterSeconds: number, causes?: readonly StatusCause[]): StatusError {
  const details = { ...(causes && { causes }), ...(retryAfterSeconds > 0 && { retryAfterSeconds }) };
  return failure(504, "Timeout", `Timeout: ${message}`, details);
}

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", message, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

/** 410: the revision or continue token asked for is gone. */
export const expired = (message: string): StatusError => failure(410, "Expired", message);

export const serviceUnavailable = (message: string): StatusError => failure(503, "ServiceUnavailable", message);

export const internalError = (message: string): StatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });

/** 500 without a reason: kube-apiserver's answer to an error that is not a Status. */
export const unclassified = (message: string): StatusError => failure(500, "", message);

/**
 * 400 without a reason, for what a client sent that fits nothing. kube-apiserver answers 500 with the same text, as its
 * errors there are no Status; we do not blame the server for what a client wrote. kubectl prints both alike.
 */
export const misfit = (message: string): StatusError => failure(400, "", message);

/**
 * Makes the error that client-go makes for an answer without a Status, from the status code and, for some codes, the answer's text. `verb`
 * is the HTTP method.
 */
export function genericServerResponse(response: {
  readonly code: number;
  readonly verb: string;
  readonly resource: GroupResource;
  readonly name: string;
  readonly serverMessage: string;
  readonly retryAfterSeconds?: number;
  readonly isUnexpected?: boolean;
}): StatusError {
  const { code, verb, resource, name, serverMessage } = response;
  const { reason, message: said } = genericTexts(code, verb, serverMessage);
  let message = said;
  if (resource.resource !== "") {
    message += ` (${verb.toLowerCase()} ${formatGroupResource(resource)}${name === "" ? "" : ` ${name}`})`;
  }
  return failure(code, reason ?? "", message, {
    ...about(resource, name),
    ...(response.isUnexpected && { causes: [{ reason: "UnexpectedServerResponse", message: serverMessage }] }),
    ...(response.retryAfterSeconds && { retryAfterSeconds: response.retryAfterSeconds }),
  });
}

function genericTexts(code: number, verb: string, serverMessage: string): { reason?: string; message: string } {
  switch (code) {
    case 409:
      return { reason: verb === "POST" ? "AlreadyExists" : "Conflict", message: "the server reported a conflict" };
    case 404:
      return { reason: "NotFound", message: "the server could not find the requested resource" };
    case 400:
      return { reason: "BadRequest", message: "the server rejected our request for an unknown reason" };
    case 401:
      return { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" };
    case 403:
      return { reason: "Forbidden", message: serverMessage };
    case 406:
      return {
        reason: "NotAcceptable",
        message:
          serverMessage === "" || serverMessage === "unknown"
            ? "the server was unable to respond with a content type that the client supports"
            : serverMessage,
      };
    case 415:
      return { reason: "UnsupportedMediaType", message: serverMessage };
    case 405:
      return { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" };
    case 422:
      return { reason: "Invalid", message: "the server rejected our request due to an error in our request" };
    case 503:
      return { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" };
    case 504:
      return {
        reason: "Timeout",
        message:
          "the server was unable to return a response in the time allotted, but may still be processing the request",
      };
    case 429:
      return {
        reason: "TooManyRequests",
        message: "the server has received too many requests and has asked us to try again later",
      };
    default:
      return code >= 500
        ? {
            reason: "InternalError",
            message: `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`,
          }
        : { message: `the server responded with the status code ${code} but did not return more information` };
  }
}

export const isNotFound = (error: unknown): error is StatusError => hasReason(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): error is StatusError => hasReason(error, "AlreadyExists");
export const isConflict = (error: unknown): error is StatusError => hasReason(error, "Conflict", 409);
export const isInvalid = (error: unknown): error is StatusError => hasReason(error, "Invalid", 422);
export const isForbidden = (error: unknown): error is StatusError => hasReason(error, "Forbidden", 403);
export const isUnauthorized = (error: unknown): error is StatusError => hasReason(error, "Unauthorized", 401);
export const isMethodNotSupported = (error: unknown): error is StatusError => hasReason(error, "MethodNotAllowed", 405);
export const isUnsupportedMediaType = (error: unknown): error is StatusError =>
  hasReason(error, "UnsupportedMediaType", 415);
/** Whether an error has one of the two reasons of a 410. */
export const isGone = (error: unknown): error is StatusError =>
  hasReason(error, "Expired") || hasReason(error, "Gone", 410);

function hasReason(error: unknown, reason: string, code?: number): boolean {
  if (!isStatusError(error)) return false;
  return error.reason === reason || (error.reason === "" && error.code === code);
}

function about({ group, resource }: GroupResource, name: string): StatusDetails {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), ...(resource !== "" && { kind: resource }) };
}

/** `details` are written even where they say nothing, as kube-apiserver writes them; left out, there are none. */
function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason !== "" && { reason }),
    ...(details && { details }),
    code,
  });
}
