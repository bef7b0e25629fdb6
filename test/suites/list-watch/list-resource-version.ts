import { row } from "./runner/row.js";
import { badRequest, create, createAll, get, label, post, remove, touch } from "./runner/steps.js";
import { tooLarge } from "./too-large.js";

const malformed = (text: string, problem: string) =>
  badRequest(
    `invalid resource version: resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${problem}`,
  );
const IGNORES_LIMIT = "the cache answers a list at 0 whole, whatever its limit; the store pages it";
const FUTURE = "{now+1000}";

export const listResourceVersionRows = [
  row("without a version: the newest", ...createAll("a", "b"), get("configmaps", { items: ["a", "b"], at: "{now}" })),
  row("of nothing has a version all the same", get("configmaps", { items: [], at: "{now}" })),
  row("of nothing, at 0", get("configmaps?resourceVersion=0", { items: [] })),
  row(
    "shows a write that was acknowledged just now",
    ...createAll("a", "b"),
    remove("a"),
    get("configmaps", { items: ["b"], at: "{a:2}" }),
  ),
  row("at 0: whatever is at hand", ...createAll("a", "b"), get("configmaps?resourceVersion=0", { items: ["a", "b"] })),
  row(
    "at a version: not older, so the newest",
    ...createAll("a", "b"),
    get("configmaps?resourceVersion={a}", { items: ["a", "b"], at: "{now}" }),
  ),
  row(
    "at the newest version",
    ...createAll("a", "b"),
    get("configmaps?resourceVersion={b}", { items: ["a", "b"], at: "{b}" }),
  ),
  row(
    "at a version that another resource was given",
    ...createAll("a"),
    post("secrets", { metadata: { name: "s" } }),
    get("configmaps?resourceVersion={s}", { items: ["a"], at: "{s}" }),
  ),
  row(
    "NotOlderThan an old version: the newest",
    ...createAll("a", "b"),
    get("configmaps?resourceVersion={a}&resourceVersionMatch=NotOlderThan", { items: ["a", "b"], at: "{now}" }),
  ),
  row(
    "NotOlderThan 0: whatever is at hand",
    ...createAll("a", "b"),
    get("configmaps?resourceVersion=0&resourceVersionMatch=NotOlderThan", { items: ["a", "b"] }),
  ),
  row(
    "Exact: the state at that version",
    ...createAll("a", "b", "c"),
    get("configmaps?resourceVersion={b}&resourceVersionMatch=Exact", { items: ["a", "b"], at: "{b}" }),
  ),
  row(
    "Exact at the newest version",
    ...createAll("a", "b"),
    get("configmaps?resourceVersion={b}&resourceVersionMatch=Exact", { items: ["a", "b"], at: "{b}" }),
  ),
  row(
    "Exact at a version from before the first object",
    ...createAll("a"),
    get("configmaps?resourceVersion={a-1}&resourceVersionMatch=Exact", { items: [], at: "{a-1}" }),
  ),
  row(
    "Exact shows what was deleted since",
    ...createAll("a", "b"),
    remove("a"),
    get("configmaps?resourceVersion={b}&resourceVersionMatch=Exact", { items: ["a", "b"], at: "{b}" }),
  ),
  row(
    "Exact at the version of a deletion does not show it",
    ...createAll("a", "b"),
    remove("a"),
    create("c"),
    get("configmaps?resourceVersion={a:2}&resourceVersionMatch=Exact", { items: ["b"], at: "{a:2}" }),
  ),
  row(
    "Exact shows content and versions of then",
    create("a"),
    touch("a", "one"),
    touch("a", "two"),
    get("configmaps?resourceVersion={a:2}&resourceVersionMatch=Exact", {
      body: {
        metadata: { resourceVersion: "{a:2}" },
        items: [{ metadata: { name: "a", resourceVersion: "{a:2}" }, data: { value: "one" } }],
      },
    }),
  ),
  row(
    "Exact selects by the labels of then",
    create("a", { on: "yes" }),
    label("a", { on: "no" }),
    get("configmaps?resourceVersion={a}&resourceVersionMatch=Exact&labelSelector=on=yes", { items: ["a"], at: "{a}" }),
    get("configmaps?resourceVersion={a:2}&resourceVersionMatch=Exact&labelSelector=on=yes", { items: [], at: "{a:2}" }),
  ),
  row(
    "Exact of one name",
    create("a"),
    create("b"),
    remove("a"),
    get("configmaps?resourceVersion={b}&resourceVersionMatch=Exact&fieldSelector=metadata.name=a", {
      items: ["a"],
      at: "{b}",
    }),
  ),
  row(
    "Exact at the version of another resource",
    create("a"),
    post("secrets", { metadata: { name: "s" } }),
    create("b"),
    get("configmaps?resourceVersion={s}&resourceVersionMatch=Exact", { items: ["a"], at: "{s}" }),
  ),
  row(
    "a limit without a version: a page of the newest",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=2", { items: ["a", "b"], at: "{now}", next: { after: "b", at: "{now}" }, remaining: 1 }),
  ),
  row(
    "a limit at 0",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=2&resourceVersion=0", {
      because: IGNORES_LIMIT,
      cached: { items: ["a", "b", "c"] },
      direct: { items: ["a", "b"], next: { after: "b", at: "{now}" }, remaining: 1 },
    }),
  ),
  row(
    "a limit, NotOlderThan 0",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan", {
      because: IGNORES_LIMIT,
      cached: { items: ["a", "b", "c"] },
      direct: { items: ["a", "b"], next: { after: "b", at: "{now}" }, remaining: 1 },
    }),
  ),
  row(
    "a limit at a version means that very version, as before there was resourceVersionMatch",
    ...createAll("a", "b", "c", "d"),
    get("configmaps?limit=2&resourceVersion={c}", {
      items: ["a", "b"],
      at: "{c}",
      next: { after: "b", at: "{c}" },
      remaining: 1,
    }),
  ),
  row(
    "a limit, Exact",
    ...createAll("a", "b", "c", "d"),
    get("configmaps?limit=2&resourceVersion={c}&resourceVersionMatch=Exact", {
      items: ["a", "b"],
      at: "{c}",
      next: { after: "b", at: "{c}" },
      remaining: 1,
    }),
  ),
  row(
    "a limit, NotOlderThan: a page of the newest",
    ...createAll("a", "b", "c", "d"),
    get("configmaps?limit=2&resourceVersion={b}&resourceVersionMatch=NotOlderThan", {
      items: ["a", "b"],
      at: "{now}",
      next: { after: "b", at: "{now}" },
      remaining: 2,
    }),
  ),
  row(
    "at a version that does not come: 504",
    create("a"),
    get(`configmaps?resourceVersion=${FUTURE}`, tooLarge(FUTURE), { passing: 3000 }),
  ),
  row(
    "NotOlderThan a version that does not come: 504",
    get(`configmaps?resourceVersion=${FUTURE}&resourceVersionMatch=NotOlderThan`, tooLarge(FUTURE), { passing: 3000 }),
  ),
  row(
    "Exact at a version that does not come: 504",
    get(`configmaps?resourceVersion=${FUTURE}&resourceVersionMatch=Exact`, tooLarge(FUTURE), { passing: 3000 }),
  ),
  row(
    "a limit at a version that does not come: 504",
    get(`configmaps?limit=1&resourceVersion=${FUTURE}`, tooLarge(FUTURE), { passing: 3000 }),
  ),
  row("with words for a version: 400", get("configmaps?resourceVersion=x", malformed("x", "invalid syntax"))),
  row("with a negative version: 400", get("configmaps?resourceVersion=-5", malformed("-5", "invalid syntax"))),
  row("with a fraction for a version: 400", get("configmaps?resourceVersion=1.5", malformed("1.5", "invalid syntax"))),
  row(
    "with a version beyond 64 bits: 400",
    get("configmaps?resourceVersion=18446744073709551616", malformed("18446744073709551616", "value out of range")),
  ),
  row(
    "Exact with words for a version: 400",
    get("configmaps?resourceVersion=x&resourceVersionMatch=Exact", malformed("x", "invalid syntax")),
  ),
];
