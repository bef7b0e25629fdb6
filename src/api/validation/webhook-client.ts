import { type FieldError, invalidValue, required } from "../../machinery/errors/field-error.js";
import { number, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { dns1123SubdomainErrors, portNumberErrors } from "../../machinery/validation/names.js";
import { goQuote } from "../../base/go-quote.js";

const FORM = "; desired format: https://host[/path]";

const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

/** Where a webhook is called: https, and nothing but host and path. */
export function validateWebhookUrl(url: string, path: string): FieldError[] {
  const problem = unreadable(url);
  if (problem !== undefined) {
    return [required(path, `url must be a valid URL: parse ${goQuote(url)}: ${problem}${FORM}`)];
  }
  const [, scheme = "", user, host = "", , query = "", fragment = ""] = URL_PARTS.exec(url) ?? [];
  const errors: FieldError[] = [];
  const refuse = (value: string, detail: string) => errors.push(invalidValue(path, value, detail));
  if (scheme.toLowerCase() !== "https") refuse(scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`);
  if (host === "") refuse(host, `host must be specified${FORM}`);
  if (user !== undefined) refuse(user, "user information is not permitted in the URL");
  if (fragment !== "") refuse(fragment, "fragments are not permitted in the URL");
  if (query !== "") refuse(query, "query parameters are not permitted in the URL");
  return errors;
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for.
const CONTROL = /[\x00-\x1f\x7f]/;

/** What Go's parser says of a text that is no URL. */
function unreadable(url: string): string | undefined {
  if (CONTROL.test(url)) {
    return "net/url: invalid control character in URL";
  }
  if (url.startsWith(":")) return "missing protocol scheme";
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(url)?.[0];
  return escape === undefined ? undefined : `invalid URL escape ${goQuote(escape)}`;
}

/** The service that answers for a webhook; `port` has its default. */
export function validateWebhookService(service: ReadonlyFields, path: string): FieldError[] {
  const [name, namespace] = [text(service.name), text(service.namespace)];
  const port = number(service.port);
  const errors: FieldError[] = [];
  // Kubernetes' own callers mix the two up, and the names in the errors with them.
  if (namespace === "") errors.push(required(`${path}.name`));
  if (name === "") errors.push(required(`${path}.namespace`));
  const wrong = portNumberErrors(port);
  if (wrong.length > 0) errors.push(invalidValue(`${path}.port`, port, `port is not valid: ${wrong.join(", ")}`));
  return [...errors, ...validatePath(text(service.path), `${path}.path`)];
}

function validatePath(value: string, path: string): FieldError[] {
  const refuse = (detail: string) => invalidValue(path, value, detail);
  if (value === "" || value === "/") return [];
  if (value === "//") return [refuse("segment[0] may not be empty")];
  const errors = value.startsWith("/") ? [] : [refuse("must start with a '/'")];
  const steps = value.slice(1).replace(/\/$/, "").split("/");
  return [
    ...errors,
    ...steps.flatMap((step, index) =>
      step === ""
        ? [refuse(`segment[${index}] may not be empty`)]
        : dns1123SubdomainErrors(step).map((message) => refuse(`segment[${index}]: ${message}`)),
    ),
  ];
}
