import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { builtInApi } from "../../../src/api/facts/index.js";
import { type CancellationToken, REQUEST_IS_OVER } from "../../../src/base/async/cancellation.js";
import { deferred } from "../../../src/base/async/deferred.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { respondParts } from "../../../src/server/endpoints/representation/body-writer.js";
import { newApiRequest } from "../../../src/server/request/api-request.js";
import type { Exchange } from "../../../src/server/request/exchange.js";
import type { KvObject } from "../../../src/server/storage/store/kv-object.js";
import { listObjects } from "../../../src/server/storage/store/list-objects.js";
import type { Reads } from "../../../src/server/storage/store/reads.js";
import { call } from "../../helpers/api-caller.js";
import { done } from "../../helpers/admitting-server.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { boxDefinition, boxesOf, install, versionOf } from "../../helpers/custom-definitions.js";
import { type AnswerCall, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

const GROUP = "cancelled.example.com";
const MAPS = "/api/v1/namespaces/default/configmaps";

let folder: string;
let hooks: WebhookServer;
let cluster: Cluster;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-cancelled-"));
  hooks = await startWebhookServer();
  const kubeconfig = (path: string): string => {
    const { url, caBundle } = hooks.on(path, () => undefined);
    const file = join(folder, `${path.slice(1)}.json`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "w", cluster: { server: url, "certificate-authority-data": caBundle } }],
      contexts: [{ name: "w", context: { cluster: "w" } }],
      "current-context": "w",
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  };
  cluster = await startCluster({
    controllers: false,
    scheduler: false,
    authentication: { webhook: { configFile: kubeconfig("/authenticate"), version: "v1" } },
    authorization: { modes: ["RBAC", "Webhook"], webhook: { kubeconfig: kubeconfig("/authorize"), version: "v1" } },
  });
  const webhook = { clientConfig: hooks.on("/convert", () => undefined), conversionReviewVersions: ["v1"] };
  const versions = [versionOf("v1", {}), versionOf("v2", {}, { storage: false })];
  await install(cluster.transport(), boxDefinition(GROUP, versions, { conversion: { strategy: "Webhook", webhook } }));
  await done(cluster.transport(), "POST", boxesOf(GROUP), { metadata: { name: "one" } });
});

afterAll(async () => {
  await cluster.close();
  await hooks[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request on a connection of its own. What it answers lets the client leave. */
type Send = (shot: Shot) => () => void;

const overHttp1: Send = ({ method, path, headers, body }) => {
  const outgoing = request(`${cluster.url}${path}`, { agent: false, method, headers, ca: cluster.caCertificate });
  outgoing.on("error", () => {}).end(body);
  return () => void outgoing.destroy();
};

const overHttp2: Send = ({ method, path, headers, body }) => {
  const session = connect(cluster.url, { ca: cluster.caCertificate });
  session.on("error", () => {});
  const stream = session.request({ ":method": method, ":path": path, ...headers });
  stream.on("error", () => {}).end(body);
  // The connection stays until the server has seen the reset.
  stream.on("close", () => session.close());
  return () => stream.close(8);
};

const closingHttp2: Send = ({ method, path, headers, body }) => {
  const session = connect(cluster.url, { ca: cluster.caCertificate });
  session.on("error", () => {});
  const stream = session.request({ ":method": method, ":path": path, ...headers });
  stream.on("error", () => {}).end(body);
  return () => session.destroy();
};

const admin = () => ({ authorization: `Bearer ${cluster.token}`, "content-type": "application/json" });
const map = (name: string): string => JSON.stringify({ metadata: { name } });

/** Ends a request once it has come to a call. */
type End = (shot: Shot, called: Promise<void>) => Promise<void>;

const leaving =
  (send: Send): End =>
  async (shot, called) => {
    const leave = send(shot);
    await called;
    leave();
  };

/** Its client stays. A deadline that was too short for the request to come to the call is doubled. */
const expiring: End = async ({ path, ...shot }, called) => {
  let isCalled = false;
  void called.then(() => (isCalled = true));
  for (let limit = 100; !isCalled; limit *= 2) {
    const { method, headers, body } = shot;
    await new Promise<void>((resolve) => {
      const url = `${cluster.url}${path}?timeout=${limit}ms`;
      const outgoing = request(url, { agent: false, method, headers, ca: cluster.caCertificate });
      outgoing.on("response", (answer) => answer.resume().on("close", resolve)).end(body);
    });
  }
};

const ends: readonly (readonly [string, End, failurePolicy: string])[] = [
  ["a client that closes its HTTP/1.1 connection", leaving(overHttp1), "Ignore"],
  ["a client that resets its HTTP/2 stream", leaving(overHttp2), "Ignore"],
  ["a client that closes its HTTP/2 connection", leaving(closingHttp2), "Ignore"],
  // The call of an admission webhook has the same deadline, and may end first: then the failure is the webhook's.
  ["a deadline that passes", expiring, "Fail"],
];

describe.each(ends)("%s ends for its request", (_, end, failurePolicy) => {
  /** A webhook that never answers: what it hears of the end of a call. */
  function silent(path: string) {
    const [called, ended] = [deferred<void>(), deferred<void>()];
    const hold: AnswerCall = (_call, response) => {
      response.on("close", () => ended.resolve());
      called.resolve();
    };
    return { clientConfig: hooks.on(path, hold), called: called.promise, ended: ended.promise };
  }

  const undo: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of undo.splice(0)) await one[Symbol.asyncDispose]();
  });

  test("the call of an authentication webhook", async () => {
    const { called, ended } = silent("/authenticate");
    await end({ method: "GET", path: MAPS, headers: { authorization: `Bearer unknown-${Math.random()}` } }, called);
    await ended;
  });

  test("the call of an authorization webhook", async () => {
    const { called, ended } = silent("/authorize");
    const headers = { ...admin(), "impersonate-user": `jane-${Math.random()}` };
    await end({ method: "GET", path: MAPS, headers }, called);
    await ended;
  });

  test.each(["mutating", "validating"] as const)(
    "the call of a %s admission webhook, so that nothing is stored",
    async (phase) => {
      const { clientConfig, called, ended } = silent("/admit");
      undo.push(await configure(cluster.transport(), phase, [{ clientConfig, failurePolicy }], phase));
      await end({ method: "POST", path: MAPS, headers: admin(), body: map("cancelled") }, called);
      await ended;
      expect((await call(cluster.transport(), "GET", `${MAPS}/cancelled`)).status).toBe(404);
    },
  );

  test("the call of a conversion webhook for a list, and for a create", async () => {
    const path = boxesOf(GROUP, "v2");
    const list = silent("/convert");
    await end({ method: "GET", path, headers: admin() }, list.called);
    await list.ended;
    const create = silent("/convert");
    await end({ method: "POST", path, headers: admin(), body: map("two") }, create.called);
    await create.ended;
    expect((await call(cluster.transport(), "GET", `${boxesOf(GROUP)}/two`)).status).toBe(404);
  });
});

