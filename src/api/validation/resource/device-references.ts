import { type FieldError, invalidValue, required, tooLong } from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { named } from "../rules.js";

const MAX_POOL_BYTES = 253;

/** Validates the name of a pool of devices: subdomains separated by slashes. */
export function validatePoolName(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  const errors = Buffer.byteLength(name) > MAX_POOL_BYTES ? [tooLong(path, MAX_POOL_BYTES)] : [];
  return [...errors, ...name.split("/").flatMap((part) => named(part, path, dns1123SubdomainErrors))];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What google/uuid takes: with "urn:uuid:", in braces, or without dashes. */
const ANY_UUID =
  /^(urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$|^[0-9a-f]{32}$/i;
/** The lengths of those forms. */
const LENGTHS: readonly number[] = [32, 36, 38, 45];

/** Validates the id of a device's share: a UUID in normalized form. */
export function validateShareId(id: string, path: string): FieldError[] {
  const bytes = Buffer.byteLength(id);
  if (!ANY_UUID.test(id)) {
    const problem = LENGTHS.includes(bytes) ? "invalid UUID format" : `invalid UUID length: ${bytes}`;
    return [invalidValue(path, id, `error validating uid: ${problem}`)];
  }
  if (UUID.test(id)) return [];
  const detail =
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return [invalidValue(path, id, detail)];
}
