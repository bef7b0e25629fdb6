import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectTaken, podOf, PODS, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({ enable: ["ExtendedResourceToleration"], disable: ["DefaultTolerationSeconds"] });
});

afterAll(() => server[Symbol.asyncDispose]());

const asking = (...names: string[]): object => {
  const amounts = Object.fromEntries(names.map((name) => [name, "1"]));
  return { image: "i", resources: { requests: amounts, limits: amounts } };
};
const exists = (key: string): object => ({ key, operator: "Exists", effect: "NoSchedule" });
const OWN = { key: "own", operator: "Exists" };

describe("the admission plugin ExtendedResourceToleration", () => {
  const rows: readonly (readonly [title: string, spec: object, tolerations: unknown])[] = [
    ["a pod that asks for nothing", {}, undefined],
    ["a pod that asks for cpu", { containers: [{ name: "c", ...asking("cpu", "memory") }] }, undefined],
    ["a pod that asks for storage", { containers: [{ name: "c", ...asking("ephemeral-storage") }] }, undefined],
    [
      "a pod that asks for a device",
      { containers: [{ name: "c", ...asking("example.com/gpu") }] },
      [exists("example.com/gpu")],
    ],
    [
      "an init container that asks for a device",
      { initContainers: [{ name: "i", ...asking("example.com/gpu") }] },
      [exists("example.com/gpu")],
    ],
    [
      "a pod that asks for two, which come in byte order",
      { containers: [{ name: "c", ...asking("example.com/nic", "example.com/gpu") }] },
      [exists("example.com/gpu"), exists("example.com/nic")],
    ],
    [
      "two containers that ask for the same",
      {
        containers: [
          { name: "c", ...asking("a.com/b") },
          { name: "d", ...asking("a.com/b") },
        ],
      },
      [exists("a.com/b")],
    ],
    [
      "a pod that tolerates it already",
      { containers: [{ name: "c", ...asking("a.com/b") }], tolerations: [exists("a.com/b"), OWN] },
      [exists("a.com/b"), OWN],
    ],
    [
      "a pod that tolerates it on running nodes only gets another toleration",
      {
        containers: [{ name: "c", ...asking("a.com/b") }],
        tolerations: [{ key: "a.com/b", operator: "Exists", effect: "NoExecute" }],
      },
      [{ key: "a.com/b", operator: "Exists", effect: "NoExecute" }, exists("a.com/b")],
    ],
    [
      "its own tolerations come first",
      { containers: [{ name: "c", ...asking("a.com/b") }], tolerations: [OWN] },
      [OWN, exists("a.com/b")],
    ],
  ];
  test.each(rows)("%s", async (_, spec, tolerations) => {
    const made = await expectTaken(tryCreate(server.api, PODS, podOf(spec)));
    expect(made.at("spec.tolerations")).toEqual(tolerations);
  });
});
