import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { accountFlags, examplePath, playReadme, type StartedProgram, startBehind } from "../helpers/example-program.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`the restaurant behind a main server is skipped: ${missing}\n`);

const GROUP = "restaurant.programming-kubernetes.info";
const ALPHA = `v1alpha1.${GROUP}`;

/** The text with the times, uids and versions that differ from run to run left out. */
const timeless = (text: string): string =>
  text
    .replace(/creationTimestamp: .*/, "creationTimestamp: TIME")
    .replace(/resourceVersion: .*/, "resourceVersion: VERSION")
    .replace(/uid: .*/, "uid: UID");

const pizzaYaml = (name: string, toppings: readonly string[]): string =>
  [
    `apiVersion: ${GROUP}/v1beta1`,
    "kind: Pizza",
    "metadata:",
    "  creationTimestamp: TIME",
    `  name: ${name}`,
    "  namespace: default",
    "  resourceVersion: VERSION",
    "  uid: UID",
    "spec:",
    "  toppings:",
    ...toppings.flatMap((topping) => [`  - name: ${topping}`, "    quantity: 1"]),
    "status: {}",
    "",
  ].join("\n");

describe.skipIf(missing !== undefined)("T3: the text's session with the restaurant behind a main server", () => {
  let main: Cluster;
  let kubectl: RealKubectl;
  let restaurant: StartedProgram;

  beforeAll(async () => {
    const { controllers } = quietCluster;
    main = await startCluster({
      ...quietCluster,
      controllers: [...(controllers || []), "clusterrole-aggregation-controller"],
    });
    kubectl = await realKubectl(main);
    for (const folder of ["manifests", "objects"]) {
      await cp(examplePath(`restaurant/${folder}`), join(kubectl.folder, folder), { recursive: true });
    }
  });
  afterAll(async () => {
    expect(await restaurant?.end()).toEqual([0, null]);
    await kubectl?.[Symbol.asyncDispose]();
    await main?.close();
  });

  test("A-AGG-05, A-RBAC-01, A-RBAC-04: needs its account, its rights and its registration to start", async () => {
    await kubectl.ok("apply -f manifests/1-account.yaml");
    const flags = await accountFlags(kubectl, "pizza-apiserver", "apiserver");
    const registered = [...flags, "--register-service=pizza-apiserver/api", "--register-version-priority=20"];
    await expect(startBehind("restaurant/server.mjs", registered)).rejects.toThrow("is forbidden");
    await kubectl.ok("apply -f manifests");
    restaurant = await startBehind("restaurant/server.mjs", registered);
  });

  test("A-APS-11, A-APS-12: its APIServices are available, and the newer version is preferred", async () => {
    await eventually(async () => {
      const [head = "", row = ""] = (await kubectl.ok(`get apiservices ${ALPHA}`)).split("\n");
      expect(head.split(/ +/)).toEqual(["NAME", "SERVICE", "AVAILABLE", "AGE"]);
      expect(row.split(/ +/).slice(0, 3)).toEqual([ALPHA, "pizza-apiserver/api", "True"]);
    });
    const condition = await kubectl.ok(["get", "apiservices", ALPHA, "-o", "jsonpath={.status.conditions[0]}"]);
    expect(JSON.parse(condition)).toMatchObject({
      message: "all checks passed",
      reason: "Passed",
      status: "True",
      type: "Available",
    });
    await eventually(async () =>
      expect(JSON.parse(await kubectl.ok(`get --raw /apis/${GROUP}`)).preferredVersion.version).toBe("v1beta1"),
    );
  });

  test("A-CLI-01, A-CLI-03: begins with no pizzas, in the preferred version", async () => {
    await eventually(async () => {
      const { stderr } = await kubectl.run("get pizzas --v=7");
      expect(stderr).toContain(`/apis/${GROUP}/v1beta1/namespaces/default/pizzas?limit=500`);
      expect(stderr).toContain("No resources found in default namespace.\n");
    });
  });

  test("A-CLI-04, A-PIZ-04, A-PIZ-05: creates toppings, a margherita and a pizza without a spec", async () => {
    for (const name of ["mozzarella", "salami", "tomato"]) {
      expect(await kubectl.ok(`create -f objects/topping-${name}.yaml`)).toBe(`topping.${GROUP}/${name} created\n`);
    }
    expect(await kubectl.ok("create -f objects/pizza-margherita.yaml")).toBe(`pizza.${GROUP}/margherita created\n`);
    expect(timeless(await kubectl.ok("get pizza -o yaml margherita"))).toBe(
      pizzaYaml("margherita", ["mozzarella", "tomato"]),
    );
    expect(await kubectl.ok("create -f objects/empty-pizza.yaml")).toBe(`pizza.${GROUP}/salami created\n`);
    expect(timeless(await kubectl.ok("get pizza -o yaml salami"))).toBe(
      pizzaYaml("salami", ["salami", "mozzarella", "tomato"]),
    );
  });

  test("A-PIZ-01, A-PIZ-03: repeats extra cheese in the older version and counts it in the newer", async () => {
    const spec = { toppings: ["mozzarella", "tomato", "mozzarella"] };
    const cheesy = { apiVersion: `${GROUP}/v1alpha1`, kind: "Pizza", metadata: { name: "cheesy" }, spec };
    await kubectl.ok("create -f -", JSON.stringify(cheesy));
    const toppingsIn = (version: string) =>
      kubectl.ok(["get", `pizzas.${version}.${GROUP}`, "cheesy", "-o", "jsonpath={.spec.toppings}"]);
    expect(await toppingsIn("v1beta1")).toBe('[{"name":"mozzarella","quantity":2},{"name":"tomato","quantity":1}]');
    expect(await toppingsIn("v1alpha1")).toBe('["mozzarella","mozzarella","tomato"]');
    await kubectl.ok("delete pizza cheesy");
  });

  test("A-AUTHN-01, A-RBAC-01: gives the main server's users the rights of their roles, and no others", async () => {
    await kubectl.ok("create rolebinding jane --clusterrole=edit --user=jane");
    await eventually(async () =>
      expect(await kubectl.ok("get pizzas -o name --as=jane")).toBe(
        `pizza.${GROUP}/margherita\npizza.${GROUP}/salami\n`,
      ),
    );
    expect((await kubectl.run("delete topping tomato --as=jane")).stderr).toBe(
      `Error from server (Forbidden): toppings.${GROUP} "tomato" is forbidden: User "jane" cannot delete resource "toppings" in API group "${GROUP}" at the cluster scope\n`,
    );
  });

  test("A-CLI-05, A-CLI-07: deletes all pizzas and toppings in the order of their names", async () => {
    expect(await kubectl.ok("delete pizzas --all")).toBe(
      ["margherita", "salami"].map((name) => `pizza.${GROUP} "${name}" deleted from default namespace\n`).join(""),
    );
    expect(await kubectl.ok("delete toppings --all")).toBe(
      ["mozzarella", "salami", "tomato"].map((name) => `topping.${GROUP} "${name}" deleted\n`).join(""),
    );
  });

  test("A-CLI-06, A-ADM-09: refuses a pizza without its toppings", async () => {
    expect(await kubectl.run("create -f objects/pizza-margherita.yaml")).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error from server (Forbidden): error when creating "objects/pizza-margherita.yaml": pizzas.${GROUP} "margherita" is forbidden: unknown topping: mozzarella\n`,
    });
  });

  test("prints what the transcript of the README shows", async () => {
    const played = await playReadme(kubectl, "restaurant/README.md");
    expect(played).toHaveLength(9);
    for (const { command, written, printed } of played) expect(printed, command).toBe(written);
  });
});
