import { connect } from "node:net";
import { request } from "node:https";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { deferred } from "../../../src/base/async/deferred.js";
import { InformerFactory, kubernetesClient } from "../../../src/client/index.js";
import type { Hook, ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { GenericServer } from "../../../src/cluster/stages/generic-server.js";
import { serverOptions, startServer } from "../../../src/cluster/start-server.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call } from "../../helpers/api-caller.js";
import { freePorts } from "../../helpers/free-ports.js";
import { COLLECTION, GROUP, widgets } from "../../server/api-registry/widgets.js";

const made = async (name: string, options: ServerOptions = {}, delegate?: GenericServer): Promise<GenericServer> =>
  (await serverOptions({ port: false, ...options }).toConfig()).complete().newServer(name, delegate);

const widget = (name: string) => ({ apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name } });

const gadgets = {
  ...widgets,
  group: "gadgets.example.com",
  resource: "gadgets",
  kind: "Gadget",
  listKind: "GadgetList",
  singular: "gadget",
  shortNames: ["gd"],
};
const GADGETS = "/apis/gadgets.example.com/v1/namespaces/default/gadgets";

describe("the TypeScript types of a server's stages", () => {
  test("A-CFG-02, B-GEN-01: make a server only of a completed config, and run only a prepared server", async () => {
    const config = await serverOptions({ port: false }).toConfig();
    // @ts-expect-error the type of a config has no newServer()
    expect(config.newServer).toBeUndefined();
    const completed = config.complete();
    // @ts-expect-error a completed config takes no more resources
    expect(completed.resources).toBeUndefined();
    const server = await completed.newServer("widgets");
    // @ts-expect-error a server that is not prepared does not run
    expect(server.run).toBeUndefined();
    await server.close();
  });

  test("A-OPT-07: changing options after the config was made has no effect", async () => {
    const options = serverOptions({ port: false, title: { title: "Pizza", version: "v1.0.0" } });
    const config = await options.toConfig();
    options.values = { ...options.values, title: { title: "Topping", version: "v2.0.0" } };
    const running = await (await config.complete().newServer("pizzas")).prepareRun().start();
    expect((await call(running.transport(), "GET", "/version")).at("major")).toBe("1");
    await running.close();
  });

  test("A-CFG-04, A-RUN-01: a server has the given name, and without a delegate serves only its own APIs", async () => {
    const server = await made("pizza-apiserver", { resources: [widgets] });
    expect(server.name).toBe("pizza-apiserver");
    const running = await server.prepareRun().start();
    expect((await call(running.transport(), "GET", "/openapi/v3")).text).toContain(`apis/${GROUP}/v1`);
    const nothing = await call(running.transport(), "GET", "/nothing");
    expect([nothing.status, nothing.at("paths")]).toEqual([404, expect.arrayContaining([`/apis/${GROUP}/v1`])]);
    await running.close();
  });

  test("A-INST-04: a server does not start when the storage of a resource cannot be opened, and its error names the resource", async () => {
    const objects = (): never => {
      throw new Error("the folder is read-only");
    };
    await expect(startServer({ port: false, resources: [{ ...widgets, storage: { objects } }] })).rejects.toThrow(
      "resource widgets.stable.example.com cannot be installed: unable to create REST storage: the folder is read-only",
    );
  });
});

test("A-CFG-01, B-CFG-01: a server without certificates makes one for localhost and 127.0.0.1", async () => {
  await using server = await startServer({ resources: [widgets] });
  const { port } = new URL(server.url);
  for (const host of ["localhost", "127.0.0.1"]) {
    const asked = request({ host, port, path: "/readyz", ca: server.caCertificate, family: 4 }).end();
    const [{ statusCode, socket }] = (await once(asked, "response")) as [{ statusCode: number; socket: object }];
    expect([statusCode, socket]).toEqual([200, expect.objectContaining({ authorized: true })]);
    asked.destroy();
  }
});

