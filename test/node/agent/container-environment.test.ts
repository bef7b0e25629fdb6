import { describe, expect, test } from "vitest";
import { containerEnvironment } from "../../../src/node/agent/container-environment.js";
import { volumeFiles } from "../../../src/node/agent/volume-files.js";
import { inShortTurns } from "../../helpers/short-turns.js";

type Source = Parameters<typeof volumeFiles>[1];

/** A pod whose ConfigMap "big" has these entries. */
function source(data: Readonly<Record<string, string>> = {}, volumes: readonly object[] = []): Source {
  const found = { metadata: { uid: JSON.stringify(data), resourceVersion: "7" }, data };
  return {
    client: { of: () => ({ namespace: () => ({ get: async () => found }) }) } as unknown as Source["client"],
    pod: { metadata: { name: "web", namespace: "default" }, spec: { volumes } } as Source["pod"],
    podIp: "10.0.0.2",
    hostIp: "10.0.0.1",
    capacity: {},
    signal: new AbortController().signal,
    token: async () => "token",
  };
}

/** A1 is A0 twice, A2 is A1 twice. */
const doubling = (count: number) => [
  { name: "A0", value: "0123456789" },
  ...Array.from({ length: count }, (_, index) => ({ name: `A${index + 1}`, value: `$(A${index})$(A${index})` })),
];

describe("a container's environment", () => {
  test.each([
    ["$(A)-$(A)", "a-a"],
    ["$$(A) $$$$ $ $x", "$(A) $$ $ $x"],
    ["$(NONE) $(A", "$(NONE) $(A"],
    ["$(constructor) $(__proto__)", "$(constructor) $(__proto__)"],
    ["$(B$(A)", "$(B$(A)"],
    ["", ""],
  ])("expands %j to %j", async (value, expanded) => {
    const env = await containerEnvironment(
      {
        env: [
          { name: "A", value: "a" },
          { name: "V", value },
        ],
      },
      source(),
    );
    expect(env.variables).toEqual({ A: "a", V: expanded });
    expect(env.word(value)).toBe(expanded);
  });

  test("that doubles itself is too long for any program, and is given up at once", async () => {
    await expect(containerEnvironment({ env: doubling(30) }, source())).rejects.toMatchObject({
      reason: "StartError",
      message: expect.stringContaining("argument list too long"),
    });
  });

  test("that just fits is too long for arguments that repeat it", async () => {
    const env = await containerEnvironment({ env: doubling(14) }, source());
    expect(() => env.word("$(A14)".repeat(20))).toThrow("argument list too long");
  });

  test("of many references without an end takes no longer than others", async () => {
    await inShortTurns(async () => {
      const value = "$(".repeat(500_000);
      const env = await containerEnvironment({ env: [{ name: "V", value }] }, source());
      expect(env.variables).toEqual({ V: value });
    });
  });

  test("of a key that a ConfigMap lacks is missing, whatever its name", async () => {
    const valueFrom = { configMapKeyRef: { name: "big", key: "constructor" } };
    await expect(containerEnvironment({ env: [{ name: "A", valueFrom }] }, source())).rejects.toThrow(
      "couldn't find key constructor in ConfigMap default/big",
    );
  });
});

describe("the files of a container's volumes", () => {
  const volume = { name: "v", configMap: { name: "big" } };
  const mounts = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: "v", mountPath: `/m${index}/` }));

  test("have their bytes once, however many mounts and containers there are", async () => {
    const data = { a: "x".repeat(1000) };
    const [one, two] = await Promise.all([
      volumeFiles({ volumeMounts: mounts(2) }, source(data, [volume])).then((files) => files()),
      volumeFiles({ volumeMounts: mounts(1) }, source(data, [volume])).then((files) => files()),
    ]);
    expect(Object.keys(one)).toEqual(["/m0/a", "/m1/a"]);
    expect(one["/m1/a"]).toBe(one["/m0/a"]);
    expect(two["/m0/a"]).toBe(one["/m0/a"]);
  });

  test("of more files than a node has room for are refused before any is made", async () => {
    const data = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, ""]));
    await expect(volumeFiles({ volumeMounts: mounts(100) }, source(data, [volume]))).rejects.toThrow(
      'MountVolume.SetUp failed for volume "v" : no space left on device',
    );
  });
});
