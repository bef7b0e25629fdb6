import { describe, expect, it } from "vitest";
import { type Changes, createErrors, statusErrors, updateErrors, warnings } from "./good-objects.js";

const CRD = "apiextensions.k8s.io/customresourcedefinitions";
const DNS1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const PLACE = "spec.versions.0.schema.openAPIV3Schema";
const AT = "spec.validation.openAPIV3Schema";
const SPEC = `${PLACE}.properties.spec`;
const AT_SPEC = `${AT}.properties[spec]`;
const OTHER = { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } };
const APPROVAL =
  'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111';

/** A version without its own parts, as an error shows it. */
const shownVersion = (name: string, storage: boolean) =>
  `{"Name":"${name}","Served":true,"Storage":${storage},"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`;

type Row = readonly [what: string, changes: Changes, errors: readonly string[]];

const WHOLE: readonly Row[] = [
  ["a good one", {}, []],
  [
    "a name that is not of its names",
    { "metadata.name": "a" },
    ['metadata.name: Invalid value: "a": must be spec.names.plural+"."+spec.group'],
  ],
  [
    "no group",
    { "spec.group": undefined, "metadata.name": "crons." },
    [`metadata.name: Invalid value: "crons.": ${SUBDOMAIN}`, "spec.group: Required value"],
  ],
  [
    "a group without a dot",
    { "spec.group": "example", "metadata.name": "crons.example" },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    "a group in capitals",
    { "spec.group": "Example.com" },
    [
      'metadata.name: Invalid value: "crons.example.com": must be spec.names.plural+"."+spec.group',
      `spec.group: Invalid value: "Example.com": ${SUBDOMAIN}`,
    ],
  ],
  ["no scope", { "spec.scope": undefined }, ["spec.scope: Required value"]],
  [
    "an odd scope",
    { "spec.scope": "Galaxy" },
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    "no schema",
    { "spec.versions.0.schema": undefined },
    ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"],
  ],
  [
    "no schema in what should hold one",
    { "spec.versions.0.schema": {} },
    ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"],
  ],
  [
    "a schema in one version of two",
    { "spec.versions.1": { ...OTHER, schema: undefined } },
    ["spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required"],
  ],
  [
    "no versions",
    { "spec.versions": [] },
    [
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ],
  ],
  [
    "no version that is stored",
    { "spec.versions.0.storage": false },
    [
      `spec.versions: Invalid value: [${shownVersion("v1", false)}]: must have exactly one version marked as storage version`,
    ],
  ],
  [
    "one version twice",
    {
      "spec.versions.1": {
        name: "v1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
      },
    },
    [
      `spec.versions: Invalid value: [${shownVersion("v1", true)},${shownVersion("v1", false)}]: must contain unique version names`,
    ],
  ],
  [
    "a version's name in capitals",
    { "spec.versions.0.name": "V1", "status.storedVersions": ["V1"] },
    [`spec.versions[0].name: Invalid value: "V1": ${DNS1035}`, `spec.version: Invalid value: "V1": ${DNS1035}`],
  ],
  ["two versions that differ", { "spec.versions.1": OTHER }, []],
  [
    "no plural",
    { "spec.names.plural": undefined, "metadata.name": "a.example.com" },
    [
      'metadata.name: Invalid value: "a.example.com": must be spec.names.plural+"."+spec.group',
      "spec.names.plural: Required value",
    ],
  ],
  [
    "no kind",
    { "spec.names.kind": undefined },
    ["spec.names.singular: Required value", "spec.names.kind: Required value", "spec.names.listKind: Required value"],
  ],
  [
    "a kind with a dot",
    { "spec.names.kind": "Cr.on", "spec.names.listKind": "Crons", "spec.names.singular": "cron" },
    [`spec.names.kind: Invalid value: "Cr.on": may have mixed case, but should otherwise match: ${DNS1035}`],
  ],
  [
    "a list's kind that is the kind",
    { "spec.names.listKind": "Cron" },
    ['spec.names.listKind: Invalid value: "Cron": kind and listKind may not be the same'],
  ],
  [
    "a short name in capitals",
    { "spec.names.shortNames": ["CR"] },
    [`spec.names.shortNames[0]: Invalid value: "CR": ${DNS1035}`],
  ],
  ["an empty category", { "spec.names.categories": [""] }, [`spec.names.categories[0]: Invalid value: "": ${DNS1035}`]],
  [
    "unknown fields preserved",
    { "spec.preserveUnknownFields": true },
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  ["no stored version", { "status.storedVersions": [] }, []],
  [
    "another stored version",
    { "status.storedVersions": ["v0"] },
    [
      'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  ],
  [
    "Kubernetes' own group without an approval",
    { "spec.group": "x.k8s.io", "metadata.name": "crons.x.k8s.io" },
    [`metadata.annotations[api-approved.kubernetes.io]: Required value: ${APPROVAL}`],
  ],
  [
    "Kubernetes' own group with an odd approval",
    {
      "spec.group": "kubernetes.io",
      "metadata.name": "crons.kubernetes.io",
      "metadata.annotations": { "api-approved.kubernetes.io": "yes" },
    },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    "Kubernetes' own group, not approved and saying so",
    {
      "spec.group": "x.k8s.io",
      "metadata.name": "crons.x.k8s.io",
      "metadata.annotations": { "api-approved.kubernetes.io": "unapproved, a trial" },
    },
    [],
  ],
  [
    "Kubernetes' own group with its approval",
    {
      "spec.group": "x.k8s.io",
      "metadata.name": "crons.x.k8s.io",
      "metadata.annotations": { "api-approved.kubernetes.io": "https://example.com/pull/1" },
    },
    [],
  ],
];

const VERSION = "spec.versions.0";
const NINE = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
const PARTS: readonly Row[] = [
  [
    "a warning of a version that is not deprecated",
    { [`${VERSION}.deprecationWarning`]: "gone soon" },
    ['spec.versions[0].deprecationWarning: Invalid value: "gone soon": can only be set for deprecated versions'],
  ],
  ["a deprecated version", { [`${VERSION}.deprecated`]: true, [`${VERSION}.deprecationWarning`]: "gone soon" }, []],
  [
    "an empty warning",
    { [`${VERSION}.deprecated`]: true, [`${VERSION}.deprecationWarning`]: "" },
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    "a warning with a tab",
    { [`${VERSION}.deprecated`]: true, [`${VERSION}.deprecationWarning`]: "gone\tsoon" },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "gone\\tsoon": must only contain printable UTF-8 characters; non-printable character found at index 4',
    ],
  ],
  [
    "a long warning",
    { [`${VERSION}.deprecated`]: true, [`${VERSION}.deprecationWarning`]: "x".repeat(257) },
    [`spec.versions[0].deprecationWarning: Invalid value: "${"x".repeat(257)}": must be <= 256 characters long`],
  ],
  [
    "a column without anything",
    { [`${VERSION}.additionalPrinterColumns`]: [{}] },
    [
      "spec.additionalPrinterColumns[0].name: Required value",
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
    ],
  ],
  [
    "a column of odd type, format and path",
    {
      [`${VERSION}.additionalPrinterColumns`]: [{ name: "A", type: "text", format: "int8", jsonPath: "spec.a" }],
    },
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "int8": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .',
    ],
  ],
  [
    "a column",
    { [`${VERSION}.additionalPrinterColumns`]: [{ name: "A", type: "integer", format: "int32", jsonPath: ".spec.a" }] },
    [],
  ],
  [
    "columns of one version of two",
    {
      [`${VERSION}.additionalPrinterColumns`]: [{ name: "A", type: "text", jsonPath: ".spec.a" }],
      "spec.versions.1": OTHER,
    },
    [
      'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    "a scale without paths",
    { [`${VERSION}.subresources`]: { scale: {} } },
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      "spec.subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  [
    "a scale whose paths lead elsewhere",
    {
      [`${VERSION}.subresources`]: {
        scale: { specReplicasPath: ".status.a", statusReplicasPath: "status.a", labelSelectorPath: ".metadata.a" },
      },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "status.a": must be a simple json path starting with .',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.a": should be a json path under either .spec or .status',
    ],
  ],
  [
    "a scale",
    {
      [`${VERSION}.subresources`]: {
        status: {},
        scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", labelSelectorPath: ".status.b" },
      },
    },
    [],
  ],
  [
    "selectable fields that cannot be",
    {
      [`${SPEC}.properties`]: { a: { type: "string" }, l: { type: "array", items: { type: "string" } } },
      [`${PLACE}.properties.metadata`]: { type: "object", properties: { name: { type: "string" } } },
      [`${VERSION}.selectableFields`]: [
        { jsonPath: "" },
        { jsonPath: ".spec.b" },
        { jsonPath: ".metadata.name" },
        { jsonPath: ".spec.l" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec['a']" },
      ],
    },
    [
      "spec.selectableFields[0].jsonPath: Required value",
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[2].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.l": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[5].jsonPath: Duplicate value: ".spec.a"',
      `spec.selectableFields[6].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`,
    ],
  ],
  [
    "nine selectable fields",
    {
      [`${SPEC}.properties`]: Object.fromEntries(NINE.map((name) => [name, { type: "string" }])),
      [`${VERSION}.selectableFields`]: NINE.map((name) => ({ jsonPath: `.spec.${name}` })),
    },
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
  ["a conversion without a strategy", { "spec.conversion": {} }, ["spec.conversion.strategy: Required value"]],
  [
    "an odd conversion",
    { "spec.conversion": { strategy: "Magic" } },
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  [
    "a webhook without anything",
    { "spec.conversion": { strategy: "Webhook" } },
    [
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
      "spec.conversion.conversionReviewVersions: Required value",
    ],
  ],
  [
    "a webhook that is not called",
    {
      "spec.conversion": {
        strategy: "None",
        webhook: { clientConfig: { url: "https://example.com" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  [
    "a webhook at two places",
    {
      "spec.conversion": {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: "https://example.com", service: { name: "s", namespace: "n" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    "a webhook over http that speaks no known version",
    {
      "spec.conversion": {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "http://example.com" }, conversionReviewVersions: ["v9", "v9", "V8"] },
      },
    },
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
      `spec.conversion.conversionReviewVersions[2]: Invalid value: "V8": ${DNS1035}`,
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9","V8"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "a webhook",
    {
      "spec.conversion": {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { name: "s", namespace: "n", path: "/convert" }, caBundle: "bm8=" },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [],
  ],
];

const SCHEMA: readonly Row[] = [
  [
    "an odd type",
    { [`${SPEC}.type`]: "text" },
    [
      `${AT_SPEC}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    "no type",
    { [`${SPEC}.type`]: undefined },
    [`${AT_SPEC}.type: Required value: must not be empty for specified object fields`],
  ],
  [
    "no type of items",
    { [SPEC]: { type: "array", items: {} } },
    [`${AT_SPEC}.items.type: Required value: must not be empty for specified array items`],
  ],
  ["no items", { [SPEC]: { type: "array" } }, [`${AT_SPEC}.items: Required value: must be specified`]],
  [
    "no type at the root",
    { [`${PLACE}.type`]: undefined },
    [`${AT}.type: Required value: must not be empty at the root`],
  ],
  [
    "a string at the root",
    { [PLACE]: { type: "string" } },
    [`${AT}.type: Invalid value: "string": must be object at the root`],
  ],
  [
    "a nullable root",
    { [`${PLACE}.nullable`]: true },
    [`${AT}.nullable: Forbidden: nullable cannot be true at the root`],
  ],
  [
    "any field at the root",
    { [PLACE]: { type: "object", additionalProperties: { type: "string" } } },
    [`${AT}.additionalProperties: Forbidden: must not be used at the root`],
  ],
  [
    "fields, and any other",
    { [SPEC]: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false } },
    [`${AT_SPEC}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    "a null",
    { [SPEC]: { type: "null" } },
    [
      `${AT_SPEC}.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${AT_SPEC}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
  ],
  [
    "what is not supported",
    {
      [`${SPEC}.id`]: "i",
      [`${SPEC}.$ref`]: "#/a",
      [`${SPEC}.definitions`]: { a: { type: "string" } },
      [`${SPEC}.patternProperties`]: { a: { type: "string" } },
    },
    [
      `${AT_SPEC}.id: Forbidden: id is not supported`,
      `${AT_SPEC}.patternProperties: Forbidden: patternProperties is not supported`,
      `${AT_SPEC}.definitions: Forbidden: definitions is not supported`,
      `${AT_SPEC}.$ref: Forbidden: $ref is not supported`,
    ],
  ],
  [
    "a $schema",
    { [`${SPEC}.$schema`]: "http://json-schema.org/schema#" },
    [`${AT}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
  ],
  [
    "items in a list",
    { [SPEC]: { type: "array", items: [{ type: "string" }] } },
    [`${AT_SPEC}.items: Forbidden: items must be a schema object and not an array`],
  ],
  [
    "items that are unique",
    { [SPEC]: { type: "array", uniqueItems: true, items: { type: "string" } } },
    [
      `${AT_SPEC}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  [
    "a type inside anyOf",
    { [`${SPEC}.anyOf`]: [{ type: "string", description: "d", nullable: true, default: 1, title: "t" }] },
    [
      `${AT_SPEC}.anyOf[0].default: Forbidden: must be undefined to be structural`,
      `${AT_SPEC}.anyOf[0].description: Forbidden: must be empty to be structural`,
      `${AT_SPEC}.anyOf[0].nullable: Forbidden: must be false to be structural`,
      `${AT_SPEC}.anyOf[0].title: Forbidden: must be empty to be structural`,
      `${AT_SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    "a field that only oneOf knows",
    { [`${PLACE}.oneOf`]: [{ properties: { a: { minimum: 1 } } }] },
    [`${AT}.properties[a]: Required value: because it is defined in ${AT}.oneOf[0].properties[a]`],
  ],
  [
    "items that only not knows",
    { [`${PLACE}.not`]: { properties: { spec: { items: { minLength: 1 } } } } },
    [`${AT_SPEC}.items: Required value: because it is defined in ${AT}.not.properties[spec].items`],
  ],
  // Kubernetes looks for this at the root alone.
  ["a field that only oneOf knows, further inside", { [`${SPEC}.oneOf`]: [{ properties: { a: { minimum: 1 } } }] }, []],
  [
    "a field that allOf narrows",
    {
      [`${SPEC}.properties`]: { a: { type: "string" } },
      [`${SPEC}.allOf`]: [{ required: ["a"], properties: { a: { minLength: 1 } } }],
    },
    [],
  ],
  [
    "metadata in a nested place",
    {
      [`${PLACE}.anyOf`]: [{ properties: { metadata: { minProperties: 1 } } }],
      [`${PLACE}.properties.metadata`]: { type: "object" },
    },
    [`${AT}.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context`],
  ],
  [
    "metadata that says more than names",
    { [`${PLACE}.properties.metadata`]: { type: "object", properties: { labels: { type: "object" } } } },
    [
      `${AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ],
  ],
  [
    "metadata that narrows names",
    { [`${PLACE}.properties.metadata`]: { type: "object", properties: { name: { type: "string", maxLength: 5 } } } },
    [],
  ],
  [
    "metadata that is a string",
    { [`${PLACE}.properties.metadata`]: { type: "string" } },
    [`${AT}.properties[metadata].type: Invalid value: "string": must be object`],
  ],
  [
    "a kind that is a number",
    { [`${PLACE}.properties.kind`]: { type: "integer" } },
    [`${AT}.properties[kind].type: Invalid value: "integer": must be string`],
  ],
  [
    "a number or a string",
    { [SPEC]: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] } },
    [],
  ],
  [
    "a number or a string, and more",
    {
      [SPEC]: {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "a" }],
      },
    },
    [],
  ],
  [
    "a string or a number",
    { [SPEC]: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] } },
    [
      `${AT_SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`,
      `${AT_SPEC}.anyOf[1].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    "a number or a string with any field",
    { [SPEC]: { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true } },
    [
      `${AT_SPEC}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
    ],
  ],
  [
    "unknown fields not preserved",
    { [`${SPEC}.x-kubernetes-preserve-unknown-fields`]: false },
    [`${AT_SPEC}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
  ],
  ["anything", { [SPEC]: { "x-kubernetes-preserve-unknown-fields": true } }, []],
  [
    "a resource inside without fields",
    { [SPEC]: { type: "object", "x-kubernetes-embedded-resource": true } },
    [
      `${AT_SPEC}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
  ],
  [
    "a resource inside without a type",
    { [SPEC]: { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } },
    [`${AT_SPEC}.type: Required value: must be object if x-kubernetes-embedded-resource is true`],
  ],
  [
    "a resource inside",
    {
      [SPEC]: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    },
    [],
  ],
  [
    "a pattern that Go does not read",
    { [SPEC]: { type: "string", pattern: "a(b" } },
    [
      `${AT_SPEC}.pattern: Invalid value: "a(b": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`a(b\``,
    ],
  ],
  [
    "a pattern that looks ahead",
    { [SPEC]: { type: "string", pattern: "^(?!a)" } },
    [
      `${AT_SPEC}.pattern: Invalid value: "^(?!a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?!\``,
    ],
  ],
  [
    "a pattern with a range that is none",
    { [SPEC]: { type: "string", pattern: "[z-a]" } },
    [
      `${AT_SPEC}.pattern: Invalid value: "[z-a]": must be a valid regular expression, but isn't: error parsing regexp: invalid character class range: \`z-a\``,
    ],
  ],
  [
    "a pattern that repeats too often",
    { [SPEC]: { type: "string", pattern: "a{1001}" } },
    [
      `${AT_SPEC}.pattern: Invalid value: "a{1001}": must be a valid regular expression, but isn't: error parsing regexp: invalid repeat count: \`{1001}\``,
    ],
  ],
  [
    "a pattern that ends in a backslash",
    { [SPEC]: { type: "string", pattern: "a\\" } },
    [
      `${AT_SPEC}.pattern: Invalid value: "a\\\\": must be a valid regular expression, but isn't: error parsing regexp: trailing backslash at end of expression: \`\``,
    ],
  ],
  ["a pattern in Go's own way", { [SPEC]: { type: "string", pattern: "^(?i)(?P<a>[[:alpha:]]+)$" } }, []],
];

const LISTS: readonly Row[] = [
  [
    "a map type of a string",
    { [SPEC]: { type: "string", "x-kubernetes-map-type": "atomic" } },
    [`${AT_SPEC}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`],
  ],
  [
    "an odd map type",
    { [`${SPEC}.x-kubernetes-map-type`]: "odd" },
    [`${AT_SPEC}.x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"`],
  ],
  [
    "a list type of an object",
    { [`${SPEC}.x-kubernetes-list-type`]: "set" },
    [`${AT_SPEC}.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified`],
  ],
  [
    "an odd list type",
    { [SPEC]: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "odd" } },
    [`${AT_SPEC}.x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic", "set", "map"`],
  ],
  [
    "a set of objects",
    { [SPEC]: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" } },
    [
      `${AT_SPEC}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    "a set of sets",
    {
      [SPEC]: {
        type: "array",
        items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        "x-kubernetes-list-type": "set",
      },
    },
    [
      `${AT_SPEC}.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    "a set of atoms",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object", "x-kubernetes-map-type": "atomic" },
        "x-kubernetes-list-type": "set",
      },
    },
    [],
  ],
  [
    "keys without a list type",
    { [SPEC]: { type: "array", items: { type: "object" }, "x-kubernetes-list-map-keys": ["a"] } },
    [`${AT_SPEC}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`],
  ],
  [
    "keys of a set",
    {
      [SPEC]: {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-list-type": "set",
        "x-kubernetes-list-map-keys": ["a"],
      },
    },
    [`${AT_SPEC}.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty`],
  ],
  [
    "a map without keys",
    { [SPEC]: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" } },
    [`${AT_SPEC}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
  ],
  [
    "a map of strings",
    {
      [SPEC]: {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      },
    },
    [`${AT_SPEC}.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`],
  ],
  [
    "keys that no item has, twice",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object" },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a", "a"],
      },
    },
    [
      `${AT_SPEC}.x-kubernetes-list-map-keys: Invalid value: ["a","a"]: entries must all be names of item properties`,
      `${AT_SPEC}.x-kubernetes-list-map-keys: Invalid value: ["a","a"]: entries must all be names of item properties`,
      `${AT_SPEC}.x-kubernetes-list-map-keys: Invalid value: ["a","a"]: must not contain duplicate entries`,
    ],
  ],
  [
    "a key that may be missing",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object", nullable: true, properties: { a: { type: "string", nullable: true } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      },
    },
    [
      `${AT_SPEC}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`,
      `${AT_SPEC}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      `${AT_SPEC}.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
    ],
  ],
  [
    "a key that is a list",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object", required: ["a"], properties: { a: { type: "array", items: { type: "string" } } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      },
    },
    [
      `${AT_SPEC}.items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
    ],
  ],
  [
    "a map",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      },
    },
    [],
  ],
];

const RULE = `${SPEC}.x-kubernetes-validations.0`;
const AT_RULE = `${AT_SPEC}.x-kubernetes-validations[0]`;
const RULES: readonly Row[] = [
  ["a rule", { [`${RULE}.rule`]: "true" }, []],
  ["no rule", { [`${RULE}.message`]: "m" }, [`${AT_RULE}.rule: Required value: rule is not specified`]],
  [
    "a blank message",
    { [RULE]: { rule: "true", message: " " } },
    [`${AT_RULE}.message: Invalid value: " ": must be non-empty if specified`],
  ],
  [
    "a message in two lines",
    { [RULE]: { rule: "true", message: "a\nb" } },
    [`${AT_RULE}.message: Invalid value: "a\\nb": must not contain line breaks`],
  ],
  [
    "a rule in two lines",
    { [RULE]: { rule: "true &&\ntrue" } },
    [`${AT_RULE}.message: Required value: message must be specified if rule contains line breaks`],
  ],
  [
    "a blank expression for the message",
    { [RULE]: { rule: "true", messageExpression: " " } },
    [`${AT_RULE}.messageExpression: Required value: messageExpression must be non-empty if specified`],
  ],
  [
    "an odd reason",
    { [RULE]: { rule: "true", reason: "Odd" } },
    [
      `${AT_RULE}.reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
  ],
  [
    "a path to nowhere",
    { [RULE]: { rule: "true", fieldPath: ".a" } },
    [`${AT_RULE}.fieldPath: Invalid value: ".a": must be a valid path`],
  ],
  [
    "a path",
    { [`${SPEC}.properties`]: { "a/b": { type: "string" } }, [RULE]: { rule: "true", fieldPath: "['a.b']" } },
    [`${AT_RULE}.fieldPath: Invalid value: "['a.b']": must be a valid path`],
  ],
];

const DEFAULTS: readonly Row[] = [
  ["a default", { [`${SPEC}.properties`]: { a: { type: "string", default: "x" } } }, []],
  [
    "a default with an unknown field",
    { [`${SPEC}.default`]: { a: 1 } },
    [`${AT_SPEC}.default: Invalid value: {"a":1}: must not have unknown fields`],
  ],
  [
    "a default with any field",
    { [`${SPEC}.default`]: { a: 1 }, [`${SPEC}.x-kubernetes-preserve-unknown-fields`]: true },
    [],
  ],
  [
    "a default of a list",
    {
      [SPEC]: {
        type: "array",
        items: { type: "object", properties: { a: { type: "string" } } },
        default: [{ a: "x" }, { b: 1 }],
      },
    },
    [`${AT_SPEC}.default: Invalid value: [{"a":"x"},{"b":1}]: must not have unknown fields`],
  ],
  [
    "a default in the root's metadata",
    { [`${PLACE}.properties.metadata`]: { type: "object", properties: { name: { type: "string", default: "x" } } } },
    [`${AT}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`],
  ],
  [
    "a default of another type",
    { [`${SPEC}.properties`]: { a: { type: "string", default: 1 } } },
    [`${AT_SPEC}.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`],
  ],
  [
    "a default beyond a limit",
    { [`${SPEC}.properties`]: { a: { type: "integer", minimum: 1, default: 0 } } },
    [`${AT_SPEC}.properties[a].default: Invalid value: 0:  in body should be greater than or equal to 1`],
  ],
  [
    "a default that is none of an enum",
    { [`${SPEC}.properties`]: { a: { type: "string", enum: ["x", "y"], default: "z" } } },
    [`${AT_SPEC}.properties[a].default: Unsupported value: "z": supported values: "x", "y"`],
  ],
  [
    "a default without a required field",
    { [SPEC]: { type: "object", properties: { a: { type: "string" } }, required: ["a"], default: {} } },
    [`${AT_SPEC}.default.a: Required value`],
  ],
  [
    "a default whose fields are wrong",
    { [SPEC]: { type: "object", properties: { a: { type: "string", maxLength: 1 } }, default: { a: "xy" } } },
    [`${AT_SPEC}.default.a: Too long: may not be more than 1 byte`],
  ],
  [
    "a default that is unknown and wrong",
    { [SPEC]: { type: "object", properties: { a: { type: "string" } }, default: { a: 1, b: 2 } } },
    [
      `${AT_SPEC}.default: Invalid value: {"a":1,"b":2}: must not have unknown fields`,
      `${AT_SPEC}.default.a: Invalid value: "integer": a in body must be of type string: "integer"`,
    ],
  ],
  [
    "a default in the items of a list",
    { [SPEC]: { type: "array", items: { type: "string", format: "date", default: "now" } } },
    [`${AT_SPEC}.items.default: Invalid value: "now":  in body must be of type date: "now"`],
  ],
  [
    "a default in additionalProperties, which is not judged",
    { [SPEC]: { type: "object", additionalProperties: { type: "string", default: 1 } } },
    [],
  ],
  [
    "a default of an embedded resource",
    {
      [SPEC]: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: { apiVersion: "v1", kind: "a b" },
      },
    },
    [`${AT_SPEC}.default.kind: Invalid value: "a b": may have mixed case, but should otherwise match: ${DNS1035}`],
  ],
  [
    "a default of an embedded resource whose metadata is none",
    {
      [SPEC]: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: { apiVersion: "v1", kind: "Pod", metadata: { labels: "a" } },
      },
    },
    [
      `${AT_SPEC}.default.metadata: Invalid value: {"labels":"a"}: json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string`,
    ],
  ],
  [
    "a default within the metadata of an embedded resource",
    {
      [SPEC]: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "a/b" } } } },
      },
    },
    [
      `${AT_SPEC}.properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
    ],
  ],
  [
    "a good default within the metadata of an embedded resource",
    {
      [SPEC]: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "a" } } } },
      },
    },
    [],
  ],
];

const STATUS_ROOT: readonly Row[] = [
  ["a description", { [`${VERSION}.subresources`]: { status: {} }, [`${PLACE}.description`]: "d" }, []],
  [
    "an odd type",
    { [`${VERSION}.subresources`]: { status: {} }, [PLACE]: { type: "array", items: { type: "string" } } },
    [
      `${AT}.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
      `${AT}.type: Invalid value: "array": must be object at the root`,
    ],
  ],
];

describe("validation of a new CustomResourceDefinition", () => {
  describe.each([
    ["as a whole", WHOLE],
    ["the parts of its versions", PARTS],
    ["its schema", SCHEMA],
    ["lists and maps in its schema", LISTS],
    ["rules in its schema", RULES],
    ["defaults in its schema", DEFAULTS],
    ["its schema's root where status is written apart", STATUS_ROOT],
  ] as const)("errors: %s", (_what, rows) => {
    it.each(rows)("of a definition with: %s", (_, changes, errors) => {
      expect(createErrors(CRD, changes)).toEqual(errors);
    });
  });

  it("with a status subresource refuses more root fields than those that its error lists", () => {
    const [error = "", ...others] = createErrors(CRD, {
      [`${VERSION}.subresources`]: { status: {} },
      [`${PLACE}.maxProperties`]: 3,
    });
    expect(others).toEqual([]);
    expect(error).toMatch(/^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"","Schema":"","Ref":null,/);
    expect(error).toContain(
      ": only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled",
    );
  });

  it("warns about formats that are never validated", () => {
    const properties = {
      a: { type: "string", format: "date-time" },
      b: { type: "string", format: "colour" },
      c: { type: "integer", format: "int8" },
    };
    expect(warnings(CRD, { [`${SPEC}.properties`]: properties })).toEqual([
      'unrecognized format "colour"',
      'unrecognized format "int8"',
    ]);
  });
});

const ESTABLISHED = { "status.conditions": [{ type: "Established", status: "True" }] };
const FIXED = "field is immutable";
const CHANGES: readonly (readonly [what: string, before: Changes, after: Changes, errors: readonly string[]])[] = [
  ["nothing", {}, {}, []],
  ["its kind before it is established", {}, { "spec.names.kind": "Clock" }, []],
  [
    "its kind",
    ESTABLISHED,
    { ...ESTABLISHED, "spec.names.kind": "Clock" },
    [`spec.names.kind: Invalid value: "Clock": ${FIXED}`],
  ],
  [
    "its scope",
    ESTABLISHED,
    { ...ESTABLISHED, "spec.scope": "Cluster" },
    [`spec.scope: Invalid value: "Cluster": ${FIXED}`],
  ],
  ["its group", {}, { "spec.group": "example.org" }, [`spec.group: Invalid value: "example.org": ${FIXED}`]],
  ["its plural", {}, { "spec.names.plural": "clocks" }, [`spec.names.plural: Invalid value: "clocks": ${FIXED}`]],
  [
    "its schema taken away",
    {},
    { "spec.versions.0.schema": undefined },
    ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"],
  ],
  [
    "no schema, as before",
    { "spec.preserveUnknownFields": true, "spec.versions.0.schema": undefined },
    { "spec.preserveUnknownFields": true, "spec.versions.0.schema": undefined },
    [],
  ],
  [
    "no schema for what is pruned now",
    { "spec.preserveUnknownFields": true, "spec.versions.0.schema": undefined },
    { "spec.versions.0.schema": undefined },
    ["spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"],
  ],
  [
    "a type that was odd before",
    { [`${SPEC}.type`]: "text" },
    { [`${SPEC}.type`]: "text", [`${SPEC}.title`]: "t" },
    [],
  ],
  [
    "a default that was unpruned before",
    { [`${SPEC}.default`]: { a: 1 } },
    { [`${SPEC}.default`]: { a: 1, b: 2 } },
    [],
  ],
  [
    "a default that was unpruned before and is wrong now",
    { [`${SPEC}.default`]: { a: 1 } },
    { [`${SPEC}.default`]: { a: 1, b: 2 }, [`${SPEC}.maxProperties`]: 1 },
    [`${AT_SPEC}.default: Too many: 2: must have at most 1 item`],
  ],
  [
    "a set that was not atomic before",
    { [SPEC]: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" } },
    { [SPEC]: { type: "array", title: "t", items: { type: "object" }, "x-kubernetes-list-type": "set" } },
    [],
  ],
  [
    "a schema that was not structural before",
    { "spec.preserveUnknownFields": true, [`${SPEC}.type`]: undefined },
    { "spec.preserveUnknownFields": true, [`${SPEC}.type`]: undefined, [`${SPEC}.title`]: "t" },
    [],
  ],
  [
    "a schema that must be structural now",
    { "spec.preserveUnknownFields": true, [`${SPEC}.type`]: undefined },
    { [`${SPEC}.type`]: undefined },
    [`${AT_SPEC}.type: Required value: must not be empty for specified object fields`],
  ],
  [
    "reviews that nobody spoke before",
    {
      "spec.conversion": {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: ["v9"] },
      },
    },
    {
      "spec.conversion": {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: ["v8"] },
      },
    },
    [],
  ],
  [
    "a bundle that is none, once established",
    ESTABLISHED,
    {
      ...ESTABLISHED,
      "spec.conversion": {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a.b", caBundle: "bm8=" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "bm8=": unable to load root certificates: unable to parse bytes as PEM block',
    ],
  ],
  [
    "a stored version gone",
    { "spec.versions.1": OTHER, "status.storedVersions": ["v1", "v2"] },
    { "status.storedVersions": ["v1", "v2"] },
    [
      'status.storedVersions[1]: Invalid value: "v2": missing from spec.versions; v2 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v2 and removes v2 from status.storedVersions',
    ],
  ],
  [
    "its approval, as missing as before",
    { "spec.group": "a.k8s.io" },
    { "spec.group": "a.k8s.io", "spec.names.shortNames": ["c"] },
    [],
  ],
];

describe("validation of an updated CustomResourceDefinition", () => {
  it.each(CHANGES)("returns kube-apiserver's errors for a change of %s", (_, before, after, errors) => {
    expect(updateErrors(CRD, before, after)).toEqual(errors);
  });

  it("of a status update refuses invalid names", () => {
    expect(statusErrors(CRD, {}, { "status.acceptedNames": { plural: "A", kind: "K", listKind: "K" } })).toEqual([
      `status.acceptedNames.plural: Invalid value: "A": ${DNS1035}`,
      'status.acceptedNames.listKind: Invalid value: "K": kind and listKind may not be the same',
    ]);
  });
});
