import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../helpers/run-real-helm.js";

const { missing } = realTool("helm");
if (missing !== undefined) process.stdout.write(`helm interop is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("helm 4.2.3, unchanged", () => {
  let cluster: Cluster;
  let helm: RealHelm;

  beforeAll(async () => {
    cluster = await startCluster();
    helm = await realHelm(cluster);
  });
  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  test("installs a chart without hooks, lists it and uninstalls it", async () => {
    const chart = join(import.meta.dirname, "chart");
    const where = ["--namespace", "apps"];
    const installed = await helm.ok("install", "shop", chart, "--server-side=false", ...where, "--create-namespace");
    expect(installed).toMatch(/STATUS: deployed/);

    const list = async () =>
      JSON.parse(await helm.ok("list", "--all-namespaces", "--output", "json")) as Record<string, string>[];
    expect(
      (await list()).map(({ name, namespace, status, chart: from }) => ({ name, namespace, status, from })),
    ).toEqual([{ name: "shop", namespace: "apps", status: "deployed", from: "web-0.1.0" }]);

    const manifest = await helm.ok("get", "manifest", "shop", ...where);
    expect(manifest).toContain("replicas: 2");

    await helm.ok("uninstall", "shop", ...where);
    expect(await list()).toEqual([]);
  });
});
