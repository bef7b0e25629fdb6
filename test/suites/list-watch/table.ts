import { ownRow, row } from "./runner/row.js";
import {
  badRequest,
  create,
  createAll,
  events,
  get,
  lastEvents,
  pass,
  post,
  remove,
  touch,
  watch,
} from "./runner/steps.js";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const as = { accept: TABLE };
const columns = [
  { name: "Name", type: "string", format: "name", priority: 0 },
  { name: "Data", type: "string", format: "", priority: 0 },
  { name: "Age", type: "string", format: "", priority: 0 },
];
const metadataOf = (name: string) => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: { name },
});
const bookmarkRow = (object: unknown) => ({
  kind: "Table",
  metadata: { resourceVersion: "{a}" },
  rows: [{ cells: ["", 0, "<unknown>"], object }],
});
const BOOKMARK_END = {
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: { resourceVersion: "{a}", annotations: { "k8s.io/initial-events-end": "true" } },
};
const STREAMED =
  "configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

export const tableRows = [
  row(
    "a list: columns, and a row for each object",
    ...createAll("a", "b"),
    get(
      "configmaps",
      {
        body: {
          kind: "Table",
          apiVersion: "meta.k8s.io/v1",
          metadata: { resourceVersion: "{b}" },
          columnDefinitions: columns,
          rows: [{ cells: ["a", 0, "0s"], object: metadataOf("a") }, { cells: ["b", 0, "0s"] }],
        },
      },
      as,
    ),
  ),
  row(
    "of nothing: columns, and no rows",
    get("configmaps", { body: { kind: "Table", columnDefinitions: columns, rows: [] } }, as),
  ),
  row(
    "includeObject=None",
    create("a"),
    get("configmaps?includeObject=None", { body: { rows: [{ cells: ["a", 0, "0s"], object: null }] } }, as),
  ),
  row(
    "includeObject=Metadata",
    create("a"),
    get("configmaps?includeObject=Metadata", { body: { rows: [{ object: metadataOf("a") }] } }, as),
  ),
  row(
    "includeObject=Object",
    create("a"),
    touch("a"),
    get(
      "configmaps?includeObject=Object",
      { body: { rows: [{ object: { kind: "ConfigMap", apiVersion: "v1", data: { value: "touched" } } }] } },
      as,
    ),
  ),
  row(
    "an empty includeObject is Metadata",
    create("a"),
    get("configmaps?includeObject=", { body: { rows: [{ object: metadataOf("a") }] } }, as),
  ),
  row(
    "another includeObject: 400",
    get(
      "configmaps?includeObject=Everything",
      badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: "Everything": must be 'Metadata', 'Object', 'None', or empty`,
      ),
      as,
    ),
  ),
  row(
    "another includeObject of a watch: 400",
    get(
      "configmaps?watch=true&includeObject=Everything",
      badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: "Everything": must be 'Metadata', 'Object', 'None', or empty`,
      ),
      as,
    ),
  ),
  row(
    "includeObject matters to tables only",
    create("a"),
    get("configmaps?includeObject=Everything", { items: ["a"] }),
  ),
  row(
    "a page has its token and its count",
    ...createAll("a", "b", "c"),
    get(
      "configmaps?limit=1",
      (answer) => {
        if (answer.at("metadata.remainingItemCount") !== 2 || answer.at("rows.1") !== undefined)
          throw new Error(answer.text);
      },
      as,
    ),
    get(
      "configmaps?limit=2&continue={continue}",
      { body: { rows: [{ cells: ["b", 0, "0s"] }, { cells: ["c", 0, "0s"] }] } },
      as,
    ),
  ),
  row(
    "one object: a table of one row",
    create("a"),
    get(
      "configmaps/a",
      {
        body: {
          kind: "Table",
          metadata: { resourceVersion: "{a}" },
          columnDefinitions: columns,
          rows: [{ cells: ["a", 0, "0s"] }],
        },
      },
      as,
    ),
  ),
  row(
    "meta.k8s.io/v1beta1",
    create("a"),
    get(
      "configmaps",
      { body: { apiVersion: "meta.k8s.io/v1beta1", rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }] } },
      { accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io" },
    ),
  ),
  row(
    "as kubectl asks for it: the table, not what comes after it",
    create("a"),
    get(
      "configmaps",
      { body: { kind: "Table", apiVersion: "meta.k8s.io/v1" } },
      {
        accept:
          "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
      },
    ),
  ),
  row(
    "a version of tables that nobody knows: what comes after it",
    create("a"),
    get("configmaps", { items: ["a"] }, { accept: "application/json;as=Table;v=v9;g=meta.k8s.io,application/json" }),
  ),
  row(
    "a kind with wide columns has all of them",
    post("serviceaccounts", { metadata: { name: "default" } }, "account"),
    post("pods", { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } }),
    get(
      "pods",
      {
        body: {
          columnDefinitions: [
            "Name",
            "Ready",
            "Status",
            "Restarts",
            "Age",
            "IP",
            "Node",
            "Nominated Node",
            "Readiness Gates",
          ].map((name) => ({ name })),
          rows: [{ cells: ["a", "0/1", "Pending", "0", "0s", "<none>", "<none>", "<none>", "<none>"] }],
        },
      },
      as,
    ),
  ),
  row(
    "a watch: columns in the first event only",
    create("a"),
    watch("configmaps?watch=true", as),
    touch("a"),
    remove("a"),
    events(
      {
        event: "ADDED a@{a}",
        object: {
          kind: "Table",
          metadata: { resourceVersion: "{a}" },
          columnDefinitions: columns,
          rows: [{ cells: ["a", 0, "0s"] }],
        },
      },
      { event: "MODIFIED a@{a:2}", object: { columnDefinitions: null, rows: [{ cells: ["a", 1, "0s"] }] } },
      { event: "DELETED a@{a:3}", object: { columnDefinitions: null, rows: [{ cells: ["a", 1, "0s"] }] } },
    ),
  ),
  row(
    "a watch with whole objects",
    watch("configmaps?watch=true&resourceVersion={now}&includeObject=Object", as),
    create("a"),
    events({ event: "ADDED a@{a}", object: { rows: [{ object: { kind: "ConfigMap", apiVersion: "v1" } }] } }),
  ),
  row(
    "a watch without objects",
    watch("configmaps?watch=true&resourceVersion={now}&includeObject=None", as),
    create("a"),
    events({
      event: "ADDED @{a}",
      object: { columnDefinitions: columns, rows: [{ cells: ["a", 0, "0s"], object: null }] },
    }),
  ),
  row(
    "a bookmark is a row of an empty object; as the first event it brings the columns",
    watch(STREAMED, as),
    create("a"),
    events(
      { event: "BOOKMARK @{a-1} end", object: { columnDefinitions: columns, rows: [{ cells: ["", 0, "<unknown>"] }] } },
      { event: "ADDED a@{a}", object: { columnDefinitions: null } },
    ),
  ),
  row(
    "the bookmark that ends the initial events has its metadata even without objects",
    create("a"),
    watch(`${STREAMED}&includeObject=None`, as),
    events(
      { event: "ADDED @{a}", object: { rows: [{ object: null }] } },
      { event: "BOOKMARK @{a} end", object: { ...bookmarkRow(BOOKMARK_END), columnDefinitions: null } },
    ),
  ),
  ownRow(
    "a bookmark without objects",
    {},
    create("a"),
    watch("configmaps?watch=true&resourceVersion={now}&allowWatchBookmarks=true&includeObject=None", as),
    pass(60_000),
    events({ event: "BOOKMARK @{a}", object: bookmarkRow(null) }),
  ),
  row(
    "a bookmark with whole objects",
    create("a"),
    watch(`${STREAMED}&includeObject=Object`, as),
    events("ADDED a@{a}", {
      event: "BOOKMARK @{a} end",
      object: bookmarkRow({ kind: "ConfigMap", apiVersion: "v1", metadata: BOOKMARK_END.metadata }),
    }),
  ),
  row(
    "an ERROR is a Status, not a table",
    watch("configmaps?watch=true&resourceVersion={now+1000}", as),
    lastEvents({
      event: "ERROR 410 Expired: Too large resource version: {now+1000}, current: {now}",
      object: { kind: "Status" },
    }),
  ),
];
