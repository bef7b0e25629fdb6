import { type FieldError, invalidValue } from "../errors/field-error.js";
import { dns1123SubdomainErrors, regexError } from "./names.js";

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${HTTP_PATH}$`);

/** The problems of a text like "acme.io/foo". */
export function domainPrefixedPathErrors(value: string, path: string): FieldError[] {
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (slash < 0 || host === "" || rest === "") {
    return [invalidValue(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = dns1123SubdomainErrors(host).map((problem) => invalidValue(path, host, problem));
  if (!httpPath.test(rest)) errors.push(invalidValue(path, rest, regexError("Invalid path", HTTP_PATH)));
  return errors;
}
