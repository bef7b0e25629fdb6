import { ownRow, row } from "./runner/row.js";
import {
  badRequest,
  compact,
  create,
  createAll,
  get,
  invalidOptions,
  namespace,
  post,
  refused,
  remove,
  touch,
} from "./runner/steps.js";
import { tooLarge } from "./too-large.js";

const token = (fields: unknown): string => Buffer.from(JSON.stringify(fields)).toString("base64url");
const raw = (text: string): string => Buffer.from(text).toString("base64url");
const V1 = "meta.k8s.io/v1";
const invalid = (detail: string) => badRequest(`invalid continue token: continue key is not valid${detail}`);
const EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

const page = (items: readonly string[], after: string, remaining: number, at = "{e}") => ({
  items,
  at,
  next: { after, at },
  remaining,
});

export const listContinueRows = [
  row(
    "pages follow each other and tell how much is left",
    ...createAll("a", "b", "c", "d", "e"),
    get("configmaps?limit=2", page(["a", "b"], "b", 3)),
    get("configmaps?limit=2&continue={continue}", page(["c", "d"], "d", 1)),
    get("configmaps?limit=2&continue={continue}", { items: ["e"], at: "{e}" }),
  ),
  row(
    "a last page that is full has no token",
    ...createAll("a", "b", "c", "d"),
    get("configmaps?limit=2", page(["a", "b"], "b", 2, "{d}")),
    get("configmaps?limit=2&continue={continue}", { items: ["c", "d"], at: "{d}" }),
  ),
  row(
    "a limit of as many as there are: no token",
    ...createAll("a", "b"),
    get("configmaps?limit=2", { items: ["a", "b"], at: "{b}" }),
  ),
  row(
    "a limit of more than there are: no token",
    ...createAll("a", "b"),
    get("configmaps?limit=500", { items: ["a", "b"], at: "{b}" }),
  ),
  row("a page of nothing", get("configmaps?limit=1", { items: [], at: "{now}" })),
  row(
    "pages may differ in size",
    ...createAll("a", "b", "c", "d", "e"),
    get("configmaps?limit=1", page(["a"], "a", 4)),
    get("configmaps?limit=3&continue={continue}", page(["b", "c", "d"], "d", 1)),
  ),
  row(
    "without a limit the rest comes at once",
    ...createAll("a", "b", "c", "d", "e"),
    get("configmaps?limit=1", page(["a"], "a", 4)),
    get("configmaps?continue={continue}", { items: ["b", "c", "d", "e"], at: "{e}" }),
  ),
  row(
    "all pages show the state of the first, while others write",
    ...createAll("a", "b", "c", "d", "e"),
    get("configmaps?limit=2", page(["a", "b"], "b", 3)),
    remove("c"),
    create("bb"),
    create("f"),
    get("configmaps?limit=2&continue={continue}", page(["c", "d"], "d", 1)),
    remove("e"),
    get("configmaps?limit=2&continue={continue}", { items: ["e"], at: "{e}" }),
  ),
  row(
    "a page shows the content of then",
    create("a"),
    create("b"),
    get("configmaps?limit=1", page(["a"], "a", 1, "{b}")),
    touch("b"),
    get("configmaps?continue={continue}", (answer) => {
      if (answer.at("items.0.data") !== undefined) throw new Error(`it shows the later content: ${answer.text}`);
    }),
    get("configmaps?continue={continue}", {
      body: { metadata: { resourceVersion: "{b}" }, items: [{ metadata: { resourceVersion: "{b}" } }] },
    }),
  ),
  row(
    "a token may be used twice",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=2", page(["a", "b"], "b", 1, "{c}")),
    get("configmaps?limit=1&continue={continue}", { items: ["c"], at: "{c}" }),
    get("configmaps?limit=1&continue={continue}", { items: ["c"], at: "{c}" }),
  ),
  row(
    "a token with other selectors: they hold for the rest",
    create("a", { on: "no" }),
    create("b", { on: "yes" }),
    create("c", { on: "no" }),
    create("d", { on: "yes" }),
    get("configmaps?limit=1", page(["a"], "a", 3, "{d}")),
    get("configmaps?labelSelector=on%3Dyes&continue={continue}", { items: ["b", "d"], at: "{d}" }),
  ),
  row(
    "a token of another resource is a place in this one",
    ...createAll("a", "b"),
    post("secrets", { metadata: { name: "a" } }, "s"),
    post("secrets", { metadata: { name: "b" } }, "t"),
    get("configmaps?limit=1", page(["a"], "a", 1, "{t}")),
    get("secrets?continue={continue}", { items: ["b"], at: "{t}" }),
  ),
  row(
    "a token of a list over all namespaces goes on from namespace to namespace",
    namespace("{ns}-x"),
    create("a", { row: "{ns}" }, "{ns}-x"),
    create("a", { row: "{ns}" }),
    create("b", { row: "{ns}" }),
    get("/api/v1/configmaps?limit=2&labelSelector=row%3D{ns}", {
      items: ["{ns}-x/a", "{ns}/a"],
      at: "{b}",
      next: { after: "{ns}/a", at: "{b}" },
    }),
    get("/api/v1/configmaps?labelSelector=row%3D{ns}&continue={continue}", { items: ["{ns}/b"], at: "{b}" }),
  ),
  row(
    "a token at a version of before: the state of then",
    ...createAll("a", "b", "c"),
    get("configmaps?limit=1&resourceVersion={b}", page(["a"], "a", 1, "{b}")),
    get("configmaps?limit=1&continue={continue}", { items: ["b"], at: "{b}" }),
  ),
  row(
    "a token with resourceVersion 0 is taken",
    ...createAll("a", "b"),
    get("configmaps?limit=1", page(["a"], "a", 1, "{b}")),
    get("configmaps?resourceVersion=0&continue={continue}", { items: ["b"], at: "{b}" }),
  ),
  row(
    "a token with a version: 400",
    ...createAll("a", "b"),
    get("configmaps?limit=1", page(["a"], "a", 1, "{b}")),
    get(
      "configmaps?resourceVersion={b}&continue={continue}",
      badRequest("specifying resource version is not allowed when using continue"),
    ),
    get(
      "configmaps?resourceVersion=x&continue={continue}",
      badRequest("specifying resource version is not allowed when using continue"),
    ),
  ),
  row(
    "a broken token with a version: the token is judged first",
    get("configmaps?resourceVersion=5&continue=%25", invalid(": illegal base64 data at input byte 0")),
  ),
  row(
    "a token with resourceVersionMatch: 422",
    ...createAll("a", "b"),
    get("configmaps?limit=1", page(["a"], "a", 1, "{b}")),
    get(
      "configmaps?resourceVersion={b}&resourceVersionMatch=Exact&continue={continue}",
      invalidOptions([
        "FieldValueForbidden",
        "resourceVersionMatch",
        "Forbidden: resourceVersionMatch is forbidden when continue is provided",
      ]),
    ),
  ),
  row(
    "a token with resourceVersionMatch and without a version: 422 for both",
    get(
      "configmaps?resourceVersionMatch=NotOlderThan&continue=x",
      invalidOptions(
        [
          "FieldValueForbidden",
          "resourceVersionMatch",
          "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ],
        [
          "FieldValueForbidden",
          "resourceVersionMatch",
          "Forbidden: resourceVersionMatch is forbidden when continue is provided",
        ],
      ),
    ),
  ),
  row(
    "a token that is not base64: 400",
    get("configmaps?continue=a%2Bb", invalid(": illegal base64 data at input byte 1")),
  ),
  row(
    "a token with padding: 400",
    get("configmaps?continue=YQ%3D%3D", invalid(": illegal base64 data at input byte 2")),
  ),
  row(
    "a token of an impossible length: 400",
    get("configmaps?continue=aaaaa", invalid(": illegal base64 data at input byte 4")),
  ),
  row(
    "a token that is not JSON: 400",
    get(`configmaps?continue=${raw("abc")}`, invalid(": invalid character 'a' looking for beginning of value")),
  ),
  row(
    "a token that ends too early: 400",
    get(`configmaps?continue=${raw('{"v":')}`, invalid(": unexpected end of JSON input")),
  ),
  row(
    "a token of an unknown version: 400",
    get(
      `configmaps?continue=${token({ v: "meta.k8s.io/v2", rv: 1, start: "a" })}`,
      invalid(": server does not recognize this encoded version meta.k8s.io/v2"),
    ),
  ),
  row(
    "a token without a version of the store: 400",
    get(
      `configmaps?continue=${token({ v: V1, start: "a" })}`,
      invalid(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)"),
    ),
  ),
  row(
    "a token with an empty key: 400",
    get(
      `configmaps?continue=${token({ v: V1, rv: 1, start: "" })}`,
      invalid(": encoded start key empty (version meta.k8s.io/v1)"),
    ),
  ),
  row(
    "a token whose key climbs out of the resource: 400",
    get(
      `configmaps?continue=${token({ v: V1, rv: 1, start: "../../secrets/kube-system/" })}`,
      invalid(": ../../secrets/kube-system/"),
    ),
  ),
  row(
    "a token whose key climbs and comes back: 400",
    get(`configmaps?continue=${token({ v: V1, rv: 1, start: "a/../b" })}`, invalid(": a/../b")),
  ),
  row(
    "a token whose key has empty parts: 400",
    get(`configmaps?continue=${token({ v: V1, rv: 1, start: "//a" })}`, invalid(": //a")),
  ),
  row(
    "a token whose key begins with a slash is taken",
    ...createAll("a", "b"),
    get(`configmaps?continue=${token({ v: V1, rv: -1, start: "/b" })}`, { items: ["b"], at: "{b}" }),
  ),
  row(
    "a token at version -1 goes on with what is current",
    ...createAll("a", "b", "c"),
    remove("b"),
    get(`configmaps?limit=1&continue=${token({ v: V1, rv: -1, start: "a\0" })}`, { items: ["c"], at: "{b:2}" }),
  ),
  row(
    "the next token after one at -1 is consistent again",
    ...createAll("a", "b", "c"),
    get(`configmaps?limit=1&continue=${token({ v: V1, rv: -1, start: "a\0" })}`, page(["b"], "b", 1, "{c}")),
    create("d"),
    get("configmaps?continue={continue}", { items: ["c"], at: "{c}" }),
  ),
  row(
    "a token at a version that does not come: 504",
    get(`configmaps?continue=${token({ v: V1, rv: 1_000_000_000, start: "a" })}`, tooLarge("1000000000"), {
      passing: 3000,
    }),
  ),
  ownRow(
    "a token that is too old: 410 with one to go on with",
    { historyBytes: 1 },
    ...createAll("a", "b", "c"),
    get("configmaps?limit=1", page(["a"], "a", 2, "{c}")),
    ...Array.from({ length: 20 }, (_, index) => create(`x${index}`)),
    // Other states that are asked for push this one out of the few that are kept.
    ...Array.from({ length: 20 }, (_, index) => [
      touch("c", String(index)),
      get("configmaps?limit=1", { body: {} }),
    ]).flat(),
    compact("{now}"),
    get(`configmaps?limit=1&continue=${token({ v: V1, rv: 5, start: "a\0" })}`, {
      ...refused(410, "Expired", EXPIRED),
      next: { after: "a", at: "-1" },
    }),
    remove("b"),
    get("configmaps?limit=1&continue={continue}", {
      items: ["c"],
      at: "{now}",
      next: { after: "c", at: "{now}" },
      remaining: 20,
    }),
  ),
];
