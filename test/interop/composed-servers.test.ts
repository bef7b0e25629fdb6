import { describe, expect, test } from "vitest";
import {
  type ResourceDefinition,
  respondText,
  type RunningServer,
  serverOptions,
  startServer,
  string,
  struct,
} from "../../src/cluster/server.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined)
  process.stdout.write(`servers that people compose are skipped: ${kubectl.missing}\n`);

/** The older version calls the topping a sauce. */
const pizzas: ResourceDefinition = {
  group: "restaurant.example.com",
  resource: "pizzas",
  kind: "Pizza",
  namespaced: true,
  shortNames: ["pz"],
  versions: [
    { version: "v1", schema: struct("Pizza", { spec: struct("PizzaSpec", { topping: string }) }) },
    {
      version: "v1alpha1",
      schema: struct("Pizza", { spec: struct("PizzaSpec", { sauce: string }) }),
      conversion: {
        toHub: ({ spec, ...pizza }) => ({
          ...pizza,
          spec: { topping: (spec as { sauce?: string } | undefined)?.sauce ?? "" },
        }),
        fromHub: ({ spec, ...pizza }) => ({
          ...pizza,
          spec: { sauce: (spec as { topping?: string } | undefined)?.topping ?? "" },
        }),
      },
    },
  ],
};

const ovens: ResourceDefinition = {
  group: "kitchen.example.com",
  resource: "ovens",
  kind: "Oven",
  namespaced: false,
  versions: [{ version: "v1", schema: struct("Oven", { spec: struct("OvenSpec", { fuel: string }) }) }],
};

describe.skipIf(kubectl.missing !== undefined)("kubectl on servers that users compose", () => {
  /** kubectl as it is told the server and nothing else: `kubectl --server=http://...`. */
  async function asks(server: RunningServer): Promise<RealKubectl> {
    return realKubectl({
      kubeconfig: () =>
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: [{ name: "one", cluster: { server: server.url } }],
          contexts: [{ name: "one", context: { cluster: "one", user: "" } }],
          "current-context": "one",
        }),
    });
  }

  test("finds on an empty server a version and paths, no resources, and NotFound for all others", async () => {
    await using server = await startServer({ port: false, http: { anonymous: true } });
    await using real = await asks(server);
    expect(await real.ok("api-resources")).toBe("");
    expect(await real.ok("version")).toContain("Server Version: v1.37.1+kubets");
    expect(JSON.parse(await real.ok("get --raw /"))).toHaveProperty("paths");
    const none = await real.run("get pods");
    expect([none.code, none.stderr]).toEqual([1, `error: the server doesn't have a resource type "pods"\n`]);
  });

  test("uses the restaurant server alone over plain HTTP, with two versions and a path of its own (T15, B-VER-02, B-SA, B-GOAL-01, B-SA-07, B-SA-09)", async () => {
    await using server = await startServer({ port: false, http: { anonymous: true }, resources: [pizzas] });
    server.paths.handle("/menu", (request) => respondText(request, 200, "margherita\n"));
    await using real = await asks(server);
    const older = {
      apiVersion: "restaurant.example.com/v1alpha1",
      kind: "Pizza",
      metadata: { name: "margherita" },
      spec: { sauce: "tomato" },
    };
    const create = await real.run("create -f - --save-config", JSON.stringify(older));
    expect(create.stdout).toBe("pizza.restaurant.example.com/margherita created\n");
    const spec = (resource: string) => real.ok(["get", resource, "margherita", "-o", "jsonpath={.spec}"]);
    expect(await spec("pizzas")).toBe('{"topping":"tomato"}');
    expect(await spec("pizzas.v1alpha1.restaurant.example.com")).toBe('{"sauce":"tomato"}');
    const newer = { ...older, apiVersion: "restaurant.example.com/v1", spec: { topping: "basil" } };
    expect((await real.run("apply -f -", JSON.stringify(newer))).stdout).toBe(
      "pizza.restaurant.example.com/margherita configured\n",
    );
    expect(await spec("pz")).toBe('{"topping":"basil"}');
    expect(await real.ok("get pz")).toMatch(/^NAME {9}(CREATED AT|AGE) *\nmargherita {3}\S+\n$/);
    expect(await real.ok("explain pizzas.spec.topping")).toContain("FIELD: topping <string>");
    expect(await real.ok("get --raw /menu")).toBe("margherita\n");
    expect(await real.ok("delete pizza margherita")).toBe(
      'pizza.restaurant.example.com "margherita" deleted from default namespace\n',
    );
  });

  test("sees a main server with an extension server behind it as one API, with one explain (CHAIN-4, C-CHAIN-02, C-CHAIN-05)", async () => {
    const behind = await (await serverOptions({ port: false, resources: [ovens] }).toConfig())
      .complete()
      .newServer("extensions");
    const config = await serverOptions({ port: false, http: { anonymous: true }, resources: [pizzas] }).toConfig();
    const head = await config.complete().newServer("main", behind);
    await using server = await head.prepareRun().start();
    await using real = await asks(server);
    const objects = [
      { apiVersion: "restaurant.example.com/v1", kind: "Pizza", metadata: { name: "one" }, spec: { topping: "basil" } },
      { apiVersion: "kitchen.example.com/v1", kind: "Oven", metadata: { name: "two" }, spec: { fuel: "wood" } },
    ];
    const applied = await real.run("apply -f -", objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    expect(applied.stdout).toBe("pizza.restaurant.example.com/one created\noven.kitchen.example.com/two created\n");
    expect(await real.ok("get pizzas,ovens -o name")).toBe(
      "pizza.restaurant.example.com/one\noven.kitchen.example.com/two\n",
    );
    expect(await real.ok("explain ovens.spec.fuel")).toContain("FIELD: fuel <string>");
    expect((await real.ok("api-versions")).split("\n")).toEqual(
      expect.arrayContaining([
        "kitchen.example.com/v1",
        "restaurant.example.com/v1",
        "restaurant.example.com/v1alpha1",
      ]),
    );
    expect((await real.run("get --raw /apis/other.example.com/v1")).stderr).toContain("NotFound");
  });
});
