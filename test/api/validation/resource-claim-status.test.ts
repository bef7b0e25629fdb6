import { describe, expect, test } from "vitest";
import { validateResourceClaimStatusUpdate } from "../../../src/api/validation/resource/resource-claim-status.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

// What may become of a claim's status. Expected texts are read from pkg/apis/resource/validation.

const SHARE = "a0b1c2d3-0000-4000-8000-000000000001";
const NOT_A_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const given = { request: "gpu", driver: "gpu.example.com", pool: "node-1/a", device: "gpu-0" };
const allocation = (result: object = {}, more: object = {}) => ({
  devices: { results: [{ ...given, ...result }], ...more },
});
const consumer = { resource: "pods", name: "p", uid: "1" };
const { request: _, ...device } = given;

const claim = (status: object, metadata: object = {}): KubeObject => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c", ...metadata },
  spec: {
    devices: { requests: [{ name: "gpu" }, { name: "any", firstAvailable: [{ name: "big" }, { name: "small" }] }] },
  },
  status,
});

function problems(status: object, old: object = {}, metadata: object = {}): string[] {
  return validateResourceClaimStatusUpdate(claim(status, metadata), claim(old)).map(formatFieldError);
}

describe("validation of the allocation in a ResourceClaim's status", () => {
  const path = "status.allocation.devices.results[0]";
  test.each<[what: string, result: object, errors: readonly string[]]>([
    ["a device", {}, []],
    ["one for an alternative", { request: "any/small" }, []],
    ["one for a request with alternatives", { request: "any" }, []],
    ["one for no request", { request: "cpu" }, [`${path}.request: Invalid value: "cpu": ${NOT_A_REQUEST}`]],
    [
      "one for no alternative",
      { request: "any/huge" },
      [`${path}.request: Invalid value: "any/huge": ${NOT_A_REQUEST}`],
    ],
    ["a path of three", { request: "a/b/c" }, [`${path}.request: Invalid value: "a/b/c": ${NOT_A_REQUEST}`]],
    ["without a pool", { pool: "" }, [`${path}.pool: Required value`]],
    ["without a driver", { driver: "" }, [`${path}.driver: Required value`]],
    ["a device of a bad name", { device: "Gpu" }, [`${path}.device: Invalid value: "Gpu": ${LABEL}`]],
    ["a share", { shareID: SHARE }, []],
    [
      "a share in capitals",
      { shareID: SHARE.toUpperCase() },
      [
        `${path}.shareID: Invalid value: "${SHARE.toUpperCase()}": uid must be in RFC 4122 normalized form, \`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\` with lowercase hexadecimal characters`,
      ],
    ],
    [
      "a share of any text",
      { shareID: "one" },
      [`${path}.shareID: Invalid value: "one": error validating uid: invalid UUID length: 3`],
    ],
    [
      "a share that looks like one",
      { shareID: SHARE.replace("a", "x") },
      [`${path}.shareID: Invalid value: "${SHARE.replace("a", "x")}": error validating uid: invalid UUID format`],
    ],
    ["conditions to wait for", { bindingConditions: ["Ready"], bindingFailureConditions: ["Failed"] }, []],
    [
      "only what must become true",
      { bindingConditions: ["Ready"] },
      [
        `${path}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions`,
      ],
    ],
    [
      "only what must not",
      { bindingFailureConditions: ["Failed"] },
      [
        `${path}.bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions`,
      ],
    ],
    [
      "one that is both",
      { bindingConditions: ["Ready", "Ready"], bindingFailureConditions: ["Ready"] },
      [
        `${path}.bindingConditions[1]: Duplicate value: "Ready"`,
        `${path}.bindingFailureConditions[0]: Invalid value: "Ready": bindingFailureConditions must not overlap with bindingConditions`,
      ],
    ],
    [
      "five of them",
      { bindingConditions: ["a", "b", "c", "d", "e"], bindingFailureConditions: ["Failed"] },
      [`${path}.bindingConditions: Too many: 5: must have at most 4 items`],
    ],
    [
      "a toleration without an operator",
      { tolerations: [{ key: "a" }] },
      [`${path}.tolerations[0].operator: Required value`],
    ],
  ])("returns kube-apiserver's errors for: %s", (_what, result, errors) => {
    expect(problems({ allocation: allocation(result) })).toEqual(errors);
  });

  test("accepts an allocation with a configuration", () => {
    const opaque = { driver: "gpu.example.com", parameters: { a: 1 } };
    const config = [{ source: "FromClaim", requests: ["gpu"], opaque }, { opaque }, { source: "Else", opaque }];
    expect(problems({ allocation: allocation({}, { config }) })).toEqual([
      "status.allocation.devices.config[1].source: Required value",
      'status.allocation.devices.config[2].source: Unsupported value: "Else": supported values: "FromClaim", "FromClass"',
    ]);
  });

  test("refuses more entries than the limits allow", () => {
    const results = Array.from({ length: 33 }, (_one, at) => ({ ...given, device: `gpu-${at}` }));
    expect(problems({ allocation: { devices: { results } } })).toEqual([
      "status.allocation.devices.results: Too many: 33: must have at most 32 items",
    ]);
  });

  test("accepts a removed allocation and refuses a changed one", () => {
    const old = { allocation: allocation() };
    expect(problems(old, old)).toEqual([]);
    expect(problems({}, old)).toEqual([]);
    expect(problems({ allocation: allocation({ device: "gpu-1" }) }, old)).toEqual([
      expect.stringMatching(/^status\.allocation: Invalid value: .*: field is immutable$/),
    ]);
  });

  test("accepts an unchanged stored allocation, even one that newer rules would refuse", () => {
    const old = { allocation: allocation({ request: "gone" }) };
    expect(problems({ ...old, reservedFor: [consumer] }, old)).toEqual([]);
  });
});

