import { int64Of } from "../../../base/numbers/int64.js";
import { badRequest, invalid } from "../../../machinery/errors/status-error.js";
import { type FieldError, forbiddenField, notSupported } from "../../../machinery/errors/field-error.js";
import { SelectorError } from "../../../machinery/selectors/label-selector.js";
import { fieldSelector, type FieldSelector, parseFieldSelector } from "../../../machinery/selectors/field-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";
import type { StoredObject } from "../../storage/store.js";
import { isTrue } from "../../request/request-info.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { FieldLabels } from "./field-labels.js";

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

/** Reads and checks the options of a list in Kubernetes' order: the first invalid option decides the error. */
export function listOptions(request: ApiRequest, fieldLabels: FieldLabels): ListRequestOptions {
  const { query } = request.exchange;
  const timeoutSeconds = integer(query, "timeoutSeconds");
  const limit = integer(query, "limit") ?? 0;
  const labels = selector(() => parseLabelSelector(query.get("labelSelector") ?? ""));
  const fields = selector(() => parseFieldSelector(query.get("fieldSelector") ?? ""));
  const options = withInitialEvents({
    labels,
    fields,
    // The old path says by itself that it is a watch, and has the rules of a list.
    watch: isTrue(query.get("watch")),
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: (query.get("resourceVersionMatch") ?? "") as ListRequestOptions["resourceVersionMatch"],
    timeoutSeconds,
    limit,
    continue: query.get("continue") ?? "",
    sendInitialEvents: query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined,
  });
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return { ...options, fields: fieldsOf(request, fields, fieldLabels) };
}

/** A watch from nowhere in particular is a streamed list. */
function withInitialEvents(options: ListRequestOptions): ListRequestOptions {
  const { watch, resourceVersion, resourceVersionMatch, sendInitialEvents } = options;
  if (!watch || sendInitialEvents !== undefined || resourceVersionMatch !== "") return options;
  if (resourceVersion !== "" && resourceVersion !== "0") return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

/** Makes a predicate for the objects of a list; undefined when all objects match, so that the others need not be counted. */
export function predicateOf({ labels, fields }: ListRequestOptions): ((object: StoredObject) => boolean) | undefined {
  if (labels.empty && fields.empty) return undefined;
  return (object) => labels.matches(object.labels) && fields.matches(object.fields);
}

/** The selector in terms of the kind's fields; the name in the path is one. */
function fieldsOf({ info }: ApiRequest, { requirements }: FieldSelector, fieldLabels: FieldLabels): FieldSelector {
  const fields = fieldSelector(
    requirements.map((requirement) => ({ ...requirement, field: fieldLabels(requirement.field) })),
  );
  if (info.name === "") return fields;
  if (fields.empty) return fieldSelector([{ field: "metadata.name", operator: "=", value: info.name }]);
  if (fields.requiredValue("metadata.name") === info.name) return fields;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** Reads an int64; beyond 2^53 the nearest number, which makes no difference here. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = int64Of(text);
  if (value === undefined) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
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
