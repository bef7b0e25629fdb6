import { ownRow, row } from "./runner/row.js";
import {
  compact,
  create,
  createAll,
  events,
  eventsByMode,
  get,
  pass,
  refused,
  remove,
  touch,
  watch,
} from "./runner/steps.js";

const gone = "The resourceVersion for the provided watch is too old.";
const TEXTS = "the cache names the oldest version that it has, the store does not";
const LIST_GONE = refused(410, "Expired", "The resourceVersion for the provided list is too old.");
const tiny = { historyBytes: 1 };
const written = [...createAll("a", "b", "c"), touch("c"), compact("{c}")];

export const watchExpiredRows = [
  ownRow(
    "a watch from before what is kept: 200, and 410 as its only event",
    tiny,
    ...written,
    watch("configmaps?watch=true&resourceVersion={a}"),
    eventsByMode(
      {
        because: TEXTS,
        cached: [`ERROR 410 Expired: too old resource version: {a} ({c})`],
        direct: [`ERROR 410 Expired: ${gone}`],
      },
      true,
    ),
  ),
  ownRow(
    "the event is a whole Status",
    tiny,
    ...written,
    watch("configmaps?watch=true&resourceVersion={a}"),
    eventsByMode(
      {
        because: TEXTS,
        cached: [
          {
            event: "ERROR 410 Expired: too old resource version: {a} ({c})",
            object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 },
          },
        ],
        direct: [
          {
            event: `ERROR 410 Expired: ${gone}`,
            object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "Expired", code: 410 },
          },
        ],
      },
      true,
    ),
  ),
  ownRow(
    "a watch from the oldest version that is kept",
    tiny,
    ...written,
    watch("configmaps?watch=true&resourceVersion={c}"),
    events("MODIFIED c@{c:2}"),
  ),
  ownRow(
    "a watch from the newest version",
    tiny,
    ...written,
    watch("configmaps?watch=true&resourceVersion={c:2}"),
    create("d"),
    events("ADDED d@{d}"),
  ),
  ownRow(
    "a watch from 1, whatever its selector",
    tiny,
    ...written,
    watch("configmaps?watch=true&resourceVersion=1&labelSelector=a%3Db"),
    eventsByMode(
      {
        because: TEXTS,
        cached: ["ERROR 410 Expired: too old resource version: 1 ({c})"],
        direct: [`ERROR 410 Expired: ${gone}`],
      },
      true,
    ),
  ),
  ownRow(
    "a watch without a version does not need the past",
    tiny,
    ...written,
    watch("configmaps?watch=true"),
    events("ADDED a@{a}", "ADDED b@{b}", "ADDED c@{c:2}"),
  ),
  ownRow(
    "a streamed list at an old version does not need the past",
    tiny,
    ...written,
    watch(
      "configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={a}&allowWatchBookmarks=true",
    ),
    events("ADDED a@{a}", "ADDED b@{b}", "ADDED c@{c:2}", "BOOKMARK @{c:2} end"),
  ),
  ownRow(
    "a watch that only wants what comes, from an old version: 410",
    tiny,
    ...written,
    watch("configmaps?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={a}"),
    eventsByMode(
      {
        because: TEXTS,
        cached: ["ERROR 410 Expired: too old resource version: {a} ({c})"],
        direct: [`ERROR 410 Expired: ${gone}`],
      },
      true,
    ),
  ),
  ownRow(
    "a watch from before a compaction whose events the cache still has",
    {},
    ...written,
    watch("configmaps?watch=true&resourceVersion={a}"),
    eventsByMode(
      {
        because: "the cache has a history of its own",
        cached: ["ADDED b@{b}", "ADDED c@{c}", "MODIFIED c@{c:2}"],
        direct: [`ERROR 410 Expired: ${gone}`],
      },
      { cached: false, direct: true },
    ),
  ),
  ownRow(
    "a list of exactly what is no longer kept: 410",
    tiny,
    ...written,
    get("configmaps?resourceVersion={a}&resourceVersionMatch=Exact", LIST_GONE),
  ),
  ownRow(
    "a page of exactly what is no longer kept: 410",
    tiny,
    ...written,
    get("configmaps?resourceVersion={a}&limit=1", LIST_GONE),
  ),
  ownRow(
    "a list of one name at what is no longer kept: 410",
    tiny,
    ...written,
    get("configmaps?resourceVersion={a}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Da", LIST_GONE),
  ),
  ownRow(
    "a list of exactly the oldest version that is kept",
    tiny,
    ...written,
    get("configmaps?resourceVersion={c}&resourceVersionMatch=Exact", { items: ["a", "b", "c"], at: "{c}" }),
  ),
  ownRow(
    "a list that may be newer than what is no longer kept",
    tiny,
    ...written,
    get("configmaps?resourceVersion={a}", { items: ["a", "b", "c"], at: "{now}" }),
  ),
  ownRow(
    "a get that may be newer than what is no longer kept",
    tiny,
    ...written,
    get("configmaps/a?resourceVersion={a-1}", { body: { metadata: { resourceVersion: "{a}" } } }),
  ),
  ownRow(
    "what a watch has begun to tell goes on after a compaction",
    {},
    create("a"),
    watch("configmaps?watch=true&resourceVersion={now}"),
    touch("a"),
    events("MODIFIED a@{a:2}"),
    compact("{now}"),
    remove("a"),
    events("DELETED a@{a:3}"),
  ),
  ownRow(
    "the past is forgotten after two rounds of the compactor",
    { historyBytes: 1, compactionSeconds: 300 },
    ...createAll("a", "b", "c"),
    pass(300_000),
    touch("c"),
    pass(300_000),
    pass(1),
    get("configmaps?resourceVersion={a}&resourceVersionMatch=Exact", LIST_GONE),
  ),
  row(
    "a version of before everything is not too old as long as nothing was forgotten",
    create("a"),
    watch("configmaps?watch=true&resourceVersion={a-1}"),
    events("ADDED a@{a}"),
  ),
];