describe("validation of the consumers (reservedFor) in a ResourceClaim's status", () => {
  const old = { allocation: allocation() };
  test.each<[what: string, reservedFor: readonly object[], errors: readonly string[]]>([
    ["a pod", [consumer], []],
    ["two", [consumer, { ...consumer, name: "q", uid: "2" }], []],
    ["one twice", [consumer, consumer], ['status.reservedFor[1]: Duplicate value: "1"']],
    [
      "nobody in particular",
      [{}],
      ["resource", "name", "uid"].map((field) => `status.reservedFor[0].${field}: Required value`),
    ],
    [
      "too many",
      Array.from({ length: 257 }, (_one, at) => ({ ...consumer, uid: String(at) })),
      ["status.reservedFor: Too many: 257: must have at most 256 items"],
    ],
  ])("returns kube-apiserver's errors for: %s", (_what, reservedFor, errors) => {
    expect(problems({ ...old, reservedFor }, old)).toEqual(errors);
  });

  test("refuses a consumer while the claim is not allocated", () => {
    expect(problems({ reservedFor: [consumer] })).toEqual([
      "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
    ]);
  });

  test("refuses a further consumer while the claim is being deleted", () => {
    const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const before = { ...old, reservedFor: [consumer] };
    expect(problems(before, before, going)).toEqual([]);
    expect(problems({ ...old, reservedFor: [consumer, { ...consumer, uid: "2" }] }, before, going)).toEqual([
      "status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
    ]);
  });
});

describe("validation of a device status that a driver writes into a ResourceClaim", () => {
  const old = { allocation: allocation() };
  const path = "status.devices[0]";
  const network = (data: object) => ({ networkData: data });
  test.each<[what: string, more: object, errors: readonly string[]]>([
    ["nothing", {}, []],
    [
      "of one that is not the claim's",
      { device: "gpu-1" },
      [`${path}: Invalid value: "gpu.example.com/node-1/a/gpu-1": must be an allocated device in the claim`],
    ],
    [
      "of a share that is not the claim's",
      { shareID: SHARE },
      [`${path}: Invalid value: "gpu.example.com/node-1/a/gpu-0/${SHARE}": must be an allocated device in the claim`],
    ],
    ["its data", { data: { any: ["thing"] } }, []],
    ["no object", { data: 1 }, [`${path}.data: Invalid value: "<value omitted>": must be a valid JSON object`]],
    ["too much", { data: { a: "x".repeat(10_240) } }, [`${path}.data: Too long: may not be more than 10240 bytes`]],
    ["its addresses", network({ ips: ["10.9.8.7/24", "2001:db8::1/64"] }), []],
    [
      "an address without a network",
      network({ ips: ["10.9.8.7"] }),
      [
        `${path}.networkData.ips[0]: Invalid value: "10.9.8.7": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)`,
      ],
    ],
    [
      "addresses that can be written shorter",
      network({ ips: ["010.9.8.7/24", "2001:0db8::1/64", "::ffff:192.168.0.1/120"] }),
      [
        `${path}.networkData.ips[0]: Invalid value: "010.9.8.7/24": must be in canonical form ("10.9.8.7/24")`,
        `${path}.networkData.ips[1]: Invalid value: "2001:0db8::1/64": must be in canonical form ("2001:db8::1/64")`,
        `${path}.networkData.ips[2]: Invalid value: "::ffff:192.168.0.1/120": must be in canonical form ("192.168.0.1/24")`,
      ],
    ],
    [
      "an address twice",
      network({ ips: ["10.9.8.7/24", "10.9.8.7/24"] }),
      [`${path}.networkData.ips[1]: Duplicate value: "10.9.8.7/24"`],
    ],
    [
      "long names",
      network({ interfaceName: "i".repeat(257), hardwareAddress: "h".repeat(129) }),
      [
        `${path}.networkData.interfaceName: Too long: may not be more than 256 bytes`,
        `${path}.networkData.hardwareAddress: Too long: may not be more than 128 bytes`,
      ],
    ],
    [
      "conditions of no kind",
      { conditions: [{ type: "Ready", status: "Maybe", reason: "R", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
      [`${path}.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`],
    ],
  ])("returns kube-apiserver's errors for a device with: %s", (_what, more, errors) => {
    expect(problems({ ...old, devices: [{ ...device, ...more }] }, old)).toEqual(errors);
  });

  test("refuses two statuses of one device", () => {
    expect(problems({ ...old, devices: [device, device] }, old)).toEqual([
      'status.devices[1]: Duplicate value: "gpu.example.com/node-1/a/gpu-0"',
    ]);
  });
});
