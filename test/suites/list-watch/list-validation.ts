import { row } from "./runner/row.js";
import { badRequest, create, get, invalidOptions, refused, send } from "./runner/steps.js";

const FORBIDDEN = "FieldValueForbidden";
const MATCH = "resourceVersionMatch";
const noVersion = [
  FORBIDDEN,
  MATCH,
  "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
] as const;
const exactZero = [
  FORBIDDEN,
  MATCH,
  'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
] as const;
const initialEvents = [FORBIDDEN, "sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list"] as const;
const unknownMatch = (value: string) =>
  [
    "FieldValueNotSupported",
    MATCH,
    `Unsupported value: "${value}": supported values: "Exact", "NotOlderThan", ""`,
  ] as const;
const notInteger = (text: string, problem = "invalid syntax") =>
  badRequest(`strconv.ParseInt: parsing "${text}": ${problem}`);

export const listValidationRows = [
  row(
    "NotOlderThan without a version: 422",
    get("configmaps?resourceVersionMatch=NotOlderThan", invalidOptions(noVersion)),
  ),
  row("Exact without a version: 422", get("configmaps?resourceVersionMatch=Exact", invalidOptions(noVersion))),
  row("Exact at 0: 422", get("configmaps?resourceVersion=0&resourceVersionMatch=Exact", invalidOptions(exactZero))),
  row(
    "an unknown match: 422",
    get("configmaps?resourceVersion=1&resourceVersionMatch=Newer", invalidOptions(unknownMatch("Newer"))),
  ),
  row(
    "a match is case-sensitive: 422",
    get("configmaps?resourceVersion=1&resourceVersionMatch=exact", invalidOptions(unknownMatch("exact"))),
  ),
  row(
    "an unknown match without a version: 422 for both",
    get("configmaps?resourceVersionMatch=Newer", invalidOptions(noVersion, unknownMatch("Newer"))),
  ),
  row("an empty match is none", create("a"), get("configmaps?resourceVersionMatch=", { items: ["a"] })),
  row("sendInitialEvents=true: 422", get("configmaps?sendInitialEvents=true", invalidOptions(initialEvents))),
  row("sendInitialEvents=false: 422", get("configmaps?sendInitialEvents=false", invalidOptions(initialEvents))),
  row(
    "sendInitialEvents and an unknown match: 422 for both",
    get(
      "configmaps?resourceVersion=1&resourceVersionMatch=Newer&sendInitialEvents=true",
      invalidOptions(unknownMatch("Newer"), initialEvents),
    ),
  ),
  row("a limit in words: 400", get("configmaps?limit=ten", notInteger("ten"))),
  row("an empty limit: 400", get("configmaps?limit=", notInteger(""))),
  row("a fraction of a limit: 400", get("configmaps?limit=1.5", notInteger("1.5"))),
  row(
    "a limit beyond 64 bits: 400",
    get("configmaps?limit=9223372036854775808", notInteger("9223372036854775808", "value out of range")),
  ),
  row("the greatest limit", create("a"), get("configmaps?limit=9223372036854775807", { items: ["a"] })),
  row("timeoutSeconds in words: 400", get("configmaps?timeoutSeconds=soon", notInteger("soon"))),
  row("timeoutSeconds is read before the limit", get("configmaps?limit=ten&timeoutSeconds=soon", notInteger("soon"))),
  row("a list does not wait for timeoutSeconds", create("a"), get("configmaps?timeoutSeconds=60", { items: ["a"] })),
  row(
    "a list takes allowWatchBookmarks and does nothing with it",
    create("a"),
    get("configmaps?allowWatchBookmarks=true", { items: ["a"] }),
  ),
  row("a parameter that nobody knows is not read", create("a"), get("configmaps?colour=blue", { items: ["a"] })),
  row("numbers are judged before selectors", get("configmaps?labelSelector=%3D%3D%3D&limit=ten", notInteger("ten"))),
  row(
    "a label selector is judged before a field selector",
    get(
      "configmaps?fieldSelector=nonsense&labelSelector=a%20b",
      badRequest("unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ),
  ),
  row(
    "selectors are parsed before options are judged",
    get(
      "configmaps?resourceVersionMatch=Exact&fieldSelector=nonsense",
      badRequest("invalid selector: 'nonsense'; can't understand 'nonsense'"),
    ),
  ),
  row(
    "options are judged before the fields of a selector",
    get("configmaps?resourceVersionMatch=Exact&fieldSelector=spec.colour%3Dblue", invalidOptions(noVersion)),
  ),
  row(
    "deletecollection has the rules of a list",
    send("DELETE", "configmaps?resourceVersionMatch=Exact", invalidOptions(noVersion)),
  ),
  row(
    "a request for a type that nobody makes: 406",
    get(
      "configmaps",
      (answer) => {
        if (answer.status !== 406 || answer.at("reason") !== "NotAcceptable") throw new Error(answer.text);
      },
      { accept: "application/msword" },
    ),
  ),
  row(
    "PUT to a collection: 405",
    send(
      "PUT",
      "configmaps",
      refused(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
      {},
    ),
  ),
];
