import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import { API_SERVICES } from "../../helpers/aggregated-backend.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

test("a cluster starts in spite of a stored APIService whose file cannot be read, and reports it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kubets-broken-api-service-"));
  // Runs after both clusters are closed, which write to the folder until then.
  onTestFinished(() => rm(folder, { recursive: true }));
  const options = { ...quietCluster, storage: `files:${folder}` } as const;
  const before = await startCluster(options);
  await call(before.transport(), "POST", API_SERVICES, {
    metadata: { name: "v1.broken.example.com" },
    spec: { group: "broken.example.com", version: "v1", groupPriorityMinimum: 10, versionPriority: 10 },
  });
  await before.close();
  const files = join(folder, "apiregistration.k8s.io", "apiservices");
  const broken = (await readdir(files)).find((name) => name.includes("broken")) ?? "";
  await writeFile(join(files, broken), "spec: [");
  const reports: string[] = [];
  await using cluster = await startCluster({ ...options, onError: (error) => void reports.push(String(error)) });
  expect((await call(cluster.transport(), "GET", "/api/v1/namespaces")).status).toBe(200);
  expect(reports.join("\n")).toContain(broken);
});
