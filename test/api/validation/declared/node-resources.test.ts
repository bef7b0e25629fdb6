import { describe, expect, test } from "vitest";
import { releaseOf } from "../../../../src/api/facts/index.js";
import { serverGates } from "../../../../src/api/gates/feature-gates.js";
import { validateNode, validateNodeUpdate } from "../../../../src/api/validation/core/node.js";
import { validatePodStatusUpdate } from "../../../../src/api/validation/pod/pod-status.js";
import { resultRuleErrors, sliceRuleErrors } from "../../../../src/api/validation/resource/device-rules.js";
import { validateResourceSlice } from "../../../../src/api/validation/resource/resource-slice.js";
import { formatFieldError } from "../../../../src/machinery/errors/field-error.js";

// What 1.37's marks say of the resources of nodes that pods, claims and devices use.

const gates = { enabled: () => true };

describe("a node's list of resources for which a pod resize may not preempt other pods (K37-028)", () => {
  const path = "spec.podPreemptionPolicy.disableResizePreemption";
  const node = (...disableResizePreemption: string[]) => ({
    metadata: { name: "n" },
    spec: { podPreemptionPolicy: { disableResizePreemption } },
  });

  test.each([
    [["cpu", "example.com/gpu"], []],
    [["cpu", "cpu"], [`${path}[1]: Duplicate value: "cpu"`]],
    [Array.from({ length: 21 }, (_, index) => `r${index}`), [`${path}: Too many: 21: must have at most 20 items`]],
  ])("is validated: %j", (names, errors) => {
    expect(validateNode(node(...names)).map(formatFieldError)).toEqual(errors);
    expect(validateNodeUpdate(node(...names), node()).map(formatFieldError)).toEqual(errors);
  });

  test("refuses a name that is not a label key, unless it was stored before", () => {
    expect(validateNode(node("a b")).map(({ field }) => field)).toEqual([`${path}[0]`]);
    expect(validateNodeUpdate(node("a b"), node("a b"))).toEqual([]);
  });
});

describe("validation of devices of a ResourceSlice", () => {
  const slice = (device: object) => ({
    spec: {
      driver: "gpu.example.com",
      nodeName: "n",
      pool: { name: "p", resourceSliceCount: 1 },
      devices: [{ name: "gpu-0", ...device }],
    },
  });
  const mapping = (given: object) => slice({ nodeAllocatableResources: { cpu: { mapping: given } } });
  const at = "spec.devices[0].nodeAllocatableResources[cpu].mapping";

  test.each([
    [{ capacityKey: "cores", capacityMultiplier: "2" }, []],
    [{ deviceMultiplier: "2" }, []],
    [{}, [`${at}: Invalid value: "": must specify one of: \`capacityKey\`, \`deviceMultiplier\``]],
    [
      { capacityKey: "cores", deviceMultiplier: "2" },
      [
        `${at}: Invalid value: "{capacityKey, deviceMultiplier}": must specify exactly one of: \`capacityKey\`, \`deviceMultiplier\``,
      ],
    ],
  ])("are validated with the node's allocatable resources mapped as %j (K37-033)", async (given, errors) => {
    const release = await releaseOf("1.37");
    expect(sliceRuleErrors(mapping(given), undefined, { gates, release }).map(formatFieldError)).toEqual(errors);
  });

  test("have at most four binding conditions, and only together with failure conditions", () => {
    const errors = validateResourceSlice(slice({ bindingConditions: ["a", "b", "c", "d", "e"] })).map(formatFieldError);
    expect(errors).toEqual([
      "spec.devices[0].bindingConditions: Too many: 5: must have at most 4 items",
      "spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions",
    ]);
  });
});

test("a claim may skip only the known node operations, each named once (K37-033)", () => {
  const errors = (...skipNodeOperations: string[]) =>
    resultRuleErrors({ skipNodeOperations: skipNodeOperations as never }, "at").map(formatFieldError);
  expect(errors("NodePrepareResources", "*")).toEqual([]);
  expect(errors("*", "*")).toEqual(['at.skipNodeOperations[1]: Duplicate value: "*"']);
  expect(errors("NodeStop")).toEqual([
    'at.skipNodeOperations[0]: Unsupported value: "NodeStop": supported values: "*", "NodePrepareResources", "NodeUnprepareResources"',
  ]);
});

test("a pod status lists the node resources that its claims use by unique names since 1.37 (K37-032)", async () => {
  const pod = (...nodeAllocatableResourceClaimStatuses: object[]) =>
    ({ metadata: { name: "p" }, spec: {}, status: { nodeAllocatableResourceClaimStatuses } }) as never;
  const errors = async (version: string, ...statuses: object[]) =>
    validatePodStatusUpdate(pod(...statuses), pod(), {
      release: await releaseOf(version),
      gates: serverGates(version),
    }).map(formatFieldError);
  const at = "status.nodeAllocatableResourceClaimStatuses";
  const claim = { resourceClaimName: "c", containers: ["a"], mapping: [{ name: "cpu", quantity: "1" }] };
  expect(await errors("1.37", claim)).toEqual([]);
  expect(await errors("1.37", claim, claim)).toEqual([`${at}[1]: Duplicate value: ${JSON.stringify(claim)}`]);
  expect(await errors("1.37", { containers: ["a", "a"], mapping: [{ name: "cpu" }], overhead: [{}] })).toEqual([
    `${at}[0].resourceClaimName: Required value`,
    `${at}[0].containers[1]: Duplicate value: "a"`,
    `${at}[0].mapping[0].quantity: Required value`,
    `${at}[0].overhead[0].name: Required value`,
  ]);
  expect(await errors("1.36", {})).toEqual([]);
});
