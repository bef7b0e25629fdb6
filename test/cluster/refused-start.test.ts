import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClusterOptions, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { bindingWith, createBinding, createPolicy, validatingPolicy } from "../helpers/policies.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "kubets-refused-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const MAP = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

test("a server starts although an admission policy refuses the first objects of its controllers, and creates them later", async () => {
  const refusals: string[] = [];
  const options: ClusterOptions = {
    ...quietCluster,
    port: false,
    storage: "disk",
    dataDir,
    onError: (error) => void refusals.push(String(error)),
  };
  {
    await using cluster = await startCluster(options);
    const api = cluster.transport();
    const validations = [{ expression: "false", message: "no more maps" }];
    expect((await createPolicy(api, "validating", validatingPolicy({ validations }))).status).toBe(201);
    expect((await createBinding(api, "validating", bindingWith("validating"))).status).toBe(201);
    expect((await call(api, "DELETE", MAP)).status).toBe(200);
    await eventually(() => expect(refusals.join()).toContain("no more maps"));
  }
  await using cluster = await startCluster(options);
  const api = cluster.transport();
  expect((await call(api, "GET", MAP)).status).toBe(404);
  await call(api, "DELETE", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/binding");
  await eventually(async () => expect((await call(api, "GET", MAP)).status).toBe(200));
});
