import { describe, expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { freeRange } from "../../src/controllers/node-ipam/node-ipam-controller.js";
import { object } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";

describe("the next free pod address range for a node", () => {
  const whole = { cidr: "10.244.0.0/16", nodeMask: 24 };
  const small = { cidr: "10.0.0.0/24", nodeMask: 26 };
  test.each([
    ["is the first one", whole, [], 0, "10.244.0.0/24"],
    ["leaves out those that are taken", whole, ["10.244.0.0/24", "10.244.2.0/24"], 0, "10.244.1.0/24"],
    ["follows the one given last", whole, ["10.244.1.0/24"], 1, "10.244.2.0/24"],
    ["begins again at the end", small, ["10.0.0.192/26"], 3, "10.0.0.0/26"],
    ["leaves out what a larger range covers", small, ["10.0.0.0/25"], 0, "10.0.0.128/26"],
    ["leaves out what a smaller range is in", small, ["10.0.0.64/28", "10.0.0.0/32"], 0, "10.0.0.128/26"],
    ["minds no other ranges", small, ["10.0.1.0/24", "fd00::/64", "nonsense", "9.255.255.0/24"], 0, "10.0.0.0/26"],
    ["is none when all are taken", small, ["10.0.0.0/24"], 0, undefined],
    ["is none when a larger network is taken", small, ["10.0.0.0/8"], 2, undefined],
    ["is the whole where the mask is the same", { cidr: "10.0.0.0/24", nodeMask: 24 }, [], 5, "10.0.0.0/24"],
    ["is none where the mask is shorter", { cidr: "10.0.0.0/24", nodeMask: 16 }, [], 0, undefined],
  ])("%s", (_, range, taken, start, cidr) => {
    expect(freeRange(range, taken, start)?.cidr).toBe(cidr);
  });

  test("must be IPv4", () => {
    expect(() => freeRange({ cidr: "fd00::/48", nodeMask: 64 }, [], 0)).toThrow(
      '"fd00::/48" is not a block of IPv4 addresses such as "10.0.0.0/24"',
    );
  });
});

test("a node that joins from outside gets the next range of the cluster; one that brings its range keeps it", async () => {
  const cluster = await startCluster({ port: false, nodes: 2 });
  onTestFinished(() => cluster.close());
  const specOf = async (name: string) =>
    object((await call(cluster.transport(), "GET", `/api/v1/nodes/${name}`)).at("spec"));
  const create = (name: string, spec = {}) =>
    call(cluster.transport(), "POST", "/api/v1/nodes", { metadata: { name }, spec });
  await create("own", { podCIDR: "10.244.2.0/24" });
  await create("outside");
  await eventually(async () =>
    expect(await specOf("outside")).toMatchObject({ podCIDR: "10.244.3.0/24", podCIDRs: ["10.244.3.0/24"] }),
  );
  expect((await specOf("own"))["podCIDRs"]).toEqual(["10.244.2.0/24"]);
  expect((await specOf("node-2"))["podCIDRs"]).toEqual(["10.244.1.0/24"]);
});
