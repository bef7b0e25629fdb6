export interface ParameterFacts {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: "string" | "boolean" | "integer";
}

const text = (name: string): ParameterFacts => ({ name, in: "query", type: "string" });
const flag = (name: string): ParameterFacts => ({ name, in: "query", type: "boolean" });
const count = (name: string): ParameterFacts => ({ name, in: "query", type: "integer" });

export const pathParameter = (name: string): ParameterFacts => ({ name, in: "path", type: "string" });

/** Of every operation. */
export const pretty = text("pretty");

const write = [text("dryRun"), text("fieldManager"), text("fieldValidation")];
const selection = [
  flag("allowWatchBookmarks"),
  text("continue"),
  text("fieldSelector"),
  text("labelSelector"),
  count("limit"),
  text("resourceVersion"),
  text("resourceVersionMatch"),
  flag("sendInitialEvents"),
  count("timeoutSeconds"),
  flag("watch"),
];
const deletion = [
  text("dryRun"),
  count("gracePeriodSeconds"),
  flag("ignoreStoreReadErrorWithClusterBreakingPotential"),
  flag("orphanDependents"),
  text("propagationPolicy"),
];

/** The query parameters of an action, without `pretty`. */
export const queryParameters: Readonly<Record<Action, readonly ParameterFacts[]>> = {
  list: selection,
  get: [],
  post: write,
  put: write,
  patch: [...write, flag("force")],
  delete: deletion,
  deletecollection: [
    ...deletion,
    ...selection.filter(({ name }) => name !== "watch" && name !== "allowWatchBookmarks"),
  ],
  connect: [],
};

/** x-kubernetes-action. */
export type Action = "list" | "get" | "post" | "put" | "patch" | "delete" | "deletecollection" | "connect";
