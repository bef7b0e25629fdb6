import type { ApiRequest } from "../request/api-request.js";
import { isTrue } from "../request/request-info.js";

/** The labels of a request, as kube-apiserver has them. */
export interface RequestLabels {
  readonly verb: string;
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
}

/** Subresources whose requests are connections into pods, and logs. */
const CONNECTS: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"]);

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Returns the labels of a request. Its resource must be one that is served, or clients could make any number of values. */
export function labelsOf(request: ApiRequest): RequestLabels {
  const { info, exchange } = request;
  const { isResourceRequest, apiGroup: group, apiVersion: version, resource } = info;
  const scope = scopeOf(request);
  return {
    verb: verbOf(request, scope),
    dryRun: dryRunOf(exchange.query),
    group,
    version,
    resource,
    subresource: isResourceRequest ? info.subresource : info.path,
    scope,
  };
}

function scopeOf({ info }: ApiRequest): string {
  if (!info.isResourceRequest) return "";
  if (info.name !== "" || info.verb === "create") return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}

/** The verb that kube-apiserver logs: that of the labels. */
export const loggedVerb = (request: ApiRequest): string => verbOf(request, scopeOf(request));

/** The method in capitals, but for lists, watches, applies and connections. */
function verbOf({ info, exchange }: ApiRequest, scope: string): string {
  if (info.isResourceRequest && CONNECTS.has(info.subresource)) return "CONNECT";
  const { method, query, headers } = exchange;
  if (method === "GET" || method === "HEAD") {
    if (info.verb === "watch" || (method === "GET" && isTrue(query.get("watch")))) return "WATCH";
    return scope === "resource" || scope === "" ? "GET" : "LIST";
  }
  if (method === "PATCH" && headers["content-type"] === "application/apply-patch+yaml") return "APPLY";
  return METHODS.has(method) ? method : "other";
}

function dryRunOf(query: URLSearchParams): string {
  const values = query.getAll("dryRun");
  if (values.length === 0) return "";
  return values.every((value) => value === "All") ? "All" : "invalid";
}
