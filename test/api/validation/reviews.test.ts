import { describe, expect, it } from "vitest";
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from "../../../src/api/validation/reviews.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

const KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const pods = { verb: "get", resource: "pods" };
const health = { path: "/healthz", verb: "get" };
const EXACTLY =
  "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
const BOTH =
  'spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: cannot be specified in combination with resourceAttributes';
const SOMEBODY = 'spec.user: Invalid value: "": at least one of user or group must be specified';

type Row = readonly [what: string, review: KubeObject, errors: readonly string[]];

const OTHERS: readonly Row[] = [
  ["a question about a resource", { spec: { user: "u", resourceAttributes: pods } }, []],
  ["a question about a path", { spec: { groups: ["g"], nonResourceAttributes: health } }, []],
  ["nothing", {}, [EXACTLY, SOMEBODY]],
  ["both", { spec: { user: "u", resourceAttributes: pods, nonResourceAttributes: health } }, [BOTH]],
  [
    "a name",
    { metadata: { name: "a" }, spec: { user: "u", resourceAttributes: pods } },
    ['metadata: Invalid value: {"name":"a"}: must be empty'],
  ],
  [
    "who wrote it",
    { metadata: { managedFields: [{ manager: "m" }] }, spec: { user: "u", resourceAttributes: pods } },
    [],
  ],
];

const FIELDS = "spec.resourceAttributes.fieldSelector";
const LABELS = "spec.resourceAttributes.labelSelector";
const selecting = (selectors: object): KubeObject => ({
  spec: { user: "u", resourceAttributes: { ...pods, ...selectors } },
});

const SELECTORS: readonly Row[] = [
  ["a field selector as text", selecting({ fieldSelector: { rawSelector: "a=b" } }), []],
  [
    "a field selector in parts",
    selecting({ fieldSelector: { requirements: [{ key: "a", operator: "In", values: ["b"] }] } }),
    [],
  ],
  [
    "a field selector both ways",
    selecting({ fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "Exists" }] } }),
    [`${FIELDS}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`],
  ],
  [
    "an empty field selector",
    selecting({ fieldSelector: {} }),
    [`${FIELDS}.requirements: Required value: when ${FIELDS} is specified, requirements or rawSelector is required`],
  ],
  [
    "fields without a key, without values and with too many",
    selecting({
      fieldSelector: {
        requirements: [
          { operator: "In", values: ["b"] },
          { key: "a", operator: "NotIn" },
          { key: "a", operator: "Exists", values: ["b"] },
        ],
      },
    }),
    [
      `${FIELDS}.requirements[0].key: Required value: must be specified`,
      `${FIELDS}.requirements[1].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${FIELDS}.requirements[2].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ],
  ],
  [
    "an operator that nobody knows yet",
    selecting({ fieldSelector: { requirements: [{ key: "a", operator: "Like" }] } }),
    [],
  ],
  [
    "a label's key with a space",
    selecting({ labelSelector: { requirements: [{ key: "a b", operator: "Exists" }] } }),
    [`${LABELS}.requirements[0].key: Invalid value: "a b": ${KEY}`],
  ],
  [
    "an empty label selector",
    selecting({ labelSelector: {} }),
    [`${LABELS}.requirements: Required value: when ${LABELS} is specified, requirements or rawSelector is required`],
  ],
];

const OWN: readonly Row[] = [
  ["a question", { spec: { resourceAttributes: pods } }, []],
  ["nothing", {}, [EXACTLY]],
  ["both", { spec: { resourceAttributes: pods, nonResourceAttributes: health } }, [BOTH]],
  [
    "a label",
    { metadata: { labels: { a: "b" } }, spec: { nonResourceAttributes: health } },
    ['metadata: Invalid value: {"labels":{"a":"b"}}: must be empty'],
  ],
];

const HERE: readonly Row[] = [
  [
    "a question about its namespace",
    { metadata: { namespace: "n" }, spec: { user: "u", resourceAttributes: { ...pods, namespace: "n" } } },
    [],
  ],
  [
    "a question about another namespace",
    { metadata: { namespace: "n" }, spec: { user: "u", resourceAttributes: { ...pods, namespace: "m" } } },
    ['spec.resourceAttributes.namespace: Invalid value: "m": must match metadata.namespace'],
  ],
  [
    "a name",
    { metadata: { namespace: "n", name: "a" }, spec: { user: "u", resourceAttributes: { ...pods, namespace: "n" } } },
    ['metadata: Invalid value: {"namespace":"n","name":"a"}: must be empty except for namespace'],
  ],
  [
    "a question about a path",
    { metadata: { namespace: "n" }, spec: { user: "u", nonResourceAttributes: health } },
    ['spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: disallowed on this kind of request'],
  ],
];

describe.each([
  ["a SubjectAccessReview", validateSubjectAccessReview, OTHERS],
  ["a SubjectAccessReview with selectors", validateSubjectAccessReview, SELECTORS],
  ["a SelfSubjectAccessReview", validateSelfSubjectAccessReview, OWN],
  ["a LocalSubjectAccessReview", validateLocalSubjectAccessReview, HERE],
] as const)("validation of %s", (_kind, validate, rows) => {
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, review, errors) => {
    expect(validate(review).map(formatFieldError)).toEqual(errors);
  });
});
