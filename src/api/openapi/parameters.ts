import { dictionary } from "../../base/collections/dictionary.js";

export interface ParameterFacts {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "boolean" | "integer";
  readonly description: string;
}

type Type = ParameterFacts["type"];

const query = (name: string, type: Type, description: string): ParameterFacts => ({
  name,
  in: "query",
  type,
  description,
});

export const nameParameter: ParameterFacts = {
  name: "name",
  in: "path",
  type: "string",
  description: "The object's name.",
};

export const namespaceParameter: ParameterFacts = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "The namespace that the objects are in.",
};

/** The parameter for the path behind a proxy. */
export const proxyPath: ParameterFacts = {
  name: "path",
  in: "path",
  type: "string",
  description: "The path to ask for behind the proxy.",
};

/** The parameter `pretty` of every operation on objects. */
export const pretty = query(
  "pretty",
  "string",
  "Whether the answer is indented for people to read. Default: only for browsers, curl and wget.",
);

const dryRun = query("dryRun", "string", "With All, every check runs and the answer is made, but nothing is stored.");
const fieldManager = query(
  "fieldManager",
  "string",
  "Who is noted as the owner of the fields that this request sets, at most 128 printable characters. Default: from the User-Agent. An apply patch must give it.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What happens to unknown and repeated fields of the body: Ignore drops them, Warn (the default) drops them with a warning each, Strict refuses the request.",
);
const force = query(
  "force",
  "boolean",
  "Of an apply patch alone: takes over fields that other managers own instead of failing with a conflict.",
);
const gracePeriod = query(
  "gracePeriodSeconds",
  "integer",
  "Seconds that the object has to end in; 0 deletes at once. Default: what the object's kind or the object itself says.",
);
const ignoreStoreErrors = query(
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "boolean",
  "Deletes an object that the store cannot decode any more, without finalizers and preconditions. It can break a cluster: use it only as a last resort.",
);
const orphanDependents = query(
  "orphanDependents",
  "boolean",
  "Deprecated, use propagationPolicy: whether objects that this one owns stay. Only one of the two may be given.",
);
const propagationPolicy = query(
  "propagationPolicy",
  "string",
  "What becomes of the objects that this one owns: Background deletes them afterwards, Foreground before the object itself, Orphan keeps them. Default: by kind.",
);

const allowWatchBookmarks = query(
  "allowWatchBookmarks",
  "boolean",
  "Lets a watch send BOOKMARK events, which hold nothing but a resourceVersion to resume from. Lists ignore it.",
);
const continueToken = query(
  "continue",
  "string",
  "The continue token of the page before, to read the next one with the same other parameters. An expired token is answered with 410. Watches do not take it.",
);
const fieldSelector = query(
  "fieldSelector",
  "string",
  "Selects objects by fields, as in metadata.name=web. Default: all of them.",
);
const labelSelector = query(
  "labelSelector",
  "string",
  "Selects objects by labels, as in app=web,tier!=cache. Default: all of them.",
);
const limit = query(
  "limit",
  "integer",
  "How many objects a page has at most; the answer holds a continue token while there are more. All pages show the same moment. Default: no limit.",
);
const resourceVersion = query(
  "resourceVersion",
  "string",
  "For a list, the moment that it shows, as resourceVersionMatch says; for a watch, the moment that its changes follow. Default: the newest.",
);
const resourceVersionMatch = query(
  "resourceVersionMatch",
  "string",
  "How resourceVersion binds a list: Exact, or NotOlderThan. Must go with resourceVersion, and with sendInitialEvents.",
);
const sendInitialEvents = query(
  "sendInitialEvents",
  "boolean",
  "Of a watch alone: begins with an ADDED event for each object that there is, and a BOOKMARK behind them. Needs resourceVersionMatch=NotOlderThan.",
);
const timeoutSeconds = query("timeoutSeconds", "integer", "Seconds after which the server ends a list or a watch.");
const watch = query(
  "watch",
  "boolean",
  "Follows the changes of the objects, one event a line, instead of listing them. Give the resourceVersion of a list.",
);

const write = [dryRun, fieldManager, fieldValidation];
const selection = [
  allowWatchBookmarks,
  continueToken,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
  watch,
];
const deletion = [dryRun, gracePeriod, ignoreStoreErrors, orphanDependents, propagationPolicy];

/** The parameters of the deprecated watch paths. */
export const watchParameters: readonly ParameterFacts[] = selection;

const log = [
  query("container", "string", "Which container's log to read; a pod with one container needs none."),
  query("follow", "boolean", "Goes on with what the container writes until it ends."),
  query(
    "insecureSkipTLSVerifyBackend",
    "boolean",
    "Reads the log although the kubelet's certificate cannot be verified: it may then come from elsewhere.",
  ),
  query("limitBytes", "integer", "How many bytes to send at most; the last line may be cut."),
  query("previous", "boolean", "Reads the log of the container's run before the last restart."),
  query(
    "sinceSeconds",
    "integer",
    "Shows lines that are at most this many seconds old. Not together with sinceTime, a time that this list leaves out as Kubernetes' does.",
  ),
  query(
    "stream",
    "string",
    "Which output to show: All (the default), Stdout or Stderr. Not together with tailLines where it is one of them.",
  ),
  query(
    "tailLines",
    "integer",
    "How many lines to show from the end of the log. Default: from its beginning, or as sinceTime and sinceSeconds say.",
  ),
  query("timestamps", "boolean", "Puts the time of each line before it (RFC 3339)."),
];

/** The query parameters of an action, without `pretty`. */
export const queryParameters: Readonly<Record<Action | "log", readonly ParameterFacts[]>> = {
  list: selection,
  get: [],
  post: write,
  put: write,
  patch: [...write, force],
  delete: deletion,
  deletecollection: [...deletion, ...selection.filter((one) => one !== watch && one !== allowWatchBookmarks)],
  watch: watchParameters,
  watchlist: watchParameters,
  connect: [],
  log,
};

/** The descriptions of the parameters of connect requests, by the fields of PodExecOptions and similar options. */
export const connectDescriptions: Readonly<Record<string, string>> = dictionary({
  command: "The program to run and its arguments, one parameter each; no shell reads them.",
  container: "Which container to enter; a pod with one container needs none.",
  path: "The path to ask for behind the proxy.",
  ports: "The ports to connect to. Needed where the connection is a WebSocket.",
  stderr: "Whether the program's errors come back.",
  stdin: "Whether the program reads what the client sends.",
  stdout: "Whether the program's output comes back.",
  tty: "Whether the program runs on a terminal; its errors are then part of its output.",
});

/** The values of x-kubernetes-action. */
export type Action =
  | "list"
  | "get"
  | "post"
  | "put"
  | "patch"
  | "delete"
  | "deletecollection"
  | "watch"
  | "watchlist"
  | "connect";
