import { describe, expect, it } from "vitest";
import { bootstrapFlowControl } from "../../../src/api/bootstrap/flow-control.js";
import { AUTHORITY, NO_AUTHORITY } from "./certificates.js";
import { type Changes, createErrors, statusErrors, updateErrors, warnings } from "./good-objects.js";

const CANDIDATE = "coordination.k8s.io/leasecandidates";
const BUNDLE = "certificates.k8s.io/clustertrustbundles";
const SCHEMA = "flowcontrol.apiserver.k8s.io/flowschemas";
const LEVEL = "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations";
const CSR = "certificates.k8s.io/certificatesigningrequests";
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

type Row = readonly [what: string, changes: Changes, errors: readonly string[]];

const CANDIDATES: readonly Row[] = [
  ["a good one", {}, []],
  ["no lease", { "spec.leaseName": undefined }, ["spec.leaseName: Required value"]],
  ["no version", { "spec.binaryVersion": undefined }, ["spec.binaryVersion: Required value"]],
  [
    "half a version",
    { "spec.binaryVersion": "1.36" },
    [
      'spec.binaryVersion: Invalid value: "1.36": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "1.36": must be greater than or equal to `emulationVersion`',
    ],
  ],
  [
    "a version with a zero in front",
    { "spec.emulationVersion": "1.035.0" },
    [
      'spec.emulationVersion: Invalid value: "1.035.0": must be a valid semantic version',
      "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
    ],
  ],
  [
    "a version below the one it speaks",
    { "spec.binaryVersion": "1.34.9" },
    ['spec.binaryVersion: Invalid value: "1.34.9": must be greater than or equal to `emulationVersion`'],
  ],
  [
    "a version before its release",
    { "spec.binaryVersion": "1.35.0-alpha.2", "spec.emulationVersion": "1.35.0-alpha.10" },
    ['spec.binaryVersion: Invalid value: "1.35.0-alpha.2": must be greater than or equal to `emulationVersion`'],
  ],
  ["no strategy", { "spec.strategy": undefined }, ["spec.strategy: Required value"]],
  [
    "an odd strategy",
    { "spec.strategy": "Newest" },
    ['spec.strategy.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"'],
  ],
  ["a strategy of somebody else", { "spec.strategy": "example.com/mine", "spec.emulationVersion": undefined }, []],
  [
    "a strategy with a space",
    { "spec.strategy": "example.com/a b" },
    [`spec.strategy.strategy: Invalid value: "example.com/a b": ${QUALIFIED}`],
  ],
  [
    "nothing to emulate",
    { "spec.emulationVersion": undefined },
    ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
  ],
];

