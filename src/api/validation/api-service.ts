import { append } from "../../base/collections/append.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type FieldError, invalidValue, notSupported, required } from "../../machinery/errors/field-error.js";
import { isStruct, number, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
  portNumberErrors,
} from "../../machinery/validation/names.js";
import type { APIService } from "../types/apiregistration/v1.js";
import { named } from "./rules.js";

/** Validates an APIService. Its name consists of version and group; that of the core group ends in a dot: "v1.". */
export function validateApiService(apiService: ReceivedObject<APIService>): FieldError[] {
  const spec = object(apiService.spec);
  const [group, version] = [text(spec.group), text(spec.version)];
  const expected = `${version}.${group}`;
  const name = apiService.metadata?.name ?? "";
  const errors: FieldError[] = [];
  if (name !== expected && pathSegmentErrors(name).length === 0) {
    errors.push(invalidValue("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`));
  }
  if (group === "" && version !== "v1") {
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  if (group !== "") append(errors, named(group, "spec.group", dns1123SubdomainErrors));
  append(
    errors,
    named(version, "spec.version", dns1035LabelErrors),
    priority(spec.groupPriorityMinimum, "spec.groupPriorityMinimum", 20000),
    priority(spec.versionPriority, "spec.versionPriority", 1000),
  );
  return [...errors, ...validateServer(apiService)];
}

function priority(value: number | null | undefined, path: string, max: number): FieldError[] {
  if (number(value) > 0 && number(value) <= max) return [];
  return [invalidValue(path, number(value), `must be positive and less than ${max}`)];
}

function validateServer(apiService: ReceivedObject<APIService>): FieldError[] {
  const spec = object(apiService.spec);
  const bundle = Buffer.byteLength(text(spec.caBundle), "base64");
  const insecure = spec.insecureSkipTLSVerify === true;
  const { service } = spec;
  const skips = (detail: string) => invalidValue("spec.insecureSkipTLSVerify", true, detail);
  const errors: FieldError[] = [];
  if (!isStruct(service)) {
    if (bundle > 0) {
      errors.push(invalidValue("spec.caBundle", `${bundle} bytes`, "local APIServices may not have a caBundle"));
    }
    if (insecure) errors.push(skips("local APIServices may not have insecureSkipTLSVerify"));
    return errors;
  }
  if (text(service.namespace) === "") errors.push(required("spec.service.namespace"));
  if (text(service.name) === "") errors.push(required("spec.service.name"));
  const wrong = portNumberErrors(number(service.port));
  if (wrong.length > 0) {
    const detail = `port is not valid: ${wrong.join(", ")}`;
    errors.push(invalidValue("spec.service.port", number(service.port), detail));
  }
  if (insecure && bundle > 0) errors.push(skips("may not be true if caBundle is present"));
  return errors;
}

const STATUSES = ["True", "False", "Unknown"];

export function validateApiServiceStatusUpdate(apiService: ReceivedObject<APIService>): FieldError[] {
  return objects(object(apiService.status).conditions).flatMap(({ status }, index) =>
    STATUSES.includes(text(status)) ? [] : [notSupported(`status.conditions[${index}].status`, text(status), STATUSES)],
  );
}
