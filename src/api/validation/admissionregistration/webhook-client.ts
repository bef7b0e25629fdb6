import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { type GoUrl, GoUrlError, parseGoUrl } from "../../../machinery/text/go/go-url.js";
import { number, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, portNumberErrors } from "../../../machinery/validation/names.js";
import type { ServiceReference } from "../../types/admissionregistration/v1.js";

const FORM = "; desired format: https://host[/path]";

/** Checks the URL of a webhook: https, with host and path alone. */
export function validateWebhookUrl(text: string, path: string): FieldError[] {
  let url: GoUrl;
  try {
    url = parseGoUrl(text);
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error;
    return [required(path, `url must be a valid URL: ${error.message}${FORM}`)];
  }
  const { scheme, host, userinfo, fragment, rawQuery } = url;
  const errors: FieldError[] = [];
  const refuse = (value: string, detail: string) => errors.push(invalidValue(path, value, detail));
  if (scheme !== "https") refuse(scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (host === "") refuse(host, `host must be specified${FORM}`);
  if (userinfo !== undefined) refuse(userinfo, "user information is not permitted in the URL");
  if (fragment !== "") refuse(fragment, "fragments are not permitted in the URL");
  if (rawQuery !== "") refuse(rawQuery, "query parameters are not permitted in the URL");
  return errors;
}

/** Validates the service of a webhook; `port` has its default. */
export function validateWebhookService(service: Received<ServiceReference>, path: string): FieldError[] {
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
