import { dictionary } from "../../base/collections/dictionary.js";

/** The meaning of a request's method and path. Whether the resource exists is not checked yet. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** The raw path, percent-encoded. */
  readonly path: string;
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for other paths the method in lower case. */
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments after the resource, name and subresource. */
  readonly rest: readonly string[];
  /** The old form, /api/v1/watch/...: the name becomes a field selector. */
  readonly legacyWatch: boolean;
}

const VERBS: Readonly<Record<string, string>> = dictionary({
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Never throws: a path that it cannot parse becomes a non-resource request, which ends in 404. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource: RequestInfo = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiGroup: "",
    apiVersion: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    rest: [],
    legacyWatch: false,
  };
  let parts = segments(path);
  if (parts === undefined || parts.length < 3) return nonResource;
  const prefix = parts[0];
  if (prefix !== "api" && prefix !== "apis") return nonResource;
  parts = parts.slice(1);
  let apiGroup = "";
  if (prefix === "apis") {
    if (parts.length < 3) return nonResource;
    apiGroup = parts[0] ?? "";
    parts = parts.slice(1);
  }
  const apiVersion = parts[0] ?? "";
  parts = parts.slice(1);

  let verb = VERBS[method] ?? "";
  const legacyWatch = parts[0] === "watch";
  if (legacyWatch) {
    if (parts.length < 2) return nonResource;
    verb = "watch";
    parts = parts.slice(1);
  }

  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? "")) parts = parts.slice(2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = parts;
  if (name === "" && verb === "get") verb = isTrue(query.get("watch")) ? "watch" : "list";
  if (name === "" && verb === "delete") verb = "deletecollection";
  return {
    isResourceRequest: true,
    path,
    verb,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    rest,
    legacyWatch,
  };
}

/** Reads a boolean query parameter as apimachinery does: "", "1" and "true" are true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

function segments(path: string): string[] | undefined {
  let from = 0;
  let to = path.length;
  while (path[from] === "/") from++;
  while (to > from && path[to - 1] === "/") to--;
  if (from === to) return [];
  const parts = path.slice(from, to).split("/");
  if (!path.includes("%")) return parts;
  return hasBadEscape(path) ? undefined : parts.map(unescape);
}

/** True for a percent sign without two hexadecimal digits behind it. net/http answers such a request with 400. */
export const hasBadEscape = (path: string): boolean => /%(?![0-9A-Fa-f]{2})/.test(path);

/** Decodes a path segment. Bytes that are not UTF-8 become a name that no object has. */
function unescape(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    const bytes = part.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, "latin1").toString("utf8");
  }
}
