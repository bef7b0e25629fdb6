import { request as httpRequest } from "node:http";
import { createServer } from "node:http";
import { mkdtemp, rm, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ServerOptions } from "../../../src/cluster/options/server-options.js";
import type { GenericServer } from "../../../src/cluster/stages/generic-server.js";
import { serverOptions, startServer } from "../../../src/cluster/start-server.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call } from "../../helpers/api-caller.js";
import { COLLECTION, widgets } from "../../server/api-registry/widgets.js";

const made = async (
  options: ServerOptions = {},
  name = "widgets",
  delegate?: GenericServer,
): Promise<GenericServer> => {
  const config = await serverOptions({ port: false, resources: [widgets], ...options }).toConfig();
  return config.complete().newServer(name, delegate);
};

const gadgets = {
  ...widgets,
  group: "gadgets.example.com",
  resource: "gadgets",
  kind: "Gadget",
  listKind: "GadgetList",
  singular: "gadget",
};
const GADGETS = "/apis/gadgets.example.com/v1/namespaces/default/gadgets";

describe("making a server in stages: options, config, completed config, server, prepared server, run", () => {
  test("reports all faults of the options in one message, before anything is opened (CFG-1, START-4, A-OPT-06)", async () => {
    const options = serverOptions({
      port: 70_000,
      admission: { enable: ["Nonsense"] },
      conduct: { goawayChance: 1, strictTransportSecurity: ["forever"], corsAllowedOrigins: ["example.com"] },
    });
    expect(options.validate()).toHaveLength(5);
    await expect(options.toConfig()).rejects.toThrow(
      /^\[--goaway-chance can not be less than 0 or greater than 0.02, --strict-transport-security-directives invalid, .*, --cors-allowed-origins has an invalid regular expression: regular expression does not pin to start\/end of host in the origin header, help: .*, .*Nonsense.*, port is 70000; .*\]$/,
    );
  });

  test("accepts resources, filters and checks before the config is completed, and not after (CFG-1)", async () => {
    const config = await serverOptions({ port: false }).toConfig();
    config.resources.push(widgets);
    config.healthChecks.push({ name: "pantry", check: () => Promise.resolve() });
    const completed = config.complete();
    config.resources.push(gadgets);
    const server = await completed.newServer("widgets");
    const running = await server.prepareRun().start();
    const api = running.transport();
    expect((await call(api, "GET", COLLECTION)).status).toBe(200);
    expect((await call(api, "GET", GADGETS)).status).toBe(404);
    expect((await call(api, "GET", "/readyz/pantry")).text).toBe("ok");
    await running.close();
  });

  test("accepts no more hooks once the server is prepared, and prepares it once (RUN-1, A-RUN-01)", async () => {
    const server = await made();
    const prepared = server.prepareRun();
    const late = { name: "late", run: () => {} };
    expect(() => server.addPostStartHook(late)).toThrow('the post-start hook "late" comes too late');
    expect(() => server.prepareRun()).toThrow("comes too late");
    await (await prepared.start()).close();
  });

  test("serves until run()'s signal aborts, and reports the server's life cycle in order (RUN-2, SHUT-1, SRV-4)", async () => {
    const events: string[] = [];
    const stop = new AbortController();
    const server = await made({ onLifeCycle: (event) => events.push(event) });
    void server.lifeCycle.when("HasBeenReady").then(() => stop.abort());
    await server
      .prepareRun()
      .run({ signal: new AbortController().signal.aborted ? stop.signal : stop.signal })
      .catch(() => {});
    await server.lifeCycle.when("HTTPServerStoppedListening");
    expect(events).toEqual([
      "MuxAndDiscoveryComplete",
      "HasBeenReady",
      "ShutdownInitiated",
      "AfterShutdownDelayDuration",
      "PreShutdownHooksStopped",
      "NotAcceptingNewRequest",
      "InFlightRequestsDrained",
      "HTTPServerStoppedListening",
    ]);
  });

  test("ends without serving, and leaves nothing open, when a hook throws (HOOK-4)", async () => {
    const server = await made({ port: 0 });
    server.addPostStartHook({
      name: "broken",
      run() {
        throw new Error("the oven is cold");
      },
    });
    await expect(server.prepareRun().start()).rejects.toThrow("the oven is cold");
    expect(server.lifeCycle.has("HTTPServerStoppedListening")).toBe(true);
  });
});

