import { cp } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { accountFlags, examplePath, playReadme, type StartedProgram, startBehind } from "../helpers/example-program.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`Wardle behind a main server is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("our example server Wardle behind a main server, used with kubectl", () => {
  let main: Cluster;
  let kubectl: RealKubectl;
  let wardle: StartedProgram;

  beforeAll(async () => {
    main = await startCluster(quietCluster);
    kubectl = await realKubectl(main);
    await cp(examplePath("wardle"), kubectl.folder, { recursive: true });
    await kubectl.ok("apply -f manifests.yaml");
    const flags = await accountFlags(kubectl, "wardle", "apiserver");
    wardle = await startBehind("wardle/server.mjs", [...flags, "--register-service=wardle/api"]);
    await eventually(() => kubectl.ok("get flunders,fischers"));
  });
  afterAll(async () => {
    expect(await wardle?.end()).toEqual([0, null]);
    await kubectl?.[Symbol.asyncDispose]();
    await main?.close();
  });

  test("A-AGG-01: prints the transcript of its README", async () => {
    const played = await playReadme(kubectl, "wardle/README.md");
    expect(played).toHaveLength(6);
    for (const { command, written, printed } of played) expect(printed, command).toBe(written);
  });

  test("CHAIN-1, CHAIN-5, MAIN-1, SRV-1, AA-1, AGG-1, AGG-2, PRX-1, C-CHAIN-02, C-CHAIN-06: answers its kinds by way of the main server, which answers built-in and custom kinds itself", async () => {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boats.harbour.example.com" },
      spec: {
        group: "harbour.example.com",
        scope: "Namespaced",
        names: { kind: "Boat", plural: "boats" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    };
    await kubectl.ok("create -f -", JSON.stringify(definition));
    await eventually(() =>
      kubectl.ok(
        "create -f -",
        JSON.stringify({ apiVersion: "harbour.example.com/v1", kind: "Boat", metadata: { name: "one" } }),
      ),
    );
    await kubectl.ok("create configmap one");
    await kubectl.ok(
      "create -f -",
      JSON.stringify({ apiVersion: "wardle.example.com/v1beta1", kind: "Flunder", metadata: { name: "one" } }),
    );
    expect(await kubectl.ok("get configmap/one boat/one flunder/one -o name")).toBe(
      "configmap/one\nboat.harbour.example.com/one\nflunder.wardle.example.com/one\n",
    );
    const services = await kubectl.ok(
      "get apiservices v1. v1.harbour.example.com v1beta1.wardle.example.com --no-headers",
    );
    expect(services.split("\n").map((line) => line.split(/ +/)[1] ?? "")).toEqual(["Local", "Local", "wardle/api", ""]);
    expect((await kubectl.run("get --raw /apis/harbour.example.com/v1/none")).stderr).toContain("NotFound");
    expect(wardle.log.join("\n")).not.toContain("boats");
    await kubectl.ok("delete flunder one");
  });

  test("has its kinds explained by the main server's OpenAPI", async () => {
    await eventually(async () =>
      expect(await kubectl.ok("explain flunders.spec --api-version=wardle.example.com/v1beta1")).toContain(
        "flunderReference\t<string>",
      ),
    );
  });

  test("has its APIServices unavailable when it stops, and other groups answer", async () => {
    expect(await wardle.end()).toEqual([0, null]);
    await eventually(async () => {
      const condition = "jsonpath={.status.conditions[0].status}";
      expect(await kubectl.ok(["get", "apiservice", "v1beta1.wardle.example.com", "-o", condition])).toBe("False");
    });
    expect((await kubectl.run("get flunders")).code).not.toBe(0);
    expect(await kubectl.ok("get namespace wardle -o name")).toBe("namespace/wardle\n");
    const flags = await accountFlags(kubectl, "wardle", "apiserver");
    wardle = await startBehind("wardle/server.mjs", [...flags, "--register-service=wardle/api"]);
    await eventually(async () => expect((await kubectl.run("get flunders")).code).toBe(0));
  });
});