describe("post-start hooks of a server", () => {
  test("A-RUN-02: run while the port is open, and start informers of the server's own objects", async () => {
    const [port = 0] = await freePorts(1);
    const stop = new AbortController();
    let [isOpen, size] = [false, () => -1];
    const hook: Hook = {
      name: "start-pizza-apiserver-informers",
      async run({ transport }) {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        socket.destroy();
        isOpen = true;
        await call(transport, "POST", COLLECTION, widget("one"));
        const informers = new InformerFactory(kubernetesClient({ transport: () => transport }));
        const all = informers.resource({ group: GROUP, version: "v1", resource: "widgets" });
        size = () => all.cache.size;
        informers.start(stop.signal);
        await informers.synced();
      },
    };
    await using server = await startServer({ port, resources: [widgets], hooks: { postStart: [hook] } });
    expect([isOpen, size()]).toEqual([true, 1]);
    expect((await call(server.transport(), "GET", `/healthz/poststarthook/${hook.name}`)).text).toBe("ok");
    stop.abort();
  });

  test("A-RUN-03: make /healthz and /readyz fail until all of them have succeeded", async () => {
    const [port = 0] = await freePorts(1);
    const seen: string[] = [];
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    const first = {
      name: "first",
      run: async () => void seen.push(await ask("/healthz"), await ask("/readyz"), await ask("/livez?verbose")),
    };
    const second = { name: "second", run: () => {} };
    const hooks = { postStart: [first, second] };
    await using _ = await startServer({ port: false, http: { port, anonymous: true }, hooks });
    expect(seen[0]).toContain("[-]poststarthook/first failed: reason withheld\n[-]poststarthook/second failed");
    expect(seen[1]).toContain("[-]poststarthook/second failed: reason withheld\n");
    // Whoever restarts a server that is not alive gives it time to start.
    expect(seen[2]).toContain("[+]poststarthook/second ok\n");
    expect([await ask("/healthz"), await ask("/readyz")]).toEqual(["ok", "ok"]);
  });

  test("B-CFG-04: receive a loopback client that may do everything, whatever the authorizers decide", async () => {
    const statuses: number[] = [];
    const run: Hook["run"] = async ({ transport }) => {
      statuses.push((await call(transport, "POST", COLLECTION, widget("one"))).status);
    };
    await using server = await startServer({
      port: false,
      resources: [widgets],
      authorizers: [() => ({ decision: "deny" })],
      hooks: { postStart: [{ name: "seed", run }] },
    });
    const headers = { "impersonate-user": "jane" };
    statuses.push((await call(server.transport(), "GET", COLLECTION, undefined, { headers })).status);
    expect(statuses).toEqual([201, 403]);
  });

  test("B-SA-03: receive no informers of a main server when the options name none", async () => {
    let coreApi: unknown = "not run";
    const hook: Hook = { name: "look", run: (context) => void (coreApi = context.coreApi) };
    await using server = await startServer({ port: false, hooks: { postStart: [hook] } });
    expect(coreApi).toBeUndefined();
    expect((await call(server.transport(), "GET", "/readyz?verbose")).text).not.toContain("informers");
  });

  test("B-SA-06: also run when the server's handler is mounted in another server", async () => {
    let hasRun = false;
    const hook: Hook = { name: "teleport-post-start", run: () => void (hasRun = true) };
    await using server = await startServer({ port: false, hooks: { postStart: [hook] } });
    expect([hasRun, typeof server.handler().request]).toEqual([true, "function"]);
    expect((await call(server.transport(), "GET", "/healthz/poststarthook/teleport-post-start")).text).toBe("ok");
  });
});

test("C-CFG-03: the OpenAPI document has the title Kubernetes unless the options give one", async () => {
  await using server = await startServer({ port: false, resources: [widgets] });
  for (const path of ["/openapi/v2", `/openapi/v3/apis/${GROUP}/v1`])
    expect((await call(server.transport(), "GET", path)).at("info.title")).toBe("Kubernetes");
});

test("B-MUX-02: the index of paths lists each health check, and the check of the shutdown only under /readyz", async () => {
  const hook: Hook = { name: "start-sample-server-informers", run: () => {} };
  await using server = await startServer({ port: false, resources: [widgets], hooks: { postStart: [hook] } });
  const api = server.transport();
  const { paths } = JSON.parse((await call(api, "GET", "/")).text) as { paths: string[] };
  const checks = [
    "etcd",
    "log",
    "ping",
    "poststarthook/start-sample-server-informers",
    "poststarthook/storage-readiness",
  ];
  for (const root of ["/healthz", "/livez", "/readyz"]) {
    const ready = root === "/readyz" ? ["etcd-readiness", "shutdown"] : [];
    const listed = [
      root,
      ...[...checks, ...ready].toSorted((one, other) => (one < other ? -1 : 1)).map((name) => `${root}/${name}`),
    ];
    expect(paths.filter((path) => path.startsWith(root))).toEqual(listed);
    for (const path of listed) expect((await call(api, "GET", path)).text).toBe("ok");
  }
  expect((await call(api, "GET", "/livez/shutdown")).status).toBe(404);
});