describe("a chain of servers", () => {
  test("asks the first server, then its delegate, and answers 404 at the end (CHAIN-4, MAIN-2, DISP-1, B-GEN-06, C-HND-01, C-HND-02, T20)", async () => {
    const behind = await made({ resources: [gadgets] }, "gadgets");
    behind.paths.handle("/menu", (request) => respondText(request, 200, "soup"));
    const head = await made({}, "widgets", behind);
    const running = await head.prepareRun().start();
    const api = running.transport();
    const put = { apiVersion: "gadgets.example.com/v1", kind: "Gadget", metadata: { name: "one" } };
    expect((await call(api, "POST", GADGETS, put)).status).toBe(201);
    expect((await call(api, "GET", `${GADGETS}/one`)).at("metadata.name")).toBe("one");
    expect((await call(api, "GET", COLLECTION)).status).toBe(200);
    const { groups } = JSON.parse((await call(api, "GET", "/apis")).text) as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toEqual(["stable.example.com", "gadgets.example.com"]);
    expect((await call(api, "GET", "/openapi/v3/apis/gadgets.example.com/v1")).status).toBe(200);
    expect((await call(api, "GET", "/menu")).text).toBe("soup");
    const { paths } = JSON.parse((await call(api, "GET", "/")).text) as { paths: string[] };
    expect(paths).toContain("/menu");
    expect((await call(api, "GET", "/nothing")).text).toBe("404 page not found\n");
    await running.close();
  });

  test("runs the filters only once, in the first server (CHAIN-2, DISP-3, WEB-4, B-GEN-02, C-CHAIN-05, T20)", async () => {
    const seen: string[] = [];
    const filter = (name: string) => ({
      name,
      filter:
        (next: Parameters<NonNullable<ServerOptions["filters"]>[number]["filter"]>[0]) =>
        (request: Parameters<typeof next>[0]) => {
          seen.push(name);
          return next(request);
        },
    });
    const behind = await made({ resources: [gadgets], filters: [filter("behind")] }, "gadgets");
    const head = await made({ filters: [filter("head")] }, "widgets", behind);
    const running = await head.prepareRun().start();
    await call(running.transport(), "GET", GADGETS);
    expect(seen).toEqual(["head"]);
    await running.close();
  });

  test("serves the APIs of all servers; a write passes the admission plugins of the server that owns the resource (CHAIN-7)", async () => {
    const seen: string[] = [];
    const admission = (server: string) => ({
      plugins: [
        { plugin: { name: "Recorder", admit: () => void seen.push(server), validate: () => void seen.push(server) } },
      ],
    });
    const behind = await made({ resources: [gadgets], admission: admission("behind") }, "gadgets");
    const head = await made({ admission: admission("head") }, "widgets", behind);
    const running = await head.prepareRun().start();
    const api = running.transport();
    const create = async (path: string, group: string, kind: string) => {
      seen.length = 0;
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name: "one" } };
      expect((await call(api, "POST", path, object)).status).toBe(201);
      return [...seen];
    };
    expect(await create(GADGETS, "gadgets.example.com", "Gadget")).toEqual(["behind", "behind"]);
    expect(await create(COLLECTION, "stable.example.com", "Widget")).toEqual(["head", "head"]);
    await running.close();
  });

  test("lists a health check that two servers have by one name once, as the first server's", async () => {
    const behind = await made({ resources: [gadgets] }, "gadgets");
    const head = await made({}, "widgets", behind);
    const running = await head.prepareRun().start();
    const { text } = await call(running.transport(), "GET", "/readyz?verbose");
    expect(text).toBe(
      "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]poststarthook/storage-readiness ok\n[+]shutdown ok\nreadyz check passed\n",
    );
    await running.close();
  });

  test("has hooks and checks of all servers in the first, each name once (CHAIN-6, HOOK-1, HOOK-4, B-GEN-03, B-GEN-07)", async () => {
    const ran: string[] = [];
    const behind = await made({ resources: [gadgets] }, "gadgets");
    behind.addPostStartHook({ name: "behind", run: () => void ran.push("started behind") });
    behind.addPreShutdownHook({ name: "behind", run: () => void ran.push("stopped behind") });
    const head = await made({}, "widgets", behind);
    expect(() => head.addPostStartHook({ name: "behind", run: () => {} })).toThrow(
      'unable to add "behind" because it was already registered',
    );
    head.addPostStartHook({ name: "head", run: () => void ran.push("started head") });
    head.addPreShutdownHook({ name: "head", run: () => void ran.push("stopped head") });
    const running = await head.prepareRun().start();
    const { text } = await call(running.transport(), "GET", "/readyz?verbose");
    expect(text).toContain("[+]poststarthook/behind ok\n");
    expect(text).toContain("[+]poststarthook/head ok\n");
    await running.close();
    expect(ran).toEqual(["started behind", "started head", "stopped behind", "stopped head"]);
  });

  test("leaves no server listening when the hook of a delegate fails", async () => {
    const behind = await made({ resources: [gadgets] }, "gadgets");
    behind.addPostStartHook({ name: "broken", run: () => Promise.reject(new Error("no gas")) });
    const head = await made({ port: 0 }, "widgets", behind);
    await expect(head.prepareRun().start()).rejects.toThrow("no gas");
    expect(head.lifeCycle.has("HTTPServerStoppedListening")).toBe(true);
  });
});