describe("work that several requests wait for goes on when one client disconnects:", () => {
  test("the review of a token", async () => {
    const [called, answer] = [deferred<void>(), deferred<void>()];
    hooks.on("/authenticate", (_, response) => {
      called.resolve();
      void answer.promise.then(() => response.end(JSON.stringify(review)));
    });
    const status = { authenticated: true, user: { username: "shared", groups: ["system:masters"] } };
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status };
    const shot = { method: "GET", path: MAPS, headers: { authorization: "Bearer shared" } };
    const calls = hooks.calls.length;
    const leave = overHttp2(shot);
    await called.promise;
    const other = call(cluster.transport(), "GET", MAPS, undefined, { headers: shot.headers });
    leave();
    answer.resolve();
    expect((await other).status).toBe(200);
    expect(hooks.calls.length).toBe(calls + 1);
  });

  test("the conversion of a list", async () => {
    await done(cluster.transport(), "POST", boxesOf(GROUP), { metadata: { name: "shared" } });
    const [called, ended] = [deferred<void>(), deferred<void>()];
    hooks.on("/convert", (_, response) => {
      response.on("close", () => ended.resolve());
      called.resolve();
    });
    const path = boxesOf(GROUP, "v2");
    const leave = overHttp2({ method: "GET", path, headers: admin() });
    await called.promise;
    const other = call(cluster.transport(), "GET", path);
    hooks.on("/convert", ({ body, request: { uid, objects } }) => {
      const convertedObjects = (objects as object[]).map((one) => ({ ...one, apiVersion: `${GROUP}/v2` }));
      return { ...(JSON.parse(body) as object), response: { uid, result: { status: "Success" }, convertedObjects } };
    });
    leave();
    await ended.promise;
    expect((await other).status).toBe(200);
  });
});

/** A token that is cancelled once it has been asked so often. */
class Countdown implements CancellationToken {
  constructor(private left: number) {}

  get isCancelled(): boolean {
    return this.left-- <= 0;
  }

  readonly signal = new AbortController().signal;
}

/** Half a millisecond of work that cannot be interrupted. */
function work(): void {
  const until = performance.now() + 0.5;
  while (performance.now() < until);
}

describe("a list request whose client disconnects", () => {
  const OBJECTS = 1000;
  /** What a slice of the event loop has room for, and what is looked at between two looks at the slice. */
  const MOST = 40;

  test("reads no more objects than fit into one time slice", async () => {
    let seen = 0;
    const objects = Array.from({ length: OBJECTS }, (_, index) => ({ key: `/p/${index}` }) as KvObject);
    const view = { revision: 1, read: async () => ({ objects, remaining: 0 }), keep: () => {} };
    const reads = { latest: async () => view } as unknown as Reads;
    const predicate = (): boolean => {
      seen += 1;
      work();
      return true;
    };
    const list = listObjects(reads, "/p/", { predicate, token: new Countdown(1) });
    await expect(list).rejects.toBe(REQUEST_IS_OVER);
    expect(seen).toBeLessThan(MOST);
  });

  test("is not encoded further", async () => {
    let made = 0;
    function* parts(): Generator<Uint8Array> {
      for (; made < OBJECTS; made++) {
        work();
        yield new Uint8Array(1);
      }
    }
    const exchange: Exchange = {
      method: "GET",
      path: MAPS,
      query: new URLSearchParams(),
      uri: MAPS,
      headers: {},
      remoteAddress: "",
      signal: new AbortController().signal,
      get left() {
        return made > 0;
      },
      responded: false,
      body: () => Promise.resolve(new Uint8Array()),
      async *bodyChunks() {},
      respond: () => ({ write: () => Promise.resolve(), end: () => Promise.resolve() }),
    };
    const request = newApiRequest(exchange, builtInApi(), 0, "id");
    await expect(respondParts(request, {}, parts())).rejects.toBe(REQUEST_IS_OVER);
    expect(made).toBeLessThan(MOST);
  });
});
