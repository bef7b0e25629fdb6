import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "../../../../src/server/admission/plugin.js";
import { create, expectAnswer, expectRefused, expectTaken, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({ enable: ["NamespaceAutoProvision"] });
});

afterAll(() => server[Symbol.asyncDispose]());

const map = (name: string): object => ({ metadata: { name } });

describe("the admission plugin NamespaceAutoProvision", () => {
  const rows: readonly (readonly [title: string, namespace: string, resource: string, body: object])[] = [
    ["a config map", "made-by-map", "configmaps", map("c")],
    ["a secret", "made-by-secret", "secrets", map("s")],
    ["an object of another group", "made-by-lease", "leases", { metadata: { name: "l" }, spec: {} }],
    ["an object without a name", "made-by-generated", "configmaps", { metadata: { generateName: "c-" } }],
  ];
  test.each(rows)("creates for %s the namespace %s", async (_, namespace, resource, body) => {
    const group = resource === "leases" ? "/apis/coordination.k8s.io/v1" : "/api/v1";
    await expectTaken(create(server.api, `${group}/namespaces/${namespace}/${resource}`, body));
    const made = await call(server.api, "GET", `/api/v1/namespaces/${namespace}`);
    expect([made.status, made.at("status.phase")]).toEqual([200, "Active"]);
  });

  test("creates it once for many objects at the same time", async () => {
    const path = "/api/v1/namespaces/busy/configmaps";
    const all = Array.from({ length: 20 }, (_, index) => expectTaken(create(server.api, path, map(`c-${index}`))));
    await Promise.all(all);
    expect((await call(server.api, "GET", path)).at("items.19.metadata.name")).toBe("c-9");
  });

  test("creates none in a dry run, which NamespaceLifecycle refuses", async () => {
    const path = "/api/v1/namespaces/never/configmaps";
    await expectRefused(tryCreate(server.api, path, map("c")), 'namespaces "never" not found', 404);
    expect((await call(server.api, "GET", "/api/v1/namespaces/never")).status).toBe(404);
  });

  test("creates none for a cluster-scoped object or a Namespace", async () => {
    await expectTaken(create(server.api, "/api/v1/namespaces", map("itself")));
    await expectTaken(
      create(server.api, "/apis/storage.k8s.io/v1/storageclasses", { ...map("s"), provisioner: "p/q" }),
    );
    const names = await call(server.api, "GET", "/api/v1/namespaces");
    expect(names.text).not.toContain('"name":"s"');
  });

  test("creates none for an update, a deletion or a read", async () => {
    const path = "/api/v1/namespaces/unseen/configmaps/c";
    for (const method of ["GET", "DELETE"]) expect((await call(server.api, method, path)).status).toBe(404);
    expect((await call(server.api, "GET", "/api/v1/namespaces/unseen")).status).toBe(404);
  });

  test("refuses a name that is not valid for a namespace", async () => {
    const path = "/api/v1/namespaces/Upper/configmaps";
    const answer = await create(server.api, path, map("c"));
    expect(answer.status).toBe(403);
    expect(answer.at("message")).toMatch(/^configmaps "c" is forbidden: Namespace "Upper" is invalid: metadata.name: /);
  });

  test("refuses the object when another plugin refuses the namespace", async () => {
    const refuses: AdmissionPlugin = {
      name: "NoNamespaces",
      handles: (operation, { resource }) => operation === "CREATE" && resource === "namespaces",
      admit({ name }) {
        if (name === "closed") throw new Error("no");
      },
    };
    await using other = await admittingServer({ enable: ["NamespaceAutoProvision"], plugins: [{ plugin: refuses }] });
    const answer = await create(other.api, "/api/v1/namespaces/closed/configmaps", map("c"));
    expect([answer.status, answer.at("reason")]).toEqual([403, "Forbidden"]);
    await expectAnswer(create(other.api, "/api/v1/namespaces/open/configmaps", map("c")), "");
  });
});