test("B-MUX-01: a request goes to an exact path first, then to the longest prefix, then to the delegate server", async () => {
  const behind = await made("behind");
  const head = await made("head", {}, behind);
  const answers = (text: string) => (request: Parameters<typeof respondText>[0]) => respondText(request, 200, text);
  head.paths.handlePrefix("/kitchen/", answers("kitchen"));
  head.paths.handlePrefix("/kitchen/stove/", answers("stove"));
  head.paths.handle("/kitchen/stove/pan", answers("pan"));
  behind.paths.handle("/kitchen/stove/pan", answers("hidden"));
  behind.paths.handle("/cellar", answers("cellar"));
  const running = await head.prepareRun().start();
  const seen: string[] = [];
  for (const path of ["/kitchen/stove/pan", "/kitchen/stove/pot", "/kitchen/table", "/cellar", "/kitchen"])
    seen.push((await call(running.transport(), "GET", path)).text);
  expect(seen).toEqual(["pan", "stove", "kitchen", "cellar", "404 page not found\n"]);
  await running.close();
});

describe("three servers in a chain", () => {
  test("C-CHAIN-03, C-CHAIN-04, C-CHAIN-09, B-GEN-03, B-RUN-01: are made from the last to the first, and the first has hooks, checks and paths of all", async () => {
    const ran: string[] = [];
    const mark = (server: GenericServer): GenericServer => {
      const { name } = server;
      server.addPostStartHook({ name, run: () => void ran.push(`start ${name}`) });
      server.addPreShutdownHook({ name, run: () => void ran.push(`stop ${name}`) });
      server.paths.handle(`/${name}`, (request) => respondText(request, 200, name));
      return server;
    };
    const oven = (check: () => Promise<void>) => ({ healthChecks: [{ name: "oven", check }] });
    const cold = oven(() => Promise.reject(new Error("cold")));
    const warm = oven(() => Promise.resolve());
    const names = ["apiextensions-apiserver", "kube-apiserver", "kube-aggregator"] as const;
    const last = mark(await made(names[0], { resources: [gadgets], ...cold }));
    const middle = mark(await made(names[1], { resources: [widgets], ...warm }, last));
    const head = mark(await made(names[2], {}, middle));
    const prepared = head.prepareRun();
    expect(() => last.addPostStartHook({ name: "late", run: () => {} })).toThrow("comes too late");
    const running = await prepared.start();
    const api = running.transport();
    const readyz = await call(api, "GET", "/readyz?verbose");
    expect(readyz.status).toBe(200);
    for (const name of names) {
      expect(readyz.text).toContain(`[+]poststarthook/${name} ok\n`);
      expect((await call(api, "GET", `/${name}`)).text).toBe(name);
    }
    // A check of a server in front hides the one of the same name behind it.
    expect(readyz.text.match(/oven/g)).toEqual(["oven"]);
    for (const path of [COLLECTION, GADGETS]) expect((await call(api, "GET", path)).status).toBe(200);
    await running.close();
    const inOrder = (act: string) => names.map((name) => `${act} ${name}`);
    expect(ran).toEqual([...inOrder("start"), ...inOrder("stop")]);
  });
});

describe("a server that stops", () => {
  test("B-RUN-02, C-RUN-02: fails /readyz at once, runs its hooks, and ends when the last request is answered", async () => {
    const events: string[] = [];
    const [held, arrived] = [deferred<void>(), deferred<void>()];
    const server = await startServer({
      port: false,
      onLifeCycle: (event) => void events.push(event),
      filters: [
        {
          name: "slow",
          filter: (next) => async (request) => {
            if (request.info.path !== "/version") return next(request);
            arrived.resolve();
            await held.promise;
            return next(request);
          },
        },
      ],
      hooks: {
        preShutdown: [
          {
            name: "look",
            async run({ transport }) {
              events.push(`/readyz ${(await call(transport, "GET", "/readyz")).status}`);
              events.push(`/livez ${(await call(transport, "GET", "/livez")).status}`);
            },
          },
        ],
      },
    });
    const slow = call(server.transport(), "GET", "/version");
    await arrived.promise;
    const closed = server.close().then(() => events.push("closed"));
    while (!events.includes("NotAcceptingNewRequest")) await new Promise(setImmediate);
    events.push("the request goes on");
    held.resolve();
    expect((await slow).status).toBe(200);
    await closed;
    expect(events.slice(events.indexOf("ShutdownInitiated"))).toEqual([
      "ShutdownInitiated",
      "AfterShutdownDelayDuration",
      "/readyz 500",
      "/livez 200",
      "PreShutdownHooksStopped",
      "NotAcceptingNewRequest",
      "the request goes on",
      "InFlightRequestsDrained",
      "HTTPServerStoppedListening",
      "closed",
    ]);
  });
});

test("anonymous requests are switched off on a server that allows everything, and the start warns as kube-apiserver does", async () => {
  const warnings: string[] = [];
  await using server = await startServer({
    port: false,
    authentication: { anonymous: true },
    authorization: { modes: ["AlwaysAllow"] },
    onWarning: (text) => warnings.push(text),
  });
  expect(warnings).toEqual([
    "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer",
  ]);
  expect((await call(server.transport(), "GET", "/healthz")).text).toBe("ok");
});
