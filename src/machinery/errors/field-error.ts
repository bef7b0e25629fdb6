import { goQuote } from "../../base/go-quote.js";
import { encodeJson } from "../codec/json-encoder.js";

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

/** What is wrong with one field; wording as apimachinery's field.Error. `field` is a path such as "spec.ports[0].name". */
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

export const required = (field: string, detail = ""): FieldError => ({ type: "FieldValueRequired", field, detail });

export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field,
  detail,
});

export const invalidValue = (field: string, badValue: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  detail,
  badValue,
});

export const duplicate = (field: string, badValue: unknown): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  detail: "",
  badValue,
});

export const notFoundValue = (field: string, badValue: unknown): FieldError => ({
  type: "FieldValueNotFound",
  field,
  detail: "",
  badValue,
});

/** `allowed` is shown in the order given. */
export function notSupported(field: string, badValue: unknown, allowed: readonly string[]): FieldError {
  const detail = allowed.length === 0 ? "" : `supported values: ${allowed.map(goQuote).join(", ")}`;
  return { type: "FieldValueNotSupported", field, detail, badValue };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return {
    type: "FieldValueTooLong",
    field,
    detail: `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`,
  };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return {
    type: "FieldValueTooMany",
    field,
    detail: `must have at most ${max} ${max === 1 ? "item" : "items"}`,
    badValue: actual,
  };
}

/** The error without its field: a StatusCause's message. */
export function fieldErrorBody(error: FieldError): string {
  let body = TITLES[error.type];
  if (VALUE_SHOWN.has(error.type) && error.badValue !== undefined) body += `: ${shown(error.badValue)}`;
  return error.detail === "" ? body : `${body}: ${error.detail}`;
}

/** "spec.replicas: Invalid value: -1: must be greater than or equal to 0" */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Several errors as Go's aggregate prints them: repeated texts once, brackets when more than one is left. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  return encodeJson(value);
}
