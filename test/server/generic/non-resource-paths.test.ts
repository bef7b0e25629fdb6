import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// What a server is by default.
const release = await releaseOf();

let cluster: Cluster;
let api: Transport;
let isPantryFull = true;
beforeAll(async () => {
  const check = () => (isPantryFull ? Promise.resolve() : Promise.reject(new Error("no flour")));
  cluster = await startCluster({ port: false, ...quietCluster, healthChecks: [{ name: "pantry", check }] });
  for (const path of ["/apix", "/apis-of-bees", "/versions"])
    cluster.paths.handle(path, (request) => respondText(request, 200, `own ${path}`));
  api = cluster.transport();
});
afterAll(() => cluster.close());

const get = (path: string) => call(api, "GET", path);
const json = async (path: string) => JSON.parse((await get(path)).text) as Record<string, unknown>;

describe("the non-resource paths of a main server", () => {
  test.each([
    "/",
    "/index.html",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/healthz",
    "/livez",
    "/readyz",
    "/openapi/v2",
    "/openapi/v3",
    "/version",
    "/.well-known/openid-configuration",
    "/openid/v1/jwks",
  ])("WEB-5: include %s", async (path) => {
    expect((await get(path)).status).toBe(200);
  });

  test("GEN-API-1: are listed in order at / and /index.html, and /version names the Kubernetes version", async () => {
    const { paths } = (await json("/")) as { paths: string[] };
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toEqual(expect.arrayContaining(["/apis/apps/v1", "/apix", "/healthz", "/openid/v1/jwks"]));
    expect((await get("/index.html")).text).toBe((await get("/")).text);
    expect(await json("/version")).toMatchObject({ major: "1", minor: "37" });
  });

  test("MAIN-1: stand beside the built-in groups of Kubernetes 1.37", async () => {
    const expected = release.builtInApi().groups.map(({ name }) => name);
    const { groups } = (await json("/apis")) as { groups: { name: string }[] };
    const served = ["", ...groups.map(({ name }) => name)];
    expect(served.toSorted()).toEqual(expected.toSorted());
    expect(served).toEqual(
      expect.arrayContaining(["", "apps", "batch", "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"]),
    );
  });

  test("DISP-2: are separated from the API by whole path segments", async () => {
    for (const path of ["/apix", "/apis-of-bees", "/versions"]) expect((await get(path)).text).toBe(`own ${path}`);
    for (const path of ["/apis", "/apis/"]) expect(await json(path)).toMatchObject({ kind: "APIGroupList" });
    for (const path of ["/apis/apps/v1", "/apis/apps/v1/"])
      expect(await json(path)).toMatchObject({ kind: "APIResourceList", groupVersion: "apps/v1" });
    for (const path of ["/apis/app", "/apis/app/v1/things", "/apisx", "/nope"])
      expect([path, (await get(path)).text]).toEqual([path, "404 page not found\n"]);
    for (const path of ["/apis/apps/v1x", "/apis/apps/v9/deployments", "/api/v2", "/api/v2/pods", "/version/nope"])
      expect([path, await json(path)]).toEqual([path, expect.objectContaining({ kind: "Status", reason: "NotFound" })]);
  });
});

describe("health checks (GEN-API-2)", () => {
  test("GEN-API-2: answer ok at /healthz, and with ?verbose list each check", async () => {
    expect((await get("/healthz")).text).toBe("ok");
    const { text } = await get("/healthz?verbose");
    expect(text).toMatch(
      /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]etcd ok\n\[\+\]pantry ok\n(\[\+\]\S+ ok\n)+healthz check passed\n$/,
    );
    expect((await get("/healthz/ping")).text).toBe("ok");
  });

  test("GEN-API-2: answer 500 for a failed check without its reason, and leave it out with ?exclude=", async () => {
    isPantryFull = false;
    try {
      const failed = await get("/healthz");
      expect(failed.status).toBe(500);
      expect(failed.text).toMatch(/\[-\]pantry failed: reason withheld\n(\[\+\]\S+ ok\n)+healthz check failed\n$/);
      expect(failed.text).not.toContain("no flour");
      expect((await get("/healthz?exclude=pantry")).text).toBe("ok");
      expect((await get("/healthz?exclude=pantry&verbose")).text).toContain("[+]pantry excluded: ok\n");
    } finally {
      isPantryFull = true;
    }
  });

  test("GEN-API-2: discovery has a document for the core group, for all groups, for a group and for each version", async () => {
    expect(await json("/api")).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    expect(await json("/apis")).toMatchObject({ kind: "APIGroupList" });
    expect(await json("/apis/apps")).toMatchObject({ kind: "APIGroup", name: "apps" });
    expect(await json("/apis/apps/v1")).toMatchObject({ kind: "APIResourceList", groupVersion: "apps/v1" });
  });
});
