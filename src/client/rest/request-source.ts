import type { RestRequest } from "./rest-client.js";

/** Which of client-go's clients kubectl sends a request with; the log names the line of it. */
export type SentBy = "helper" | "overwrite" | "typed" | "dynamic" | "scale";

type Action = "get" | "list" | "watch" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Where cli-runtime 0.36's resource helper, client-go 0.36's typed, dynamic and scale clients send their requests. */
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
  /** The helper, where it looks for the version that it is to replace. */
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
    get: "simple.go:242",
    list: "simple.go:257",
    watch: "simple.go:270",
    POST: "simple.go:141",
    PUT: "simple.go:167",
    DELETE: "simple.go:212",
    PATCH: "simple.go:286",
  },
  scale: { get: "client.go:168", PUT: "client.go:211", PATCH: "client.go:232" },
};

/** What has a client, or a method, of its own. */
const BY_PATH: readonly (readonly [path: RegExp, line: string])[] = [
  [/^\/api$/, "discovery_client.go:255"],
  [/^\/apis$/, "discovery_client.go:318"],
  [/^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)$/, "discovery_client.go:413"],
  [/^\/version$/, "discovery_client.go:667"],
  [/^\/openapi\/v2$/, "discovery_client.go:681"],
  [/^\/openapi\/v3$/, "client.go:46"],
  [/^\/openapi\/v3\//, "groupversion.go:75"],
  [/\/pods\/[^/]+\/log$/, "logs.go:497"],
  [/\/pods\/[^/]+\/eviction$/, "pod_expansion.go:65"],
  [/\/serviceaccounts\/[^/]+\/token$/, "serviceaccount.go:87"],
];

/** The place in kubectl 1.36 that a request's body, or with `answered` its answer's body, is logged from. */
export function sourceOf(request: RestRequest, answered: boolean): string {
  const { method, path, query, userPath } = request;
  // client-go counts the callers of a stream wrongly where it reads an answer that is an error: --raw is named by its command.
  if (userPath === true) return answered ? "get.go:174" : "raw.go:84";
  const own = BY_PATH.find(([pattern]) => pattern.test(path))?.[1];
  if (own !== undefined) return own;
  const sentBy = clientOf(request);
  const action = method === "GET" ? readOf(path, query?.["watch"] === "true") : (method as Action);
  if (action === "watch" && sentBy === "helper" && isOfOne(query)) return "helper.go:182";
  return LINES[sentBy][action] ?? LINES.helper[action] ?? "request.go:1294";
}

/** The client that is named, else the typed one where the body is protobuf, which no other sends. */
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
