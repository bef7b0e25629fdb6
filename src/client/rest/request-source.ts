import type { RestRequest } from "./rest-client.js";

/** The client of client-go that kubectl uses for a request. The log names its line. */
export type SentBy = "helper" | "overwrite" | "typed" | "dynamic" | "scale";

type Action = "get" | "list" | "watch" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The lines where cli-runtime 0.36's resource helper and client-go 0.36's typed, dynamic and scale clients send requests. */
const LINES: Readonly<Record<SentBy, Readonly<Partial<Record<Action, string>>>>> = {
  helper: {
    get: "helper.go:105",
    list: "helper.go:113",
    watch: "helper.go:170",
    DELETE: "helper.go:202",
    POST: "helper.go:246",
    PATCH: "helper.go:269",
    PUT: "helper.go:319",
  },
  /** The helper where it reads the resourceVersion before it replaces an object. */
  overwrite: { get: "helper.go:294" },
  typed: {
    get: "type.go:165",
    list: "type.go:183",
    watch: "type.go:201",
    POST: "type.go:213",
    PUT: "type.go:228",
    DELETE: "type.go:257",
    PATCH: "type.go:289",
  },
  dynamic: {
    get: "simple.go:243",
    list: "simple.go:258",
    watch: "simple.go:271",
    POST: "simple.go:142",
    PUT: "simple.go:168",
    DELETE: "simple.go:213",
    PATCH: "simple.go:287",
  },
  scale: { get: "client.go:168", PUT: "client.go:211", PATCH: "client.go:232" },
};

/** The paths that have a client or a method of their own. */
const BY_PATH: readonly (readonly [path: RegExp, line: string])[] = [
  [/^\/api$/, "discovery_client.go:665"],
  [/^\/apis$/, "discovery_client.go:721"],
  [/^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)$/, "discovery_client.go:828"],
  [/^\/version$/, "discovery_client.go:1162"],
  [/^\/openapi\/v2$/, "discovery_client.go:1181"],
  [/^\/openapi\/v3$/, "client.go:102"],
  [/^\/openapi\/v3\//, "groupversion.go:117"],
  [/\/pods\/[^/]+\/log$/, "logs.go:497"],
  [/\/pods\/[^/]+\/eviction$/, "pod_expansion.go:65"],
  [/\/serviceaccounts\/[^/]+\/token$/, "serviceaccount.go:87"],
];

/** The line in kubectl 1.37 that logs the body of a request or, with `answered`, of its answer. */
export function sourceOf(request: RestRequest, answered: boolean): string {
  const { method, path, query, userPath } = request;
  // client-go miscounts the stack frames of a streamed error answer. For --raw the log names the command's file.
  if (userPath === true) return answered ? "get.go:174" : "raw.go:84";
  const own = BY_PATH.find(([pattern]) => pattern.test(path))?.[1];
  if (own !== undefined) return own;
  const sentBy = clientOf(request);
  const action = method === "GET" ? readOf(path, query?.["watch"] === "true") : (method as Action);
  if (action === "watch" && sentBy === "helper" && isOfOne(query)) return "helper.go:182";
  return LINES[sentBy][action] ?? LINES.helper[action] ?? "request.go:1294";
}

/** The client in `sentBy`. Without one, the typed client for a protobuf body, which only that client sends. */
export function clientOf({ sentBy, contentType }: RestRequest): SentBy {
  return sentBy ?? (contentType === "application/vnd.kubernetes.protobuf" ? "typed" : "helper");
}

function readOf(path: string, watches: boolean): Action {
  if (watches) return "watch";
  const [, rest = ""] = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
  const segments = rest.replace(/^namespaces\/[^/]+\/(?=.)/, "").split("/");
  return segments.length > 1 ? "get" : "list";
}

const isOfOne = (query: RestRequest["query"]): boolean => {
  const selector = query?.["fieldSelector"];
  return typeof selector === "string" && selector.startsWith("metadata.name=");
};
