import { row } from "./runner/row.js";
import { create, createAll, get } from "./runner/steps.js";

const yes = { on: "yes" };
const no = { on: "no" };
const SELECT = "labelSelector=on%3Dyes";

export const listLimitSelectorsRows = [
  row(
    "a page is filled with what matches, and does not count the rest",
    create("a", yes),
    create("b", no),
    create("c", no),
    create("d", yes),
    create("e", yes),
    get(`configmaps?limit=2&${SELECT}`, { items: ["a", "d"], at: "{e}", next: { after: "d", at: "{e}" } }),
    get(`configmaps?limit=2&${SELECT}&continue={continue}`, { items: ["e"], at: "{e}" }),
  ),
  row(
    "a token comes although nothing of the rest matches, and the last page is empty",
    create("a", yes),
    create("b", no),
    create("c", no),
    get(`configmaps?limit=1&${SELECT}`, { items: ["a"], at: "{c}", next: { after: "a", at: "{c}" } }),
    get(`configmaps?limit=1&${SELECT}&continue={continue}`, { items: [], at: "{c}" }),
  ),
  row(
    "no token when the page ends with the last object",
    create("a", no),
    create("b", yes),
    get(`configmaps?limit=1&${SELECT}`, { items: ["b"], at: "{b}" }),
  ),
  row(
    "nothing matches: an empty page without a token",
    create("a", no),
    create("b", no),
    get(`configmaps?limit=1&${SELECT}`, { items: [], at: "{b}" }),
  ),
  row(
    "a field selector fills pages too",
    ...createAll("a", "b", "c", "d"),
    get("configmaps?limit=2&fieldSelector=metadata.name!%3Db", {
      items: ["a", "c"],
      at: "{d}",
      next: { after: "c", at: "{d}" },
    }),
    get("configmaps?limit=2&fieldSelector=metadata.name!%3Db&continue={continue}", { items: ["d"], at: "{d}" }),
  ),
  row(
    "a field selector and a label selector fill pages together",
    create("a", yes),
    create("b", yes),
    create("c", no),
    create("d", yes),
    create("e", yes),
    get(`configmaps?limit=2&${SELECT}&fieldSelector=metadata.name!%3Db`, {
      items: ["a", "d"],
      at: "{e}",
      next: { after: "d", at: "{e}" },
    }),
  ),
  row(
    "one name is one object: no token, whatever follows",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=1&fieldSelector=metadata.name%3Da", { items: ["a"], at: "{c}" }),
  ),
  row(
    "one name at a version, with a limit: not older, because there is nothing to page",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=1&resourceVersion={a}&fieldSelector=metadata.name%3Da", { items: ["a"], at: "{c}" }),
  ),
  row(
    "one name and another selector that does not match",
    create("a", no),
    get(`configmaps?${SELECT}&fieldSelector=metadata.name%3Da`, { items: [], at: "{a}" }),
  ),
  row(
    "one name over all namespaces is searched for, and paged",
    create("a", { row: "{ns}" }),
    create("b", { row: "{ns}" }),
    get("/api/v1/configmaps?fieldSelector=metadata.name%3Db&labelSelector=row%3D{ns}", { items: ["b"], at: "{b}" }),
  ),
  row(
    "one name in one namespace, both by selector",
    ...createAll("a", "b"),
    get("/api/v1/configmaps?limit=1&fieldSelector=metadata.name%3Da,metadata.namespace%3D{ns}", {
      items: ["a"],
      at: "{b}",
    }),
  ),
  row("a limit of 0 is none", ...createAll("a", "b"), get("configmaps?limit=0", { items: ["a", "b"], at: "{b}" })),
  row("a negative limit is none", ...createAll("a", "b"), get("configmaps?limit=-1", { items: ["a", "b"], at: "{b}" })),
  row(
    "a limit with a plus sign is a number",
    ...createAll("a", "b"),
    get("configmaps?limit=%2B1", { items: ["a"], at: "{b}", next: { after: "a", at: "{b}" }, remaining: 1 }),
  ),
  row(
    "of two limits the first counts",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=1&limit=2", { items: ["a"], at: "{c}", next: { after: "a", at: "{c}" }, remaining: 2 }),
  ),
];
