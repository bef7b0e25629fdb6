import { invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, number } from "../../../machinery/meta/received.js";
import { checkRange, type Errors } from "../collect.js";

/** Checks that the path of a file contains no "..". One error is enough for `../../..`. */
export function checkNoBacksteps(value: string, path: string, errors: Errors): void {
  if (hasBacksteps(value)) errors.push(invalidValue(path, value, "must not contain '..'"));
}

export function hasBacksteps(value: string): boolean {
  return value.includes("..") && value.split("/").includes("..");
}

/** Checks a relative path: it must stay below its start. */
export function checkDescendingPath(value: string, path: string, errors: Errors): void {
  if (value.startsWith("/")) errors.push(invalidValue(path, value, "must be a relative path"));
  checkNoBacksteps(value, path, errors);
}

/** As {@link checkDescendingPath}, and rejects names that start with two dots, which are reserved for the kubelet. */
export function checkNonReservedPath(value: string, path: string, errors: Errors): void {
  checkDescendingPath(value, path, errors);
  if (value.startsWith("..") && !value.startsWith("../")) {
    errors.push(invalidValue(path, value, "must not start with '..'"));
  }
}

/** Validates the user that owns a file. */
export function checkUser(user: unknown, path: string, errors: Errors): void {
  checkRange(user, path, 0, MOST_USER, errors);
}

const MOST_USER = 2 ** 31 - 1;

export function checkFileMode(mode: number | null | undefined, path: string, errors: Errors): void {
  if (absent(mode) || (number(mode) >= 0 && number(mode) <= 0o777)) return;
  errors.push(invalidValue(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
}

export const NO_MORE_VOLUME_TYPES = "may not specify more than 1 volume type";
