import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../helpers/run-real-helm.js";

const { missing } = realTool("helm");
if (missing !== undefined) process.stdout.write(`helm interop is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("helm 4.3.1, unchanged", () => {
  let cluster: Cluster;
  let helm: RealHelm;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
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

  test("installs the APIService of metrics-server's chart, which replaces the server's own metrics API until it is uninstalled", async () => {
    const chart = join(helm.folder, "metrics-server");
    await mkdir(join(chart, "templates"), { recursive: true });
    await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: metrics-server\nversion: 1.0.0\n");
    const apiService = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta1.metrics.k8s.io" },
      spec: {
        group: "metrics.k8s.io",
        groupPriorityMinimum: 100,
        insecureSkipTLSVerify: true,
        service: { name: "metrics-server", namespace: "kube-system", port: 443 },
        version: "v1beta1",
        versionPriority: 100,
      },
    };
    await writeFile(join(chart, "templates", "apiservice.yaml"), JSON.stringify(apiService));
    const where = ["--namespace", "kube-system"];
    expect(await helm.ok("install", "metrics-server", chart, "--wait", "--timeout=60s", ...where)).toMatch(
      /STATUS: deployed/,
    );
    const api = cluster.transport();
    const nodes = () => call(api, "GET", "/apis/metrics.k8s.io/v1beta1/nodes");
    // The chart here has no Service, so that nobody answers in the place of the server's own.
    await eventually(async () => expect((await nodes()).status).toBe(503));
    await helm.ok("uninstall", "metrics-server", ...where);
    await eventually(async () => expect((await nodes()).status).toBe(200));
    expect((await nodes()).at("items.0.metadata.name")).toBe("node-1");
  });
});
