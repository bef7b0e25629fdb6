import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { type ExampleProgram, startExample } from "../helpers/example-program.js";
import { realTool } from "../helpers/real-tools.js";
import type { RealKubectl } from "../helpers/run-real-kubectl.js";

const kubectlTool = realTool("kubectl");
if (kubectlTool.missing !== undefined)
  process.stdout.write(`the example of the restaurant is skipped: ${kubectlTool.missing}\n`);

const GROUP = "restaurant.programming-kubernetes.info";

const manifest = (version: string, kind: string, name: string, spec: string): string =>
  `apiVersion: ${GROUP}/${version}\nkind: ${kind}\nmetadata:\n  name: ${name}\nspec:${spec}\n`;

const TOPPINGS = [
  ["mozzarella", 1],
  ["salami", 0.2],
  ["tomato", 0.1],
] as const;
const MARGHERITA = manifest("v1alpha1", "Pizza", "margherita", " {toppings: [mozzarella, tomato]}");

describe.skipIf(kubectlTool.missing !== undefined)("kubectl on the restaurant example, over files", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-restaurant-"));
  const fileOf = (name: string): string => join(folder, GROUP, "pizzas/default", `${name}.yaml`);
  let restaurant: ExampleProgram;
  let kubectl: RealKubectl;

  const start = async (): Promise<void> => {
    restaurant = await startExample("restaurant/server.mjs", [`--storage=files:${folder}`]);
    kubectl = await restaurant.kubectl();
  };
  const end = async (): Promise<void> => {
    expect(await restaurant.end()).toEqual([0, null]);
    await kubectl[Symbol.asyncDispose]();
  };
  const create = (text: string) => kubectl.run("create -f -", text);
  const toppingsOf = (name: string, version = "v1beta1"): Promise<string> =>
    kubectl.ok(["get", `pizzas.${version}.${GROUP}`, name, "-o", "jsonpath={.spec.toppings}"]);

  beforeAll(start);
  afterAll(async () => {
    await end();
    rmSync(folder, { recursive: true });
  });

  test("A-PIZ-05, A-INST-03, B-VER-07, B-VER-08: finds the newer version preferred, and toppings only in the older", async () => {
    const table = await kubectl.ok("api-resources --no-headers");
    expect(table.split("\n").map((line) => line.split(/ +/))).toEqual([
      ["pizzas", `${GROUP}/v1beta1`, "true", "Pizza"],
      ["toppings", `${GROUP}/v1alpha1`, "false", "Topping"],
      [""],
    ]);
  });

  test("A-PIZ-02, A-ADM-09: is refused a pizza with unknown toppings", async () => {
    expect((await create(MARGHERITA)).stderr).toBe(
      `Error from server (Forbidden): error when creating "STDIN": pizzas.${GROUP} "margherita" is forbidden: unknown topping: mozzarella\n`,
    );
  });

  test("runs the source text's session: toppings, a margherita, and a pizza without a spec", async () => {
    for (const [name, cost] of TOPPINGS) await create(manifest("v1alpha1", "Topping", name, ` {cost: ${cost}}`));
    expect((await create(MARGHERITA)).stdout).toBe(`pizza.${GROUP}/margherita created\n`);
    expect(await toppingsOf("margherita")).toBe('[{"name":"mozzarella","quantity":1},{"name":"tomato","quantity":1}]');
    expect((await create(manifest("v1alpha1", "Pizza", "salami", ""))).stdout).toBe(`pizza.${GROUP}/salami created\n`);
    expect(await toppingsOf("salami")).toBe(
      '[{"name":"salami","quantity":1},{"name":"mozzarella","quantity":1},{"name":"tomato","quantity":1}]',
    );
  });

  test("A-PIZ-01, A-CONV-04, A-CONV-05: reads extra cheese counted, and repeated in the older version", async () => {
    await create(manifest("v1alpha1", "Pizza", "cheesy", " {toppings: [mozzarella, tomato, mozzarella]}"));
    expect(await toppingsOf("cheesy")).toBe('[{"name":"mozzarella","quantity":2},{"name":"tomato","quantity":1}]');
    expect(await toppingsOf("cheesy", "v1alpha1")).toBe('["mozzarella","mozzarella","tomato"]');
  });

  test("A-VAL-02, A-VAL-03, A-CAP-07, T5: gets all faults of a pizza at once, by the fields of the stored version", async () => {
    const wrong = await create(manifest("v1beta1", "Pizza", "wrong", ' {toppings: [{name: "", quantity: -1}]}'));
    expect(wrong.stderr).toContain("* spec.toppings[0].quantity: Invalid value: -1: cannot be negative or zero\n");
    expect(wrong.stderr).toContain('* spec.toppings[0].name: Invalid value: "": cannot be empty\n');
    const twice = " {toppings: [{name: tomato, quantity: 1}, {name: tomato, quantity: 1}]}";
    expect((await create(manifest("v1beta1", "Pizza", "twice", twice))).stderr).toContain(
      'spec.toppings[1].name: Invalid value: "tomato": must be unique',
    );
    expect((await create(manifest("v1alpha1", "Pizza", "empty", ' {toppings: [""]}'))).stderr).toContain(
      'spec.toppings[0].name: Invalid value: "": cannot be empty',
    );
  });

  test("T16: sees an edited file as a write, and no effect of an invalid file", async () => {
    const file = fileOf("margherita");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace("quantity: 1", "quantity: 3"));
    await eventually(async () =>
      expect(await toppingsOf("margherita")).toBe(
        '[{"name":"mozzarella","quantity":3},{"name":"tomato","quantity":1}]',
      ),
    );
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.replace("quantity: 3", "quantity: -3"));
    await eventually(() => expect(restaurant.log.join("\n")).toContain("cannot be negative or zero"));
    expect(await toppingsOf("margherita")).toContain('"quantity":3');
    writeFileSync(file, good);
  });

  test("T16, T18, B-VER-06: sees all objects after a restart, and a file in an older version is rewritten at its first change", async () => {
    await end();
    const older = manifest("v1alpha1", "Pizza", "salami", "\n  toppings: [salami, salami, tomato]");
    writeFileSync(fileOf("salami"), older);
    await start();
    expect(await kubectl.ok("get pizzas -o name")).toBe(
      ["cheesy", "margherita", "salami"].map((name) => `pizza.${GROUP}/${name}\n`).join(""),
    );
    expect(await toppingsOf("margherita")).toContain('"quantity":3');
    expect(await toppingsOf("salami")).toBe('[{"name":"salami","quantity":2},{"name":"tomato","quantity":1}]');
    expect(readFileSync(fileOf("salami"), "utf8")).toContain(`${GROUP}/v1alpha1`);
    await kubectl.ok("label pizza salami hot=yes");
    const stored = readFileSync(fileOf("salami"), "utf8");
    expect(stored).toContain(`apiVersion: ${GROUP}/v1beta1`);
    expect(stored).toContain("quantity: 2");
    expect(await toppingsOf("salami", "v1alpha1")).toBe('["salami","salami","tomato"]');
  });

  test("deletes all pizzas and toppings at the end, and their files are gone", async () => {
    expect(await kubectl.ok("delete pizzas --all")).toBe(
      ["cheesy", "margherita", "salami"]
        .map((name) => `pizza.${GROUP} "${name}" deleted from default namespace\n`)
        .join(""),
    );
    expect(await kubectl.ok("delete toppings --all")).toBe(
      TOPPINGS.map(([name]) => `topping.${GROUP} "${name}" deleted\n`).join(""),
    );
    expect(() => readFileSync(fileOf("salami"))).toThrow("ENOENT");
  });
});
