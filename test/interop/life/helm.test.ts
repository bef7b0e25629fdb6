import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { object, objects } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../../helpers/run-real-helm.js";

const { missing } = realTool("helm");
if (missing !== undefined) process.stdout.write(`releases by helm are skipped: ${missing}\n`);

const CHART = join(import.meta.dirname, "chart");

describe.skipIf(missing !== undefined)("helm 4.3.1, unchanged, with a release whose pods run", () => {
  let cluster: Cluster;
  let api: Transport;
  let helm: RealHelm;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: [{ name: "node", hasImage: (image) => !image.endsWith(":missing") }] });
    api = cluster.transport();
    helm = await realHelm(cluster);
  });
  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  const read = async (path: string) => object(JSON.parse((await call(api, "GET", path)).text));
  const deployment = () => read("/apis/apps/v1/namespaces/default/deployments/store");
  const images = async () => objects(object(object(object((await deployment()).spec).template).spec).containers);

  test("K37-221: install --wait returns when the pods are ready, after the hook's Job has ended", async () => {
    const installed = await helm.ok("install", "store", CHART, "--wait", "--timeout=50s");
    expect(installed).toMatch(/STATUS: deployed/);
    expect((await deployment()).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    const job = await read("/apis/batch/v1/namespaces/default/jobs/store-migrate");
    expect(job.status).toMatchObject({ succeeded: 1 });
  });

  test("test runs the hook's pod and prints its log", async () => {
    const tested = await helm.ok("test", "store", "--logs", "--timeout=50s");
    expect(tested).toMatch(/TEST SUITE: +store-answers\n/);
    expect(tested).toMatch(/Phase: +Succeeded/);
    expect(tested).toContain("POD LOGS: store-answers (check)\nthe release answers\n");
  });

  test("upgrade --wait rolls out; upgrade --rollback-on-failure returns to the former release", async () => {
    await helm.ok("upgrade", "store", CHART, "--set", "image=example.org/web:2", "--wait", "--timeout=50s");
    expect((await deployment()).status).toMatchObject({ updatedReplicas: 2, readyReplicas: 2 });

    const failed = await helm.run(
      "upgrade",
      "store",
      CHART,
      "--set",
      "image=example.org/web:missing",
      "--rollback-on-failure",
      "--timeout=6s",
    );
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      "release store failed, and has been rolled back due to rollback-on-failure being set",
    );
    expect(await images()).toMatchObject([{ image: "example.org/web:2" }]);
    const history = JSON.parse(await helm.ok("history", "store", "--output=json")) as Record<string, unknown>[];
    expect(history.map(({ revision, status, description }) => ({ revision, status, description }))).toMatchObject([
      { revision: 1, status: "superseded" },
      { revision: 2, status: "superseded" },
      { revision: 3, status: "failed" },
      { revision: 4, status: "deployed", description: "Rollback to 2" },
    ]);
  });

  test("test exits with 1 when a test fails", async () => {
    await helm.ok("upgrade", "store", CHART, "--set", "check=exit 3", "--wait", "--timeout=50s");
    const { code, stdout } = await helm.run("test", "store", "--timeout=50s");
    expect([code, stdout]).toEqual([1, expect.stringMatching(/Phase: +Failed/)]);
  });

  test("uninstall --wait returns when the pods are gone", async () => {
    await helm.ok("uninstall", "store", "--wait", "--timeout=50s");
    expect((await read("/apis/apps/v1/namespaces/default/deployments")).items).toEqual([]);
  });
});
