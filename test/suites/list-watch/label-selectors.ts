import { row } from "./runner/row.js";
import { badRequest, create, events, get, label, watch } from "./runner/steps.js";

const objects = [
  create("a", { app: "web", tier: "front" }),
  create("b", { app: "web" }),
  create("c", { app: "db", n: "5" }),
  create("d"),
];

const selections: readonly (readonly [string, readonly string[]])[] = [
  ["", ["a", "b", "c", "d"]],
  ["app=web", ["a", "b"]],
  ["app==web", ["a", "b"]],
  ["app = web", ["a", "b"]],
  ["app!=web", ["c", "d"]],
  ["app in (web,db)", ["a", "b", "c"]],
  ["app in (db)", ["c"]],
  ["app notin (web)", ["c", "d"]],
  ["app notin (web,db)", ["d"]],
  ["app", ["a", "b", "c"]],
  ["!app", ["d"]],
  ["!tier", ["b", "c", "d"]],
  ["app=web,tier=front", ["a"]],
  ["app=web,!tier", ["b"]],
  ["app=web,app=db", []],
  ["app=", []],
  ["app!=", ["a", "b", "c", "d"]],
  ["n>4", ["c"]],
  ["n>5", []],
  ["n<6", ["c"]],
  ["app>4", []],
];

const refusals: readonly (readonly [string, string])[] = [
  ["app=(", "unable to parse requirement: found '(', expected: identifier"],
  ["app in web", "unable to parse requirement: found 'web' expected: '('"],
  ["app in (web", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["app web", "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt"],
  [",app", "found ',', expected: !, identifier, or 'end of string'"],
  ["app,", "found '', expected: identifier after ','"],
  [
    "n>x",
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    "app=a/b",
    `unable to parse requirement: values[0][app]: Invalid value: "a/b": a valid label must be an empty string or consist of ` +
      "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  " +
      "or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
];

export const labelSelectorsRows = [
  ...selections.map(([selector, items]) =>
    row(
      `${JSON.stringify(selector)} selects ${items.length === 0 ? "nothing" : items.join(" ")}`,
      ...objects,
      get(`configmaps?labelSelector=${encodeURIComponent(selector)}`, { items, at: "{d}" }),
    ),
  ),
  ...refusals.map(([selector, message]) =>
    row(
      `${JSON.stringify(selector)} is refused: 400`,
      get(`configmaps?labelSelector=${encodeURIComponent(selector)}`, badRequest(message)),
    ),
  ),
  row(
    "a watch refuses a broken selector before it begins: 400",
    get(
      "configmaps?watch=true&labelSelector=app%3D(",
      badRequest("unable to parse requirement: found '(', expected: identifier"),
    ),
  ),
  row(
    "a watch by a set",
    watch("configmaps?watch=true&resourceVersion={now}&labelSelector=app%20in%20(web,db)"),
    create("a", { app: "web" }),
    create("b", { app: "cache" }),
    create("c", { app: "db" }),
    events("ADDED a@{a}", "ADDED c@{c}"),
  ),
  row(
    "a watch by a label that must not be there",
    watch("configmaps?watch=true&resourceVersion={now}&labelSelector=!app"),
    create("a", { app: "web" }),
    create("b"),
    label("a", { app: null }),
    events("ADDED b@{b}", "ADDED a@{a:2}"),
  ),
];
