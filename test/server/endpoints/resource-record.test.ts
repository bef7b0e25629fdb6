import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { notFound } from "../../../src/machinery/errors/status-error.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { recordId, type ResourceRecord } from "../../../src/server/endpoints/resource-record.js";
import { createServer, type Server } from "../../../src/server/generic/server.js";
import type { ObjectSource } from "../../../src/server/registry/plain-objects/object-source.js";
import type { Connecter } from "../../../src/server/registry/resource.js";
import { respondText } from "../../../src/server/request/respond.js";
import { createStorage, type Storage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { call } from "../../helpers/api-caller.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { seededRandom } from "../../helpers/seeded-random.js";

/** A connection that answers with what it was asked. */
const echo = (connectMethods: readonly string[], hasSubpath: boolean): Connecter => ({
  connectMethods,
  hasSubpath,
  connect(scope, name, { path, query }) {
    if (name === "missing") throw notFound({ group: "", resource: "pods" }, name);
    const text = `${scope.user.name} ${scope.namespace}/${name} path=${path} query=${query.toString()}`;
    return Promise.resolve((request) => respondText(request, 200, `${request.exchange.method} ${text}`));
  },
});

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Runtime classes that nothing stores: one for each name. */
class ComputedClasses implements ObjectSource {
  constructor(private readonly names: readonly string[]) {}

  get(name: string): KubeObject | undefined {
    return this.names.includes(name) ? computed(name) : undefined;
  }

  list(): readonly KubeObject[] {
    return this.names.map(computed);
  }
}

const computed = (name: string): KubeObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: "7" },
  handler: `run-${name}`,
});

let opened = 0;

const changed: Readonly<Record<string, Partial<ResourceRecord>>> = {
  "/pods": { subresources: { exec: { connecter: () => echo(["GET", "POST"], false) } } },
  "/services": { subresources: { proxy: { connecter: () => echo(METHODS, true) } } },
  "node.k8s.io/runtimeclasses": {
    storage: {
      objects() {
        opened++;
        return new ComputedClasses(["a", "b"]);
      },
    },
  },
};

let server: Server;
let storage: Storage;
let api: Transport;

beforeAll(() => {
  const time = new ManualTime();
  storage = createStorage({ kv: openMemoryKv({ clock: time }), clock: time, timers: time, compactionSeconds: 0 });
  server = createServer({
    storage,
    records: builtinRecords.map((record) => ({ ...record, ...changed[recordId(record)] })),
    clock: time,
    random: seededRandom("records"),
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
  });
  api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
});

afterAll(async () => {
  await server.stop();
  await storage.close();
});

const send = (method: string, path: string) => call(api, method, path);
const json = async (path: string): Promise<unknown> => JSON.parse((await send("GET", path)).text);

const POD = "/api/v1/namespaces/default/pods/x";
const PROXY = "/api/v1/namespaces/default/services/s/proxy";

describe("a connecting subresource of a user's resource", () => {
  test.each(["GET", "POST"])("A-CAP-05: answers a %s by the handler that it returns", async (method) => {
    expect(await send(method, `${POD}/exec?command=ls&stdin=true`)).toMatchObject({
      status: 200,
      text: `${method} admin default/x path= query=command=ls&stdin=true`,
    });
  });

  test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])(
    "refuses a %s that its declaration does not name",
    async (method) => {
      expect((await send(method, `${POD}/exec`)).status).toBe(405);
    },
  );

  test("answers an error for an unknown object name", async () => {
    expect(await send("GET", "/api/v1/namespaces/default/pods/missing/exec")).toMatchObject({ status: 404 });
  });

  test("has no path below it unless it is declared, and no watch", async () => {
    expect(await send("GET", `${POD}/exec/more`)).toMatchObject({ status: 404 });
    expect((await send("GET", "/api/v1/watch/namespaces/default/pods/x/exec")).status).not.toBe(200);
  });

  test.each(METHODS)("with a path below it receives a %s and the path as the client wrote it", async (method) => {
    const { status, text } = await send(method, `${PROXY}/a%2Fb//c/?d=1`);
    const body = method === "HEAD" ? "" : `${method} admin default/s path=/a%2Fb//c/ query=d=1`;
    expect({ status, text }).toEqual({ status: 200, text: body });
  });

  test.each([
    ["", ""],
    ["/", "/"],
  ])("distinguishes %j from %j", async (behind, path) => {
    expect((await send("GET", PROXY + behind)).text).toBe(`GET admin default/s path=${path} query=`);
  });
});

describe("a user's storage of a resource, in place of the generic Store,", () => {
  const CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";

  test("B-INS-06: serves the verbs that it implements", async () => {
    expect(await json(`${CLASSES}/a`)).toEqual({
      kind: "RuntimeClass",
      apiVersion: "node.k8s.io/v1",
      metadata: { name: "a", uid: "uid-a", resourceVersion: "7" },
      handler: "run-a",
    });
    expect(await json(CLASSES)).toEqual({
      kind: "RuntimeClassList",
      apiVersion: "node.k8s.io/v1",
      metadata: { resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) },
      items: ["a", "b"].map((name) => ({
        metadata: { name, uid: `uid-${name}`, resourceVersion: "7" },
        handler: `run-${name}`,
      })),
    });
    expect((await send("GET", `${CLASSES}/c`)).status).toBe(404);
  });

  test("shows its objects in the table of the resource's strategy", async () => {
    const { text } = await call(api, "GET", CLASSES, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    const table = JSON.parse(text) as { rows: { cells: unknown[] }[] };
    expect(table.rows.map(({ cells }) => cells)).toEqual([
      ["a", "run-a", "<unknown>"],
      ["b", "run-b", "<unknown>"],
    ]);
  });

  test.each([
    ["POST", CLASSES],
    ["DELETE", CLASSES],
    ["PUT", `${CLASSES}/a`],
    ["DELETE", `${CLASSES}/a`],
    ["GET", `${CLASSES}?watch=true&timeoutSeconds=1`],
  ])("refuses a %s of %s, which it does not implement", async (method, path) => {
    expect(await send(method, path)).toMatchObject({ status: 405 });
  });

  test("is created once, and strategies of other resources can read it", async () => {
    expect(opened).toBe(1);
    const read = await server.registry.access.list("node.k8s.io", "runtimeclasses");
    expect(read.map(({ metadata }) => metadata?.name)).toEqual(["a", "b"]);
    expect(server.registry.access.cached.now("node.k8s.io", "runtimeclasses")).toBeUndefined();
    await expect(server.registry.access.list("authorization.k8s.io", "subjectaccessreviews")).rejects.toThrow(
      "authorization.k8s.io/subjectaccessreviews is not kept in the store",
    );
  });
});

test("a resource with a verb whose handler needs something that the server lacks is refused", async () => {
  const { status } = await call(api, "POST", "/api/v1/namespaces/default/serviceaccounts/x/token", {});
  expect(status).toBe(405);
});
