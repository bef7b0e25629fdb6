import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../../../../src/cluster/running-server.js";
import { startServer } from "../../../../src/cluster/start-server.js";
import { call } from "../../../helpers/api-caller.js";
import { keptIn, objectsOf, WIDGETS, widgets } from "./widgets.js";

const { get, list, create, update, delete: remove, deleteCollection } = objectsOf(new Map());
const watch = async function* (): AsyncGenerator<never> {};

const DISCOVERY = WIDGETS.slice(0, WIDGETS.indexOf("/namespaces"));
type OpenApi = { paths: Record<string, Record<string, { "x-kubernetes-action"?: string }>> };

describe("A-CAP-03, B-STO-06: a resource over a user's code has the verbs for which the code has methods", () => {
  test.each([
    ["get", { get }, {}, ["get"]],
    ["list", { list }, {}, ["list"]],
    ["get and list", { get, list }, {}, ["get", "list"]],
    ["list, polled", { list }, { poll: 1000 }, ["list", "watch"]],
    ["list and watch", { list, watch }, {}, ["list", "watch"]],
    ["create", { create }, {}, ["create"]],
    ["get and update", { get, update }, {}, ["get", "patch", "update"]],
    ["get and delete", { get, delete: remove }, {}, ["delete", "get"]],
    ["list and delete", { list, delete: remove }, {}, ["delete", "deletecollection", "list"]],
    ["list and deleteCollection", { list, deleteCollection }, {}, ["deletecollection", "list"]],
    [
      "all",
      { get, list, create, update, delete: remove },
      { poll: 1000 },
      ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    ],
  ])("%s", async (_, objects, options, verbs) => {
    await using server = await startServer({
      port: false,
      resources: [{ ...widgets, storage: { objects, ...options } }],
    });
    const discovery = await call(server.transport(), "GET", DISCOVERY);
    expect(discovery.at("resources.0.verbs")).toEqual(verbs);
    const { text } = await call(server.transport(), "GET", `/openapi/v3${DISCOVERY}`);
    const paths = (JSON.parse(text) as OpenApi).paths;
    const actions = Object.entries(paths)
      .filter(([path]) => path.includes("/widgets") && !path.endsWith("/status"))
      .flatMap(([, operations]) => Object.values(operations).map((one) => one["x-kubernetes-action"]));
    expect(actions.includes("post")).toBe(verbs.includes("create"));
    expect(actions.includes("patch")).toBe(verbs.includes("patch"));
    expect(actions.includes("list")).toBe(verbs.includes("list"));
  });

  test.each([
    ["update without get and list", { update }, {}, "its storage.objects has update, and neither get nor list"],
    ["delete without get and list", { delete: remove }, {}, "its storage.objects has delete, and neither get nor list"],
    [
      "deleteCollection without list",
      { get, deleteCollection },
      {},
      "its storage.objects has deleteCollection and no list",
    ],
    ["watch without list", { get, watch }, {}, "its storage.objects has watch and no list"],
    ["poll without list", { get }, { poll: 10 }, "its storage.poll needs a list"],
    ["poll beside watch", { list, watch }, { poll: 10 }, "its storage.poll has no effect where there is a watch"],
    ["poll of 0", { list }, { poll: 0 }, "its storage.poll is not a positive number of milliseconds"],
    ["cache alone", { list }, { cache: true }, "its storage.cache needs watch or storage.poll"],
    ["pages without list", { get }, { pages: true }, "its storage.pages needs a list"],
  ])("%s is refused", async (_, objects, options, reason) => {
    const resources = [{ ...widgets, storage: { objects, ...options } }];
    await expect(startServer({ port: false, resources })).rejects.toThrow(
      `resource widgets.stable.example.com cannot be installed: ${reason}`,
    );
  });

  test("options of a user's source without effect are refused", async () => {
    await expect(startServer({ port: false, resources: [{ ...widgets, storage: { poll: 10 } }] })).rejects.toThrow(
      "its storage.poll has no effect without storage.objects",
    );
  });
});

