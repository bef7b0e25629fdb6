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

describe.skipIf(missing !== undefined)("Wardle behind a main server, asked by the real kubectl", () => {
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

  test("A-AGG-01: the transcript of the README is what the commands print", async () => {
    const played = await playReadme(kubectl, "wardle/README.md");
    expect(played).toHaveLength(6);
    for (const { command, written, printed } of played) expect(printed, command).toBe(written);
  });

  test("kubectl explains its kinds by the main server's OpenAPI", async () => {
    await eventually(async () =>
      expect(await kubectl.ok("explain flunders.spec --api-version=wardle.example.com/v1beta1")).toContain(
        "flunderReference\t<string>",
      ),
    );
  });

  test("it stops, its APIServices say so, and other groups answer", async () => {
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
