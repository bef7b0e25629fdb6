import { describe, expect, test } from "vitest";
import { containerEnvironment } from "../../../src/node/agent/container-environment.js";
import { mountSource as source } from "../../helpers/mount-source.js";
import { inShortTurns } from "../../helpers/short-turns.js";

/** A1 is A0 twice, A2 is A1 twice. */
const doubling = (count: number) => [
  { name: "A0", value: "0123456789" },
  ...Array.from({ length: count }, (_, index) => ({ name: `A${index + 1}`, value: `$(A${index})$(A${index})` })),
];

describe("the environment variables of a container", () => {
  test.each([
    ["$(A)-$(A)", "a-a"],
    ["$$(A) $$$$ $ $x", "$(A) $$ $ $x"],
    ["$(NONE) $(A", "$(NONE) $(A"],
    ["$(constructor) $(__proto__)", "$(constructor) $(__proto__)"],
    ["$(B$(A)", "$(B$(A)"],
    ["", ""],
  ])("expand references: %j to %j", async (value, expanded) => {
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

  test("end the start at once when they double themselves beyond any program's limit", async () => {
    await expect(containerEnvironment({ env: doubling(30) }, source())).rejects.toMatchObject({
      reason: "StartError",
      message: expect.stringContaining("argument list too long"),
    });
  });

  test("may fit while arguments that repeat them are too long", async () => {
    const env = await containerEnvironment({ env: doubling(14) }, source());
    expect(() => env.word("$(A14)".repeat(20))).toThrow("argument list too long");
  });

  test("with many unterminated references take no longer to expand than others", async () => {
    await inShortTurns(async () => {
      const value = "$(".repeat(500_000);
      const env = await containerEnvironment({ env: [{ name: "V", value }] }, source());
      expect(env.variables).toEqual({ V: value });
    });
  });

  test("report a missing key of a ConfigMap, whatever its name is", async () => {
    const valueFrom = { configMapKeyRef: { name: "big", key: "constructor" } };
    await expect(containerEnvironment({ env: [{ name: "A", valueFrom }] }, source())).rejects.toThrow(
      "couldn't find key constructor in ConfigMap default/big",
    );
  });
});
