import { row } from "./runner/row.js";
import { badRequest, create, get, invalidOptions, refused } from "./runner/steps.js";

const MATCH = "resourceVersionMatch";
const FORBIDDEN = "FieldValueForbidden";
const needsMatch = [
  FORBIDDEN,
  MATCH,
  "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
] as const;
const needsInitial = [
  FORBIDDEN,
  MATCH,
  "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
] as const;
const withContinue = [
  FORBIDDEN,
  MATCH,
  "Forbidden: resourceVersionMatch is forbidden when continue is provided",
] as const;
const onlyNotOlder = (value: string) =>
  ["FieldValueNotSupported", MATCH, `Unsupported value: "${value}": supported values: "NotOlderThan"`] as const;
const malformed = (text: string, problem: string) => {
  const body = `Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${problem}`;
  return refused(422, "Invalid", `configmaps "" is invalid: resourceVersion: ${body}`, {
    kind: "configmaps",
    causes: [{ reason: "FieldValueInvalid", message: body, field: "resourceVersion" }],
  });
};

export const watchValidationRows = [
  row(
    "sendInitialEvents without a match: 422",
    get("configmaps?watch=true&sendInitialEvents=true", invalidOptions(needsMatch)),
  ),
  row(
    "sendInitialEvents=false without a match: 422",
    get("configmaps?watch=true&sendInitialEvents=false", invalidOptions(needsMatch)),
  ),
  row(
    "sendInitialEvents with Exact: 422 for both reasons",
    get(
      "configmaps?watch=true&sendInitialEvents=true&resourceVersion=1&resourceVersionMatch=Exact",
      invalidOptions(needsMatch, onlyNotOlder("Exact")),
    ),
  ),
  row(
    "a match without sendInitialEvents: 422",
    get("configmaps?watch=true&resourceVersion=1&resourceVersionMatch=NotOlderThan", invalidOptions(needsInitial)),
  ),
  row(
    "a match without sendInitialEvents and without a version: 422",
    get("configmaps?watch=true&resourceVersionMatch=NotOlderThan", invalidOptions(needsInitial)),
  ),
  row(
    "Exact without sendInitialEvents: 422 for both reasons",
    get(
      "configmaps?watch=true&resourceVersion=1&resourceVersionMatch=Exact",
      invalidOptions(needsInitial, onlyNotOlder("Exact")),
    ),
  ),
  row(
    "an unknown match: 422",
    get("configmaps?watch=true&resourceVersionMatch=Newer", invalidOptions(needsInitial, onlyNotOlder("Newer"))),
  ),
  row(
    "a match with a continue token: 422",
    get(
      "configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
      invalidOptions(withContinue),
    ),
  ),
  row(
    "a continue token without a version: 422, because such a watch is a streamed list",
    get("configmaps?watch=true&continue=x", invalidOptions(withContinue)),
  ),
  row(
    "words for a version: 422, of the resource",
    get("configmaps?watch=true&resourceVersion=x", malformed("x", "invalid syntax")),
  ),
  row("a negative version: 422", get("configmaps?watch=true&resourceVersion=-1", malformed("-1", "invalid syntax"))),
  row(
    "a version beyond 64 bits: 422",
    get(
      "configmaps?watch=true&resourceVersion=18446744073709551616",
      malformed("18446744073709551616", "value out of range"),
    ),
  ),
  row(
    "the group is part of the resource",
    get(
      "/apis/apps/v1/namespaces/{ns}/deployments?watch=true&resourceVersion=x",
      refused(
        422,
        "Invalid",
        'deployments.apps "" is invalid: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        {
          group: "apps",
          kind: "deployments",
          causes: [
            {
              reason: "FieldValueInvalid",
              message: 'Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
              field: "resourceVersion",
            },
          ],
        },
      ),
    ),
  ),
  row(
    "a timeout in words: 400",
    get("configmaps?watch=true&timeoutSeconds=soon", badRequest('strconv.ParseInt: parsing "soon": invalid syntax')),
  ),
  row(
    "an unknown field: 400",
    get(
      "configmaps?watch=true&fieldSelector=a%3Db",
      badRequest('"a" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    ),
  ),
  row(
    "the old path has the rules of a list, as long as it does not say watch=true",
    get(
      "/api/v1/watch/namespaces/{ns}/configmaps?sendInitialEvents=true",
      invalidOptions([FORBIDDEN, "sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list"]),
    ),
    get("/api/v1/watch/namespaces/{ns}/configmaps?watch=true&sendInitialEvents=true", invalidOptions(needsMatch)),
  ),
  row(
    "a type that no stream is made of: 406",
    create("a"),
    get(
      "configmaps?watch=true",
      (answer) => {
        if (answer.status !== 406) throw new Error(answer.text);
      },
      { accept: "application/yaml" },
    ),
  ),
];
