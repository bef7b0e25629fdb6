import { ownRow, row } from "./runner/row.js";
import { create, createAll, events, get, namespace, post, refused, watch } from "./runner/steps.js";

const mine = { row: "{ns}" };
const OF_ROW = "labelSelector=row%3D{ns}";
const clusterRole = (name: string, labels: Readonly<Record<string, string>>) =>
  post("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name, labels }, rules: [] });

export const listScopeRows = [
  row(
    "a namespace without objects: an empty list with a version",
    get("configmaps", {
      body: { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "{now}" }, items: [] },
    }),
  ),
  row(
    "a namespace that does not exist: an empty list",
    get("/api/v1/namespaces/nowhere/configmaps", { items: [], at: "{now}" }),
  ),
  row(
    "a resource that does not exist: 404",
    get(
      "/api/v1/namespaces/default/nothings",
      refused(404, "NotFound", "the server could not find the requested resource", {}),
    ),
  ),
  row(
    "a namespace is not one whose name begins alike",
    namespace("{ns}-b"),
    namespace("{ns}b"),
    create("a", {}, "{ns}-b"),
    create("a", {}, "{ns}b"),
    create("own"),
    get("configmaps", { items: ["own"] }),
    get("/api/v1/namespaces/{ns}-b/configmaps", { items: ["a"] }),
  ),
  row(
    "all namespaces: by the bytes of the key, so that a hyphen comes before the end of a namespace's name",
    namespace("{ns}-b"),
    namespace("{ns}b"),
    create("a", mine),
    create("b", mine, "{ns}b"),
    create("c", mine, "{ns}-b"),
    get(`/api/v1/configmaps?${OF_ROW}`, { items: ["{ns}-b/c", "{ns}/a", "{ns}b/b"], at: "{c}" }),
  ),
  row(
    "all namespaces, one of them by selector",
    namespace("{ns}-b"),
    create("a", mine),
    create("a", mine, "{ns}-b"),
    get("/api/v1/configmaps?fieldSelector=metadata.namespace%3D{ns}-b", { items: ["{ns}-b/a"] }),
  ),
  row(
    "all namespaces but one",
    namespace("{ns}-b"),
    create("a", mine),
    create("a", mine, "{ns}-b"),
    get(`/api/v1/configmaps?${OF_ROW}&fieldSelector=metadata.namespace!%3D{ns}-b`, { items: ["{ns}/a"] }),
  ),
  row(
    "a namespace and another one by selector: nothing",
    create("a"),
    get("configmaps?fieldSelector=metadata.namespace%3Dother", { items: [] }),
  ),
  row(
    "names by their bytes",
    ...createAll("b", "aa", "a0", "a.b", "a-b", "a"),
    get("configmaps", { items: ["a", "a-b", "a.b", "a0", "aa", "b"] }),
  ),
  row(
    "names by the bytes of UTF-8, not by UTF-16",
    clusterRole("\u{1f600}", mine),
    clusterRole("\uff5e", mine),
    clusterRole("\u00e9", mine),
    clusterRole("B", mine),
    clusterRole("a:b", mine),
    get(`/apis/rbac.authorization.k8s.io/v1/clusterroles?${OF_ROW}`, {
      items: ["B", "a:b", "\u00e9", "\uff5e", "\u{1f600}"],
    }),
  ),
  row(
    "a cluster-scoped list pages like any other",
    clusterRole("{ns}:a", mine),
    clusterRole("{ns}:b", mine),
    get(`/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=1&${OF_ROW}`, (answer) => {
      if (answer.at("items.1") !== undefined) throw new Error("the page is too long");
    }),
  ),
  ownRow(
    "namespaces are a list of the cluster's, the row's own among them",
    {},
    namespace("b"),
    namespace("a"),
    get("/api/v1/namespaces", { items: ["a", "b", "{ns}"], at: "{now}" }),
    get("/api/v1/namespaces?limit=2", { items: ["a", "b"], next: { after: "b", at: "{now}" }, remaining: 1 }),
    get("/api/v1/namespaces?limit=2&continue={continue}", { items: ["{ns}"] }),
  ),
  row(
    "a watch of a namespace is not told of one whose name begins alike",
    namespace("{ns}-b"),
    watch("configmaps?watch=true&resourceVersion={now}"),
    create("other", {}, "{ns}-b"),
    create("own"),
    events("ADDED own@{own}"),
  ),
  row(
    "a watch of all namespaces is told of all",
    namespace("{ns}-b"),
    watch("/api/v1/configmaps?watch=true&resourceVersion={now}"),
    create("a", {}, "{ns}-b"),
    create("b"),
    events("ADDED a@{a}", "ADDED b@{b}"),
  ),
  row(
    "a watch of all namespaces, one of them by selector",
    namespace("{ns}-b"),
    watch("/api/v1/configmaps?watch=true&resourceVersion={now}&fieldSelector=metadata.namespace%3D{ns}-b"),
    create("a"),
    create("b", {}, "{ns}-b"),
    events("ADDED b@{b}"),
  ),
  row(
    "a watch of one resource is not told of another",
    watch("configmaps?watch=true&resourceVersion={now}"),
    post("secrets", { metadata: { name: "s" } }),
    create("a"),
    events("ADDED a@{a}"),
  ),
];
