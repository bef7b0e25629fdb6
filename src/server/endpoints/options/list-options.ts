import { badRequest, invalid } from "../../../machinery/errors/status-error.js";
import { type FieldError, forbiddenField, notSupported } from "../../../machinery/errors/field-error.js";
import { SelectorError } from "../../../machinery/selectors/label-selector.js";
import { fieldSelector, type FieldSelector, parseFieldSelector } from "../../../machinery/selectors/field-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";
import type { StoredObject } from "../../storage/store.js";
import { isTrue } from "../../request/request-info.js";
import type { ApiRequest } from "../../request/api-request.js";

/** meta.k8s.io ListOptions of a list, a watch or a deletecollection. */
export interface ListRequestOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** Reads and checks the options of a list; `fieldLabels` are the field selectors the kind knows. */
export function listOptions(request: ApiRequest, fieldLabels: readonly string[]): ListRequestOptions {
  const { query } = request.exchange;
  const options: ListRequestOptions = {
    labels: selector(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fields: fieldsOf(request, fieldLabels),
    watch: request.info.verb === "watch",
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: (query.get("resourceVersionMatch") ?? "") as ListRequestOptions["resourceVersionMatch"],
    timeoutSeconds: integer(query, "timeoutSeconds"),
    limit: integer(query, "limit") ?? 0,
    continue: query.get("continue") ?? "",
    sendInitialEvents: query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined,
  };
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return options;
}

/** Undefined when everything is wanted, so that a list need not count what it left out. */
export function predicateOf({ labels, fields }: ListRequestOptions): ((object: StoredObject) => boolean) | undefined {
  if (labels.empty && fields.empty) return undefined;
  return (object) => labels.matches(object.labels) && fields.matches(object.fields);
}

function fieldsOf(request: ApiRequest, fieldLabels: readonly string[]): FieldSelector {
  const { info, exchange } = request;
  const parsed = selector(() => parseFieldSelector(exchange.query.get("fieldSelector") ?? ""));
  for (const { field } of parsed.requirements) {
    if (!fieldLabels.includes(field)) throw badRequest(`field label not supported: ${field}`);
  }
  if (info.name === "") return parsed;
  const named = parsed.requiredValue("metadata.name");
  if (named !== undefined && named !== info.name) {
    throw badRequest(`fieldSelector metadata.name=${named} doesn't match the requested name`);
  }
  return fieldSelector([{ field: "metadata.name", operator: "=", value: info.name }, ...parsed.requirements]);
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** An int64; beyond 2^53 the nearest number, which nothing tells from it. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

/** The combinations apimachinery's ValidateListOptions refuses. */
function problems(options: ListRequestOptions): FieldError[] {
  const { watch, resourceVersion, resourceVersionMatch: match } = options;
  if (watch) return watchProblems(options);
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      const detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
      errors.push(forbiddenField("resourceVersionMatch", detail));
    }
    if (options.continue !== "") errors.push(forbiddenField("resourceVersionMatch", WITH_CONTINUE));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      const detail = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      errors.push(forbiddenField("resourceVersionMatch", detail));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

const WITH_CONTINUE = "resourceVersionMatch is forbidden when continue is provided";

function watchProblems({
  resourceVersionMatch: match,
  sendInitialEvents,
  ...options
}: ListRequestOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    errors.push(forbiddenField("resourceVersionMatch", detail));
  }
  if (match === "") return errors;
  if (sendInitialEvents === undefined) {
    const detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(forbiddenField("resourceVersionMatch", detail));
  }
  if (match !== "NotOlderThan") errors.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
  if (options.continue !== "") errors.push(forbiddenField("resourceVersionMatch", WITH_CONTINUE));
  return errors;
}
