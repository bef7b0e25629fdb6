import { aggregateText } from "./aggregate-text.js";
import { goQuote } from "../../base/text/go-quote.js";
import { formatG } from "../text/go/format-g.js";
import { encodeJson } from "../wire/json/json-encoder.js";

export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooShort"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One error of a field, worded as apimachinery's field.Error. `field` is a path such as "spec.ports[0].name". */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly detail: string;
  /** Shown for the types that show a value; a Symbol-free plain value. */
  readonly badValue?: unknown;
}

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
};

const VALUE_SHOWN: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueInvalid",
  "FieldValueTypeInvalid",
  "FieldValueNotSupported",
  "FieldValueNotFound",
  "FieldValueDuplicate",
  "FieldValueTooMany",
  "FieldValueTooFew",
]);

/** More errors than a person reads, and than can be made in no time. */
const MOST_ERRORS = 1000;

/** Ends a validation that goes on finding errors; has those that were found. */
class TooManyErrors extends Error {
  constructor(readonly found: readonly FieldError[]) {
    super("too many errors");
  }
}

let found: FieldError[] | undefined;

/**
 * Returns the errors that `validate` finds, at most the first thousand: a hostile object may have hundreds of thousands.
 * `validate` must run synchronously and make its errors with the functions of this module.
 */
export function firstErrors(validate: () => readonly FieldError[]): readonly FieldError[] {
  const outer = found;
  found = [];
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return error.found;
  } finally {
    found = outer;
  }
}

/** An error that is ready-made, counted by {@link firstErrors}. */
export function made(error: FieldError): FieldError {
  if (found === undefined) return error;
  found.push(error);
  if (found.length >= MOST_ERRORS) throw new TooManyErrors(found);
  return error;
}

export const required = (field: string, detail = ""): FieldError => made({ type: "FieldValueRequired", field, detail });

export const forbiddenField = (field: string, detail: string): FieldError =>
  made({ type: "FieldValueForbidden", field, detail });

export const invalidValue = (field: string, badValue: unknown, detail: string): FieldError =>
  made({ type: "FieldValueInvalid", field, detail, badValue });

export const duplicate = (field: string, badValue: unknown): FieldError =>
  made({ type: "FieldValueDuplicate", field, detail: "", badValue });

export const notFoundValue = (field: string, badValue: unknown): FieldError =>
  made({ type: "FieldValueNotFound", field, detail: "", badValue });

/** Makes the error for a value that is not among `allowed`, which are listed in that order. */
export function notSupported(field: string, badValue: unknown, allowed: readonly string[]): FieldError {
  const detail = allowed.length === 0 ? "" : `supported values: ${allowed.map(goQuote).join(", ")}`;
  return made({ type: "FieldValueNotSupported", field, detail, badValue });
}

export const tooLong = (field: string, maxBytes: number): FieldError =>
  made({
    type: "FieldValueTooLong",
    field,
    detail: `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`,
  });

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  made({
    type: "FieldValueTooMany",
    field,
    detail: `must have at most ${max} ${max === 1 ? "item" : "items"}`,
    badValue: actual,
  });

/** Formats the error without its field: a StatusCause's message. */
export function fieldErrorBody(error: FieldError): string {
  let body = TITLES[error.type];
  if (VALUE_SHOWN.has(error.type) && error.badValue !== undefined) body += `: ${shown(error.badValue)}`;
  return error.detail === "" ? body : `${body}: ${error.detail}`;
}

/** Formats an error: "spec.replicas: Invalid value: -1: must be greater than or equal to 0" */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

export const formatFieldErrors = (errors: readonly FieldError[]): string => aggregateText(errors.map(formatFieldError));

function shown(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  // Go prints a float64 as %v does, and an int64 in full.
  if (typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value)) return formatG(value);
  return encodeJson(value);
}
