import { describe } from "vitest";
import { bothWays, type ConversionRow, testConversions, testDefaults } from "../../helpers/wire-conversions.js";

// Expectations: apiextensions-apiserver's pkg/apis/apiextensions/{v1,v1beta1}/{conversion,defaults}.go, by way of the
// internal type (v1beta1's conversion to it is generated, field by field).

const BETA = "apiextensions.k8s.io/v1beta1";
const V1 = "apiextensions.k8s.io/v1";
const kind = "CustomResourceDefinition";
const metadata = { name: "crons.example.com", annotations: { mine: "1" } };
const names = { plural: "crons", singular: "cron", kind: "Cron", listKind: "CronList" };
const common = { group: "example.com", names, scope: "Namespaced" };
const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", default: null } } };
const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
const subresources = { status: {} };
const selectableFields = [{ jsonPath: ".spec.a" }];
const betaColumns = [{ name: "Age", type: "date", JSONPath: ".metadata.creationTimestamp" }];
const columns = [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }];
const one = { name: "v1", served: true, storage: true };
const two = { name: "v2", served: true, storage: false };

const definition = (spec: object) => ({ metadata, spec: { ...common, ...spec } });
const toV1 = (name: string, input: object, expected: object): ConversionRow => ({
  name,
  kind,
  from: BETA,
  to: V1,
  input: definition(input),
  expected: definition(expected),
});
const toBeta = (name: string, input: object, expected: object): ConversionRow => ({
  ...toV1(name, input, expected),
  from: V1,
  to: BETA,
});

const shared = { subresources, schema, additionalPrinterColumns: columns, selectableFields };
const clientConfig = { url: "https://example.com", caBundle: "eA==" };

describe("converting CustomResourceDefinitions between v1beta1 and v1", () => {
  testConversions([
    ...bothWays(
      toV1(
        "what is said once is said of every version",
        {
          version: "v1",
          versions: [one, two],
          validation: schema,
          subresources,
          additionalPrinterColumns: betaColumns,
          selectableFields,
          preserveUnknownFields: false,
        },
        {
          versions: [
            { ...one, ...shared },
            { ...two, ...shared },
          ],
        },
      ),
    ),
    ...bothWays(
      toV1(
        "what versions say differently stays there",
        {
          version: "v1",
          versions: [
            { ...one, schema, additionalPrinterColumns: betaColumns, subresources },
            { ...two, schema: { openAPIV3Schema: { type: "object" } } },
          ],
          preserveUnknownFields: true,
        },
        {
          versions: [
            { ...one, schema, additionalPrinterColumns: columns, subresources },
            { ...two, schema: { openAPIV3Schema: { type: "object" } } },
          ],
          preserveUnknownFields: true,
        },
      ),
    ),
    toBeta(
      "some alike, some not",
      {
        versions: [
          { ...one, schema, subresources },
          { ...two, schema, subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: ".b" } } },
        ],
      },
      {
        version: "v1",
        validation: schema,
        versions: [
          { ...one, subresources },
          { ...two, subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: ".b" } } },
        ],
        preserveUnknownFields: false,
      },
    ),
    toBeta(
      "a single version is alike",
      { versions: [{ ...one, schema }] },
      { version: "v1", validation: schema, versions: [one], preserveUnknownFields: false },
    ),
    toBeta(
      "an empty status subresource is not none",
      {
        versions: [
          { ...one, subresources: { status: {} } },
          { ...two, subresources: {} },
        ],
      },
      {
        version: "v1",
        versions: [
          { ...one, subresources: { status: {} } },
          { ...two, subresources: {} },
        ],
        preserveUnknownFields: false,
      },
    ),
    toV1(
      "the top goes before a version's own",
      { version: "v1", versions: [{ ...one, subresources: {} }], subresources },
      { versions: [{ ...one, subresources }] },
    ),
    toV1("a version without a list", { version: "v1", validation: schema }, { versions: [{ ...one, schema }] }),
    toV1("neither", {}, {}),
    toBeta("no versions", {}, { preserveUnknownFields: false }),
    toV1(
      "the version that is named is not looked at when there is a list",
      { version: "v9", versions: [one] },
      { versions: [one] },
    ),
    toV1(
      "a default of null is none",
      { version: "v1", versions: [one], validation: { openAPIV3Schema } },
      { versions: [{ ...one, schema }] },
    ),
    ...bothWays(
      toV1(
        "a webhook",
        {
          conversion: {
            strategy: "Webhook",
            webhookClientConfig: clientConfig,
            conversionReviewVersions: ["v1", "v1beta1"],
          },
          preserveUnknownFields: false,
        },
        { conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1", "v1beta1"] } } },
      ),
    ),
    toV1(
      "versions of the review without a webhook",
      { conversion: { strategy: "None", conversionReviewVersions: ["v1"] } },
      { conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } },
    ),
    ...bothWays(
      toV1(
        "no webhook",
        { conversion: { strategy: "None" }, preserveUnknownFields: false },
        { conversion: { strategy: "None" } },
      ),
    ),
    toV1(
      "preserved fields that are not spoken of",
      { preserveUnknownFields: undefined },
      { preserveUnknownFields: false },
    ),
    {
      ...toV1("the status is alike", {}, {}),
      input: { ...definition({}), status: { storedVersions: ["v1"], acceptedNames: names } },
      expected: { ...definition({}), status: { storedVersions: ["v1"], acceptedNames: names } },
    },
  ]);

  const bare = { group: "example.com", names: { plural: "crons", kind: "Cron" } };
  const filled = { ...common, conversion: { strategy: "None" }, preserveUnknownFields: true };
  const service = { namespace: "n", name: "s" };
  testDefaults([
    {
      name: "names, scope and a list of versions",
      kind,
      version: BETA,
      input: { spec: { ...bare, version: "v1" } },
      expected: { spec: { ...filled, version: "v1", versions: [one] }, status: { storedVersions: ["v1"] } },
    },
    {
      name: "the version is the first of the list, the stored one that for storage",
      kind,
      version: BETA,
      input: { spec: { ...bare, versions: [two, one] } },
      expected: { spec: { ...filled, version: "v2", versions: [two, one] }, status: { storedVersions: ["v1"] } },
    },
    {
      name: "versions of the review and the service's port",
      kind,
      version: BETA,
      input: { spec: { ...bare, conversion: { strategy: "Webhook", webhookClientConfig: { service } } } },
      expected: {
        spec: {
          ...filled,
          conversion: {
            strategy: "Webhook",
            webhookClientConfig: { service: { ...service, port: 443 } },
            conversionReviewVersions: ["v1beta1"],
          },
        },
      },
    },
    {
      name: "what is stated stays",
      kind,
      version: BETA,
      input: { spec: { ...bare, scope: "Cluster", preserveUnknownFields: false }, status: { storedVersions: ["v0"] } },
      expected: {
        spec: { ...filled, scope: "Cluster", preserveUnknownFields: false },
        status: { storedVersions: ["v0"] },
      },
    },
    {
      name: "v1 has no default scope",
      kind,
      version: V1,
      input: { spec: { ...bare, versions: [one] } },
      expected: {
        spec: { group: "example.com", names, conversion: { strategy: "None" }, versions: [one] },
        status: { storedVersions: ["v1"] },
      },
    },
  ]);
});
