import { row } from "./runner/row.js";
import { badRequest, create, createAll, events, get, post, refused, send, watch } from "./runner/steps.js";
import { tooLarge } from "./too-large.js";

const del = (query: string, ...rest: Parameters<typeof send> extends [unknown, unknown, ...infer R] ? R : never) =>
  send("DELETE", `configmaps${query}`, ...rest);

export const deleteCollectionRows = [
  row(
    "all of a namespace, answered as a list of what they were",
    ...createAll("a", "b"),
    del("", { items: ["a", "b"], at: "{b}" }),
    get("configmaps", { items: [] }),
  ),
  row("of nothing", del("", { items: [] })),
  row(
    "by label",
    create("a", { x: "y" }),
    create("b"),
    del("?labelSelector=x%3Dy", { items: ["a"] }),
    get("configmaps", { items: ["b"] }),
  ),
  row(
    "by name",
    ...createAll("a", "b"),
    del("?fieldSelector=metadata.name%3Db", { items: ["b"] }),
    get("configmaps", { items: ["a"] }),
  ),
  row(
    "an unknown field: 400, and nothing is deleted",
    create("a"),
    del(
      "?fieldSelector=x%3Dy",
      badRequest('"x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    ),
    get("configmaps", { items: ["a"] }),
  ),
  row(
    "a page",
    ...createAll("a", "b", "c"),
    del("?limit=2", { items: ["a", "b"], at: "{c}", next: { after: "b", at: "{c}" }, remaining: 1 }),
    get("configmaps", { items: ["c"] }),
  ),
  row(
    "a page and the next, although the first is gone",
    ...createAll("a", "b", "c"),
    del("?limit=2", { items: ["a", "b"], at: "{c}", next: { after: "b", at: "{c}" }, remaining: 1 }),
    del("?limit=2&continue={continue}", { items: ["c"], at: "{c}" }),
    get("configmaps", { items: [] }),
  ),
  row(
    "exactly what was there at a version; what is gone by now is no problem",
    ...createAll("a", "b"),
    send("DELETE", "configmaps/a", { body: {} }),
    create("c"),
    del("?resourceVersion={b}&resourceVersionMatch=Exact", { items: ["a", "b"], at: "{b}" }),
    get("configmaps", { items: ["c"] }),
  ),
  row("at a version that does not come: 504", {
    ...del("?resourceVersion={now+1000}", tooLarge("{now+1000}")),
    passing: 3000,
  }),
  row(
    "each is told to watchers, with a version of its own",
    ...createAll("a", "b"),
    watch("configmaps?watch=true&resourceVersion={now}"),
    del("", { items: ["a", "b"] }),
    events("DELETED a@{now-1}", "DELETED b@{now}"),
  ),
  row(
    "what a finalizer holds stays, and is MODIFIED",
    post("configmaps", { metadata: { name: "a", finalizers: ["example.com/hold"] } }),
    create("b"),
    watch("configmaps?watch=true&resourceVersion={now}"),
    del("", { items: ["a", "b"] }),
    events("MODIFIED a@{now-1}", "DELETED b@{now}"),
    get("configmaps", { items: ["a"] }),
  ),
  row(
    "over all namespaces: 405",
    send(
      "DELETE",
      "/api/v1/configmaps",
      refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
    ),
  ),
];
