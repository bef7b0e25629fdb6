import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

// Versions beyond the stable ones, as kube-apiserver's --runtime-config serves them.
describe("the server option runtimeConfig", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({
      port: false,
      // It has storage.k8s.io/v1beta1.
      kubernetesVersion: "1.36",
      runtimeConfig: { "api/beta": true, "networking.k8s.io/v1beta1": false },
    });
  });
  afterAll(() => cluster.close());

  const versionsOf = async (group: string) => {
    const answer = await call(cluster.transport(), "GET", `/apis/${group}`);
    return (JSON.parse(answer.text) as { versions: { version: string }[] }).versions.map(({ version }) => version);
  };

  it("serves classes of versions and named versions, the preferred first", async () => {
    expect(await versionsOf("resource.k8s.io")).toEqual(["v1", "v1beta2", "v1beta1"]);
    expect(await versionsOf("networking.k8s.io")).toEqual(["v1"]);
    expect(await versionsOf("certificates.k8s.io")).toEqual(["v1", "v1beta1"]);
  });

  it("keeps the objects of all versions of a kind in one place", async () => {
    const path = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;
    const created = await call(cluster.transport(), "POST", path("v1beta1"), {
      apiVersion: "storage.k8s.io/v1beta1",
      kind: "VolumeAttributesClass",
      metadata: { name: "gold" },
      driverName: "csi.example.com",
      parameters: { iops: "100" },
    });
    expect(created.status).toBe(201);
    expect(created.at("apiVersion")).toBe("storage.k8s.io/v1beta1");
    const stable = await call(cluster.transport(), "GET", `${path("v1")}/gold`);
    expect(stable.at("apiVersion")).toBe("storage.k8s.io/v1");
    expect(stable.at("parameters")).toEqual({ iops: "100" });
  });

  it("decides what OpenAPI describes", async () => {
    const index = await call(cluster.transport(), "GET", "/openapi/v3");
    const paths = Object.keys(index.at("paths") as object);
    expect(paths).toContain("apis/resource.k8s.io/v1beta1");
    expect(paths).not.toContain("apis/networking.k8s.io/v1beta1");
  });
});
