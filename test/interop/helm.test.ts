import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { realTool } from "../helpers/real-tools.js";

const helm = realTool("helm");
if (helm.missing !== undefined) process.stdout.write(`helm interop is skipped: ${helm.missing}\n`);

describe.skipIf(helm.missing !== undefined)("helm 4.2.3, unchanged", () => {
  let cluster: Cluster;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubets-helm-"));
    cluster = await startCluster();
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig(), { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(helm.path, args, {
      env: { PATH: "/usr/bin:/bin", HOME: folder, KUBECONFIG: join(folder, "kubeconfig") },
    });
    return stdout;
  }

  test("installs a chart without hooks, lists it and uninstalls it", async () => {
    const chart = join(import.meta.dirname, "chart");
    const installed = await run(
      "install",
      "shop",
      chart,
      "--server-side=false",
      "--namespace",
      "apps",
      "--create-namespace",
    );
    expect(installed).toMatch(/STATUS: deployed/);

    const releases = JSON.parse(await run("list", "--all-namespaces", "--output", "json")) as Record<string, string>[];
    expect(releases.map(({ name, namespace, status, chart: from }) => ({ name, namespace, status, from }))).toEqual([
      { name: "shop", namespace: "apps", status: "deployed", from: "web-0.1.0" },
    ]);

    const manifest = await run("get", "manifest", "shop", "--namespace", "apps");
    expect(manifest).toContain("replicas: 2");

    await run("uninstall", "shop", "--namespace", "apps");
    expect(JSON.parse(await run("list", "--all-namespaces", "--output", "json"))).toEqual([]);
  });
});
