import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { AuditEvent } from "../../../src/server/audit/audit-event.js";
import { realTool } from "../../helpers/real-tools.js";
import { realKubectl, type RealKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`audit events of kubectl are skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("the audit log for requests of the real kubectl", () => {
  let folder: string;
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubets-audit-kubectl-"));
    cluster = await startCluster({
      controllers: false,
      scheduler: false,
      audit: {
        policy: { omitStages: ["RequestReceived"], rules: [{ level: "Request", users: ["kubernetes-admin"] }] },
        log: { path: join(folder, "audit.log") },
      },
    });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl[Symbol.asyncDispose]();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The events of what kubectl did with config maps. The mode blocking has written them when kubectl has its answers. */
  const events = (): readonly AuditEvent[] =>
    readFileSync(join(folder, "audit.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ objectRef }) => objectRef?.resource === "configmaps");

  test("has their verbs, objects and User-Agent", async () => {
    await kubectl.ok("create configmap a --from-literal=key=value");
    await kubectl.ok("label configmap a kept=yes");
    await kubectl.ok("get configmaps");
    await kubectl.ok("delete configmap a --wait=false");
    const written = events().filter(({ verb }) => verb !== "get");
    expect(written.map(({ verb, objectRef, responseStatus }) => [verb, objectRef?.name, responseStatus?.code])).toEqual(
      [
        ["create", "a", 201],
        ["patch", "a", 200],
        ["list", undefined, 200],
        ["delete", "a", 200],
      ],
    );
    const [create, patch, list, remove] = written;
    expect(create?.requestObject).toMatchObject({ kind: "ConfigMap", data: { key: "value" } });
    expect(patch?.requestObject).toEqual({ metadata: { labels: { kept: "yes" } } });
    expect(list?.requestObject).toBeUndefined();
    expect(remove?.requestObject).toMatchObject({ kind: "DeleteOptions", propagationPolicy: "Background" });
    expect(written.every(({ userAgent = "" }) => userAgent.startsWith("kubectl/"))).toBe(true);
  });
});
