import { afterAll, beforeAll, describe, test } from "vitest";
import { create, expectAnswer, tryCreate } from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";

const MAPS = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

let lax: AdmittingServer;
let strict: AdmittingServer;

/** One store, and two servers: what one without checks has made, the other is asked to change. */
beforeAll(async () => {
  const kv = openMemoryKv();
  lax = await admittingServer({ disable: ["NamespaceLifecycle"] }, kv);
  strict = await admittingServer({ disable: ["NamespaceLifecycle"], enable: ["NamespaceExists"] }, kv);
  await create(lax.api, MAPS("nowhere"), { metadata: { name: "old" } });
  await create(lax.api, MAPS("default"), { metadata: { name: "old" } });
});

afterAll(async () => {
  await strict[Symbol.asyncDispose]();
  await lax[Symbol.asyncDispose]();
});

describe("the admission plugin NamespaceExists", () => {
  const missing = 'namespaces "nowhere" not found';
  const rows: readonly (readonly [title: string, method: string, namespace: string, message: string])[] = [
    ["a new object in a namespace that is not there is refused", "POST", "nowhere", missing],
    ["a change there is refused", "PATCH", "nowhere", missing],
    ["a deletion there is refused", "DELETE", "nowhere", missing],
    ["a read there is let pass", "GET", "nowhere", ""],
    ["a new object in a namespace that is there is let pass", "POST", "default", ""],
    ["a change there is let pass", "PATCH", "default", ""],
    ["a deletion there is let pass", "DELETE", "default", ""],
  ];
  test.each(rows)("%s", async (_, method, namespace, message) => {
    const path = method === "POST" ? MAPS(namespace) : `${MAPS(namespace)}/old`;
    const body = method === "GET" || method === "DELETE" ? undefined : { metadata: { name: "new" }, data: { a: "b" } };
    const type = method === "PATCH" ? { type: "application/merge-patch+json" } : {};
    const asked = method === "PATCH" ? { data: { a: "b" } } : body;
    await expectAnswer(call(strict.api, method, path, asked, type), message, 404);
  });

  test("accepts a cluster-scoped object", async () => {
    const body = { metadata: { name: "s" }, provisioner: "p/q" };
    await expectAnswer(tryCreate(strict.api, "/apis/storage.k8s.io/v1/storageclasses", body), "");
  });

  test("accepts a namespace", async () => {
    await expectAnswer(create(strict.api, "/api/v1/namespaces", { metadata: { name: "fresh" } }), "");
  });

  test("finds a namespace that another server has just created", async () => {
    await expectAnswer(create(lax.api, "/api/v1/namespaces", { metadata: { name: "by-other" } }), "");
    await expectAnswer(create(strict.api, MAPS("by-other"), { metadata: { name: "c" } }), "");
  });
});