describe("serving without TLS", () => {
  test("answers on a TCP port with the same API (B-SA, T15, C-CHAIN-07), and with paths of the owner beside it (B-MUX-03)", async () => {
    await using server = await startServer({ port: false, http: { anonymous: true }, resources: [widgets] });
    server.paths.handlePrefix("/kitchen/", (request) =>
      respondText(request, 200, `${request.exchange.method} ${request.info.path}`),
    );
    expect(server.url).toBe(server.httpUrl);
    const answer = await fetch(`${server.httpUrl}${COLLECTION}`);
    expect(await answer.json()).toMatchObject({ kind: "WidgetList", items: [] });
    const stove = await fetch(`${server.httpUrl}/kitchen/stove`, { method: "POST" });
    expect(await stove.text()).toBe("POST /kitchen/stove");
    expect(JSON.parse(server.kubeconfig())).toMatchObject({ clusters: [{ cluster: { server: server.httpUrl } }] });
  });

  // Windows has named pipes in the place of sockets at paths.
  test.skipIf(process.platform === "win32")("answers on a Unix socket, which is removed with the server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kubets-socket-"));
    const socketPath = join(folder, "api.sock");
    const server = await startServer({ port: false, http: { socketPath }, resources: [widgets] });
    const text = await new Promise<string>((resolve, reject) => {
      httpRequest({ socketPath, path: "/readyz" }, (response) =>
        response.once("data", (chunk) => resolve(String(chunk))),
      )
        .once("error", reject)
        .end();
    });
    expect(text).toBe("ok");
    await server.close();
    await expect(stat(socketPath)).rejects.toThrow("ENOENT");
    await rm(folder, { recursive: true });
  });

  test("answers from the caller's own HTTP server with the listeners of handler() (B-HND-01, B-SA-05)", async () => {
    await using server = await startServer({ port: false, resources: [widgets] });
    const { request, upgrade } = server.handler();
    const own = createServer(request).on("upgrade", upgrade);
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const headers = { authorization: `Bearer ${server.token}` };
    expect((await fetch(`http://127.0.0.1:${port}${COLLECTION}`, { headers })).status).toBe(200);
    await new Promise((resolve) => own.close(resolve));
  });

  test.each([
    [{ http: { host: "0.0.0.0" } }, "http.host is 0.0.0.0: without TLS everyone on the way reads tokens and objects"],
    [{ http: { port: -1 } }, "http.port is -1"],
    [{ http: { anonymous: true } }, "http.anonymous would open the port with TLS too"],
    [{ http: { socketPath: "" } }, "http.socketPath is empty"],
    [
      { port: false as const, http: {}, authentication: { clientCaFiles: ["ca.crt"] } },
      "http alone cannot authenticate by certificates of clients: a certificate is proved by TLS",
    ],
  ])("is refused for %j: %s", async (options, message) => {
    await expect(startServer(options)).rejects.toThrow(message);
  });
});

describe("a server without a delegate", () => {
  test("answers an unknown path, / and /index.html with the index of all paths (B-GEN-06, C-HND-03)", async () => {
    await using server = await startServer({ port: false, resources: [widgets] });
    server.paths.handle("/menu", (request) => respondText(request, 200, "soup"));
    const api = server.transport();
    const index = await call(api, "GET", "/index.html");
    expect(index.status).toBe(200);
    const nothing = await call(api, "GET", "/nothing");
    expect([nothing.status, nothing.text]).toEqual([404, index.text]);
    expect((JSON.parse(index.text) as { paths: string[] }).paths).toEqual(
      expect.arrayContaining(["/apis/stable.example.com/v1", "/healthz", "/menu", "/openapi/v3", "/version"]),
    );
    // It issues no tokens of service accounts, whose documents these are.
    expect(index.text).not.toMatch(/openid/);
  });

  test("has its own title and version, in OpenAPI and at /version (B-SA-04)", async () => {
    await using server = await startServer({
      port: false,
      resources: [widgets],
      title: { title: "Teleport", version: "v1.2.0" },
    });
    const api = server.transport();
    const info = { title: "Teleport", version: "v1.2.0" };
    expect(JSON.parse((await call(api, "GET", "/openapi/v2")).text)).toMatchObject({ info });
    expect(JSON.parse((await call(api, "GET", "/openapi/v3/apis/stable.example.com/v1")).text)).toMatchObject({ info });
    expect(JSON.parse((await call(api, "GET", "/version")).text)).toMatchObject({
      major: "1",
      minor: "2",
      gitVersion: "v1.2.0",
    });
  });
});
