import { row } from "./runner/row.js";
import { create, createAll, events, eventsByMode, post, remove, touch, watch } from "./runner/steps.js";

const BOOKMARKS = "allowWatchBookmarks=true";
const STREAMED = "configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
const ONLY_NEW = "configmaps?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
const LEGACY = "a watch without a version is a streamed list since 1.34, when it takes bookmarks";

const TOO_LARGE = "ERROR 504 Timeout: Timeout: Too large resource version: {now+1000}, current: {now}";
const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];

export const watchInitialEventsRows = [
  row(
    "what is there, the bookmark that says so, then what happens",
    ...createAll("b", "a"),
    watch(`${STREAMED}&${BOOKMARKS}`),
    events("ADDED a@{a}", "ADDED b@{b}", "BOOKMARK @{a} end"),
    create("c"),
    events("ADDED c@{c}"),
  ),
  row(
    "the bookmark is an empty object of the kind",
    watch(`${STREAMED}&${BOOKMARKS}`),
    events({
      event: "BOOKMARK @{now} end",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { resourceVersion: "{now}", annotations: { "k8s.io/initial-events-end": "true" } },
      },
    }),
  ),
  row(
    "the bookmark of a kind with fields that are always sent",
    watch(`pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&${BOOKMARKS}`),
    events({
      event: "BOOKMARK @{now} end",
      object: { kind: "Pod", apiVersion: "v1", spec: { containers: null }, status: {} },
    }),
  ),
  row(
    "without bookmarks: what is there, then what happens",
    create("a"),
    watch(STREAMED),
    create("b"),
    events("ADDED a@{a}", "ADDED b@{b}"),
  ),
  row(
    "at 0",
    create("a"),
    watch(`${STREAMED}&resourceVersion=0&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{now} end"),
  ),
  row(
    "at a version: the state not older than it, which is the newest",
    ...createAll("a", "b"),
    remove("a"),
    watch(`${STREAMED}&resourceVersion={a}&${BOOKMARKS}`),
    events("ADDED b@{b}", "BOOKMARK @{now} end"),
  ),
  row(
    "at the newest version",
    ...createAll("a"),
    watch(`${STREAMED}&resourceVersion={a}&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{a} end"),
  ),
  row(
    "at a version that does not come: the refusal is an event, because the watch has begun",
    create("a"),
    watch(`${STREAMED}&resourceVersion={now+1000}&${BOOKMARKS}`, { passing: 3000 }),
    eventsByMode(
      {
        because: "the cache waits three seconds and says when to come back; the store knows at once",
        cached: [{ event: TOO_LARGE, object: { kind: "Status", details: { causes, retryAfterSeconds: 1 } } }],
        direct: [{ event: TOO_LARGE, object: { kind: "Status", details: { causes } } }],
      },
      true,
    ),
  ),
  row(
    "the bookmark has the version of the state, whoever wrote last",
    create("a"),
    post("secrets", { metadata: { name: "s" } }),
    watch(`${STREAMED}&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{s} end"),
  ),
  row(
    "with a selector: what it selects, and the bookmark",
    create("a", { on: "yes" }),
    create("b"),
    watch(`${STREAMED}&${BOOKMARKS}&labelSelector=on%3Dyes`),
    create("c"),
    create("d", { on: "yes" }),
    events("ADDED a@{a}", "BOOKMARK @{b} end", "ADDED d@{d}"),
  ),
  row(
    "with a selector that selects nothing: the bookmark",
    create("a"),
    watch(`${STREAMED}&${BOOKMARKS}&labelSelector=on%3Dyes`),
    events("BOOKMARK @{a} end"),
  ),
  row(
    "of one name",
    ...createAll("a", "b"),
    watch(`${STREAMED}&${BOOKMARKS}&fieldSelector=metadata.name%3Db`),
    events("ADDED b@{b}", "BOOKMARK @{b} end"),
  ),
  row(
    "sendInitialEvents=1 is true",
    create("a"),
    watch(`configmaps?watch=true&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{a} end"),
  ),
  row(
    "without initial events and without a version: only what comes",
    create("a"),
    watch(ONLY_NEW),
    create("b"),
    events("ADDED b@{b}"),
  ),
  row(
    "without initial events, at 0: only what comes",
    create("a"),
    watch(`${ONLY_NEW}&resourceVersion=0`),
    create("b"),
    events("ADDED b@{b}"),
  ),
  row(
    "without initial events, at a version: what happened after it",
    ...createAll("a", "b"),
    watch(`${ONLY_NEW}&resourceVersion={a}`),
    touch("b"),
    events("ADDED b@{b}", "MODIFIED b@{b:2}"),
  ),
  row(
    "without initial events there is no bookmark to end them",
    create("a"),
    watch(`${ONLY_NEW}&${BOOKMARKS}`),
    create("b"),
    events("ADDED b@{b}"),
  ),
  row(
    `without a version: ${LEGACY}`,
    create("a"),
    watch(`configmaps?watch=true&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{a} end"),
  ),
  row(
    `at 0: ${LEGACY}`,
    create("a"),
    watch(`configmaps?watch=true&resourceVersion=0&${BOOKMARKS}`),
    events("ADDED a@{a}", "BOOKMARK @{a} end"),
  ),
  row(
    "at a version there are no initial events, and no bookmark that ends them",
    ...createAll("a", "b"),
    watch(`configmaps?watch=true&resourceVersion={a}&${BOOKMARKS}`),
    events("ADDED b@{b}"),
  ),
  row(
    "the old path is a streamed list only when it says watch=true too",
    create("a"),
    watch(`/api/v1/watch/namespaces/{ns}/configmaps?${BOOKMARKS}`),
    create("b"),
    events("ADDED a@{a}", "ADDED b@{b}"),
    watch(`/api/v1/watch/namespaces/{ns}/configmaps?watch=true&${BOOKMARKS}`),
    events("ADDED a@{a}", "ADDED b@{b}", "BOOKMARK @{b} end"),
  ),
  row(
    "more than one reading of the store holds: all of them before the bookmark",
    ...Array.from({ length: 30 }, (_, index) => create(`n${String(index).padStart(2, "0")}`)),
    watch(`${STREAMED}&${BOOKMARKS}`),
    events(
      ...Array.from({ length: 30 }, (_, index) => `n${String(index).padStart(2, "0")}`).map(
        (name) => `ADDED ${name}@{${name}}`,
      ),
      "BOOKMARK @{n29} end",
    ),
  ),
];
