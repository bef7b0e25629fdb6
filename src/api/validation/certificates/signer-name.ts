import { append } from "../../../base/collections/append.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { type FieldError, invalidValue, required, tooLong } from "../../../machinery/errors/field-error.js";
import { dns1123LabelErrors, dns1123SubdomainErrors, type NameRule } from "../../../machinery/validation/names.js";

const MAX_DOMAIN_BYTES = 253;
/** Domain, slash, name of a namespace, dot, name of an object. */
const MAX_BYTES = MAX_DOMAIN_BYTES + 1 + 63 + 1 + 253;

/** Validates the name of a signer: "example.com/a.signer". */
export function validateSignerName(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  const segments = name.split("/");
  const [domain = "", rest = ""] = segments;
  if (segments.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(path, name, detail)];
  }
  const errors = Buffer.byteLength(domain) > MAX_DOMAIN_BYTES ? [tooLong(path, MAX_DOMAIN_BYTES)] : [];
  append(errors, firstBadLabel(domain, path, dns1123LabelErrors));
  if (!domain.includes(".")) {
    errors.push(invalidValue(path, domain, "should be a domain with at least two segments separated by dots"));
  }
  append(errors, firstBadLabel(rest, path, dns1123SubdomainErrors));
  if (Buffer.byteLength(name) > MAX_BYTES) errors.push(tooLong(path, MAX_BYTES));
  return errors;
}

/** One bad label is enough: what is wrong with the others would read the same. */
function firstBadLabel(segment: string, path: string, rule: NameRule): FieldError[] {
  for (const label of segment.split(".")) {
    const wrong = rule(label);
    if (wrong.length === 0) continue;
    return wrong.map((message) => invalidValue(path, segment, `validating label ${goQuote(label)}: ${message}`));
  }
  return [];
}
