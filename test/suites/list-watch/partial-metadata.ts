import { row } from "./runner/row.js";
import { create, createAll, events, get, remove, touch, watch } from "./runner/steps.js";

const one = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const list = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };
const of = (name: string) => ({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name } });

export const partialMetadataRows = [
  row(
    "one object",
    create("a"),
    touch("a"),
    get(
      "configmaps/a",
      (answer) => {
        const { data, kind } = JSON.parse(answer.text) as Record<string, unknown>;
        if (data !== undefined || kind !== "PartialObjectMetadata") throw new Error(answer.text);
      },
      one,
    ),
  ),
  row(
    "a list, each item with its kind",
    ...createAll("a", "b"),
    get(
      "configmaps",
      {
        body: {
          kind: "PartialObjectMetadataList",
          apiVersion: "meta.k8s.io/v1",
          metadata: { resourceVersion: "{b}" },
          items: [of("a"), of("b")],
        },
      },
      list,
    ),
  ),
  row("a list of nothing", get("configmaps", { body: { kind: "PartialObjectMetadataList", items: [] } }, list)),
  row(
    "pages",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=2", { items: ["a", "b"], at: "{c}", next: { after: "b", at: "{c}" }, remaining: 1 }, list),
    get("configmaps?limit=2&continue={continue}", { items: ["c"], at: "{c}" }, list),
  ),
  row(
    "meta.k8s.io/v1beta1",
    create("a"),
    get(
      "configmaps",
      { body: { apiVersion: "meta.k8s.io/v1beta1", items: [{ apiVersion: "meta.k8s.io/v1beta1" }] } },
      { accept: "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io" },
    ),
  ),
  row(
    "fields of the whole object can be selected",
    create("a", { x: "y" }),
    create("b"),
    get("configmaps?labelSelector=x", { items: ["a"] }, list),
  ),
  row(
    "a watch",
    create("a"),
    watch("configmaps?watch=true", one),
    touch("a"),
    remove("a"),
    events(
      { event: "ADDED a@{a}", object: of("a") },
      { event: "MODIFIED a@{a:2}", object: of("a") },
      { event: "DELETED a@{a:3}", object: of("a") },
    ),
  ),
  row(
    "a streamed list and its bookmark",
    create("a"),
    watch(
      "configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
      one,
    ),
    events(
      { event: "ADDED a@{a}", object: of("a") },
      {
        event: "BOOKMARK @{a} end",
        object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "{a}" } },
      },
    ),
  ),
];
