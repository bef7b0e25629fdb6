import { expect, test } from "vitest";
import { podResources } from "../../src/polymorphic-helpers/pod-resources.js";
import { formatQuantity } from "../../src/machinery/text/quantity/quantity.js";

const asks = (name: string, cpu: string) => ({ name, resources: { requests: { cpu }, limits: { cpu } } });
const has = (name: string, allocated: string | undefined, actual: string | undefined) => ({
  name,
  ...(allocated !== undefined && { allocatedResources: { cpu: allocated } }),
  ...(actual !== undefined && { resources: { requests: { cpu: actual }, limits: { cpu: actual } } }),
});
const infeasible = { conditions: [{ type: "PodResizePending", status: "True", reason: "Infeasible" }] };

test.each([
  [
    "two containers that swap",
    [asks("a", "1"), asks("b", "3")],
    [has("a", "3", "3"), has("b", "1", "1")],
    {},
    "4",
    "4",
  ],
  ["one that has more", [asks("a", "1")], [has("a", undefined, "4")], {}, "4", "4"],
  ["one that is allocated more", [asks("a", "1")], [has("a", "2", "1")], {}, "2", "1"],
  ["a resize that can never be had", [asks("a", "5")], [has("a", undefined, "2")], infeasible, "2", "2"],
  ["such a resize before the first status", [asks("a", "5")], [], infeasible, "", ""],
] as const)("K37-166: describe node counts %s", (_title, containers, containerStatuses, more, requests, limits) => {
  const pod = { spec: { containers: [...containers] }, status: { containerStatuses: [...containerStatuses], ...more } };
  const cpuOf = (bound: "requests" | "limits", reported: boolean): string => {
    const amount = podResources(pod as never, { bound, reported }).get("cpu");
    return amount === undefined ? "" : formatQuantity(amount);
  };
  expect([cpuOf("requests", true), cpuOf("limits", true)]).toEqual([requests, limits]);
  const asked = containers.reduce((sum, { resources }) => sum + Number(resources.requests.cpu), 0);
  expect(cpuOf("requests", false)).toBe(String(asked));
});

test("K37-166: describe node counts the resources of an init container", () => {
  const pod = {
    spec: { containers: [asks("c", "1")], initContainers: [asks("i", "1")] },
    status: { initContainerStatuses: [has("i", undefined, "4")] },
  };
  const cpu = podResources(pod as never, { bound: "requests", reported: true }).get("cpu");
  expect(cpu && formatQuantity(cpu)).toBe("4");
});