const omitted = (detail: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${detail}`;
const BUNDLES: readonly Row[] = [
  ["a good one", {}, []],
  ["nothing", { "spec.trustBundle": "" }, [omitted("at least one trust anchor must be provided")]],
  [
    "a key",
    { "spec.trustBundle": AUTHORITY.replaceAll("CERTIFICATE", "KEY") },
    [omitted("entry 0 has bad block type: KEY")],
  ],
  [
    "a header",
    { "spec.trustBundle": AUTHORITY.replace("-----\n", "-----\na: b\n\n") },
    [omitted("entry 0 has PEM block headers")],
  ],
  [
    "half a certificate",
    { "spec.trustBundle": "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n" },
    [omitted("entry 0 does not parse as X.509")],
  ],
  [
    "one that is no authority's, behind one that is",
    { "spec.trustBundle": AUTHORITY + NO_AUTHORITY },
    [omitted("entry 1 does not have the CA bit set")],
  ],
  ["one twice", { "spec.trustBundle": AUTHORITY + AUTHORITY }, [omitted("duplicate trust anchor (indices [0 1])")]],
  [
    "too much",
    { "spec.trustBundle": "x".repeat(1024 * 1024 + 1) },
    ["spec.trustBundle: Too long: may not be more than 1048576 bytes"],
  ],
  ["a signer", { "metadata.name": "example.com:s:b", "spec.signerName": "example.com/s" }, []],
  [
    "a signer that the name does not say",
    { "spec.signerName": "example.com/s" },
    [
      'metadata.name: Invalid value: "b": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
    ],
  ],
  [
    "a name of a signer's without a signer",
    { "metadata.name": "a:b" },
    ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name'],
  ],
  ["a name in capitals", { "metadata.name": "B" }, [`metadata.name: Invalid value: "B": ${SUBDOMAIN}`]],
];

describe.each([
  ["a LeaseCandidate", CANDIDATE, CANDIDATES],
  ["a ClusterTrustBundle", BUNDLE, BUNDLES],
] as const)("validation of a new %s", (_kind, resource, rows) => {
  it.each(rows)("returns kube-apiserver's errors for: %s", (_, changes, errors) => {
    expect(createErrors(resource, changes)).toEqual(errors);
  });
});

describe("validation of an update", () => {
  it("refuses another lease name in a LeaseCandidate", () => {
    expect(updateErrors(CANDIDATE, {}, { "spec.leaseName": "m" })).toEqual([
      'spec.leaseName: Invalid value: "m": field is immutable',
    ]);
  });

  it("refuses another signer in a ClusterTrustBundle, but accepts unchanged certificates of a stored invalid one", () => {
    const bad = { "spec.trustBundle": "" };
    const signed = { ...bad, "metadata.name": "example.com:s:b", "spec.signerName": "example.com/s" };
    expect(updateErrors(BUNDLE, bad, bad)).toEqual([]);
    expect(updateErrors(BUNDLE, bad, signed)).toEqual([
      'spec.signerName: Invalid value: "example.com/s": field is immutable',
    ]);
  });

  it("refuses a changed decision of a CertificateSigningRequest, with the difference in the message", () => {
    const decided = (reason: string): Changes => ({
      "status.conditions": [{ type: "Approved", status: "True", reason }],
    });
    const [error = ""] = statusErrors(CSR, decided("a"), decided("b"));
    expect(error).toMatch(/^status\.conditions: Forbidden: updates may not modify a condition of type "Approved"\n@@ /);
    expect(error).toContain('\n-  "Reason": "a",\n+  "Reason": "b",\n');
  });
});

describe("validation of the built-in FlowSchemas and PriorityLevelConfigurations", () => {
  const specOf = (kind: string, name: string) =>
    bootstrapFlowControl().find((one) => one.kind === kind && one.metadata?.name === name)?.["spec"];
  const changed = (kind: string, name: string, more: object): Changes => ({
    "metadata.name": name,
    spec: { ...(specOf(kind, name) as object), ...more },
  });

  it.each(["exempt", "catch-all"])("accepts the object %s as the server creates it", (name) => {
    expect(createErrors(SCHEMA, changed("FlowSchema", name, {}))).toEqual([]);
    expect(createErrors(LEVEL, changed("PriorityLevelConfiguration", name, {}))).toEqual([]);
  });

  it("refuses changed rules of the built-in flow schema", () => {
    expect(createErrors(SCHEMA, changed("FlowSchema", "exempt", { rules: [] }))).toEqual([
      'spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":1,"DistinguisherMethod":null,"Rules":[]}: spec of \'exempt\' must equal the fixed value',
    ]);
  });

  it("refuses changed shares of the built-in priority level", () => {
    const limited = { nominalConcurrencyShares: 6, limitResponse: { type: "Reject" }, lendablePercent: 0 };
    expect(createErrors(LEVEL, changed("PriorityLevelConfiguration", "catch-all", { limited }))).toEqual([
      'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of \'catch-all\' must equal the fixed value',
    ]);
  });

  it("accepts an exempt priority level that sets how much it lends", () => {
    const exempt = { nominalConcurrencyShares: 5, lendablePercent: 50 };
    expect(createErrors(LEVEL, changed("PriorityLevelConfiguration", "exempt", { exempt }))).toEqual([]);
    const limited = { limitResponse: { type: "Reject" } };
    expect(createErrors(LEVEL, changed("PriorityLevelConfiguration", "exempt", { limited }))).toEqual([
      "spec.limited: Forbidden: must be nil if the type is not Limited",
      expect.stringMatching(/: spec of 'exempt' except the 'spec\.exempt' field must equal the fixed value$/),
    ]);
  });
});

describe("validation of a ResourceSlice", () => {
  it("warns about capital letters in the driver's name", () => {
    expect(warnings("resource.k8s.io/resourceslices", { "spec.driver": "D.example.com" })).toEqual([
      'spec.driver: driver names should be lowercase; "D.example.com" contains uppercase characters',
    ]);
    expect(warnings("resource.k8s.io/resourceslices", {})).toEqual([]);
  });
});