describe("a user's source that stores what it is given", () => {
  const kept = new Map();
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({ port: false, resources: [{ ...widgets, storage: { objects: objectsOf(kept) } }] });
  });
  afterAll(() => server.close());
  const send = (method: string, path: string, body?: unknown, type?: string) =>
    call(server.transport(), method, `${WIDGETS}${path}`, body, type === undefined ? {} : { type });

  test("is used for create, read, update, patch, apply and delete through the generic registry", async () => {
    const made = await send("POST", "?fieldManager=me", { metadata: { name: "one" }, spec: { size: 3 } });
    expect([made.status, made.at("spec"), made.at("metadata.generation")]).toEqual([201, { size: 3, color: "red" }, 1]);
    const [uid, version] = [made.at("metadata.uid"), made.at("metadata.resourceVersion")];
    expect(kept.get("default/one").metadata.uid).toBe(uid);
    const read = await send("GET", "/one");
    expect([read.at("metadata.uid"), read.at("metadata.resourceVersion")]).toEqual([uid, version]);
    const put = { metadata: { name: "one", resourceVersion: version }, spec: { size: 4 } };
    const changed = await send("PUT", "/one", put);
    expect([changed.status, changed.at("metadata.generation")]).toEqual([200, 2]);
    expect(changed.at("metadata.resourceVersion")).not.toBe(version);
    expect([(await send("PUT", "/one", put)).status, kept.get("default/one").spec.size]).toEqual([409, 4]);
    const patched = await send("PATCH", "/one", { spec: { size: 5 } }, "application/merge-patch+json");
    expect([patched.status, patched.at("spec.size")]).toEqual([200, 5]);
    const applied = await send(
      "PATCH",
      "/one?fieldManager=applier&force=true",
      { apiVersion: "stable.example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: 6 } },
      "application/apply-patch+yaml",
    );
    expect([applied.status, applied.at("spec.size")]).toEqual([200, 6]);
    expect(applied.text).toContain('"manager":"applier"');
    const status = await send(
      "PATCH",
      "/one/status",
      { status: { phase: "Ready" }, spec: { size: 9 } },
      "application/merge-patch+json",
    );
    expect([status.at("status.phase"), status.at("spec.size")]).toEqual(["Ready", 6]);
    expect((await send("DELETE", "/one", { preconditions: { uid: "another" } })).status).toBe(409);
    expect([(await send("DELETE", "/one")).status, kept.size, (await send("GET", "/one")).status]).toEqual([
      200, 0, 404,
    ]);
  });

  test("is not called by a dry run, whose answer is what would be stored", async () => {
    await send("POST", "", { metadata: { name: "dry" }, spec: { size: 1 } });
    const before = structuredClone(kept.get("default/dry"));
    const answers = await Promise.all([
      send("POST", "?dryRun=All", { metadata: { name: "wet" }, spec: {} }),
      send("PATCH", "/dry?dryRun=All", { spec: { size: 2 } }, "application/merge-patch+json"),
      send("DELETE", "/dry?dryRun=All"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(answers[1]?.at("spec.size")).toBe(2);
    expect((await send("POST", "?dryRun=All", { metadata: { name: "dry" }, spec: {} })).status).toBe(409);
    expect([...kept]).toEqual([["default/dry", before]]);
    kept.clear();
  });

  test("A-CAP-08: is not called for an object that the strategy refuses", async () => {
    const answer = await send("POST", "", { metadata: { name: "large" }, spec: { size: 1000 } });
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining("spec.size: Invalid value: 1000: is too large"),
    ]);
    expect(kept.size).toBe(0);
  });

  test("keeps an object marked for deletion while it has a finalizer, and deletes it with the last", async () => {
    await send("POST", "", { metadata: { name: "held", finalizers: ["example.com/hold"] }, spec: {} });
    const deleted = await send("DELETE", "/held");
    expect([deleted.status, typeof deleted.at("metadata.deletionTimestamp"), kept.size]).toEqual([200, "string", 1]);
    const freed = await send("PATCH", "/held", { metadata: { finalizers: null } }, "application/merge-patch+json");
    expect([freed.status, kept.size]).toEqual([200, 0]);
  });

  test("lists in pages, by name, with selectors and a resourceVersion that changes with the content", async () => {
    for (const name of ["c", "a", "d", "b"])
      await send("POST", "", { metadata: { name, labels: { odd: name } }, spec: {} });
    const names = (text: string) =>
      (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map((one) => one.metadata.name);
    const first = await send("GET", "?limit=3");
    expect([names(first.text), first.at("metadata.remainingItemCount")]).toEqual([["a", "b", "c"], 1]);
    const rest = await send("GET", `?limit=3&continue=${first.at("metadata.continue") as string}`);
    expect([names(rest.text), rest.at("metadata.continue")]).toEqual([["d"], undefined]);
    expect(rest.at("metadata.resourceVersion")).toBe(first.at("metadata.resourceVersion"));
    expect(names((await send("GET", "?labelSelector=odd%20in%20(a,d)")).text)).toEqual(["a", "d"]);
    expect(names((await send("GET", "?fieldSelector=metadata.name%3Db")).text)).toEqual(["b"]);
    await send("DELETE", "/d");
    const late = await send("GET", `?limit=3&continue=${first.at("metadata.continue") as string}`);
    expect([late.status, late.at("reason")]).toEqual([410, "Expired"]);
    const anyway = await send("GET", `?limit=3&continue=${late.at("metadata.continue") as string}`);
    expect(names(anyway.text)).toEqual([]);
    expect([(await send("DELETE", "?labelSelector=odd%3Da")).status, kept.size]).toEqual([200, 2]);
    expect([(await send("DELETE", "")).status, kept.size]).toEqual([200, 0]);
  });
});

test("a user's source that leaves out metadata gets a stable uid, and a resourceVersion made of the content", async () => {
  let size = 1;
  const objects = { get: (name: string) => ({ metadata: { name }, spec: { size } }) };
  const versions: unknown[] = [];
  for (const next of [1, 1, 2]) {
    size = next;
    await using server = await startServer({ port: false, resources: [keptIn(objects)] });
    const { at } = await call(server.transport(), "GET", `${WIDGETS}/one`);
    versions.push(at("metadata.resourceVersion"));
    expect(at("metadata")).toEqual({
      name: "one",
      namespace: "default",
      uid: "e3970651-b906-5eae-9f0f-5b2be922a82f",
      resourceVersion: expect.stringMatching(/^[1-9][0-9]{0,15}$/) as string,
    });
  }
  expect(versions[0]).toBe(versions[1]);
  expect(versions[2]).not.toBe(versions[0]);
});
