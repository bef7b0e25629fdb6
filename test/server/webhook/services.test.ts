import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemTimers } from "../../../src/base/time/timers.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { locateByEndpoints, type ServiceObjects } from "../../../src/server/webhook/service-address.js";
import { WebhookClients } from "../../../src/server/webhook/webhook-clients.js";
import { webhookTarget } from "../../../src/server/webhook/webhook-target.js";
import { admittingServer, done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { allow, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

let hooks: WebhookServer;

beforeAll(async () => {
  hooks = await startWebhookServer({ names: ["hook.default.svc", "127.0.0.1", "localhost"] });
});

afterAll(() => hooks[Symbol.asyncDispose]());

beforeEach(() => {
  hooks.calls.length = 0;
});

const service = (spec: object): KubeObject =>
  ({ metadata: { name: "hook", namespace: "default" }, spec }) as KubeObject;
const PORTS = [
  { name: "https", port: 443 },
  { name: "other", port: 8443 },
];
const slice = (more: object): KubeObject =>
  ({
    metadata: { name: "s", namespace: "default", labels: { "kubernetes.io/service-name": "hook" } },
    addressType: "IPv4",
    ports: [{ name: "https", port: 9443 }],
    endpoints: [{ addresses: ["10.1.0.1"] }],
    ...more,
  }) as KubeObject;

describe("finding the address of a webhook behind a Service", () => {
  interface Objects {
    readonly service?: KubeObject;
    readonly slices?: readonly KubeObject[];
    readonly endpoints?: KubeObject;
  }
  const located = (objects: Objects, port = 443) => {
    const reader: ServiceObjects = {
      get: async (_, resource) => (resource === "services" ? objects.service : objects.endpoints),
      list: async () => objects.slices ?? [],
    };
    return locateByEndpoints(() => reader, systemRandom)({ namespace: "default", name: "hook", port });
  };
  const clustered = service({ type: "ClusterIP", ports: PORTS, ipFamilies: ["IPv4"] });

  const rows: readonly (readonly [title: string, objects: Objects, address: string, port?: number])[] = [
    ["the endpoint of the port of that name", { service: clustered, slices: [slice({})] }, "10.1.0.1:9443"],
    [
      "another port of the service",
      { service: clustered, slices: [slice({ ports: [{ name: "other", port: 1 }] })] },
      "10.1.0.1:1",
      8443,
    ],
    [
      "a port without a name",
      { service: service({ ports: [{ port: 443 }] }), slices: [slice({ ports: [{ name: "", port: 5 }] })] },
      "10.1.0.1:5",
    ],
    [
      "an endpoint that is ready",
      {
        service: clustered,
        slices: [
          slice({
            endpoints: [
              { addresses: ["10.1.0.1"], conditions: { ready: false } },
              { addresses: ["10.1.0.2"], conditions: { ready: true } },
            ],
          }),
        ],
      },
      "10.1.0.2:9443",
    ],
    [
      "the service's first IP family before others",
      {
        service: clustered,
        slices: [slice({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] }), slice({})],
      },
      "10.1.0.1:9443",
    ],
    [
      "another IP family where the first has no endpoint",
      {
        service: clustered,
        slices: [slice({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] }), slice({ endpoints: [] })],
      },
      "fd00::1:9443",
    ],
    [
      "Endpoints where there are no slices",
      {
        service: clustered,
        endpoints: {
          subsets: [{ addresses: [{ ip: "10.1.0.9" }], ports: [{ name: "https", port: 7 }] }],
        } as unknown as KubeObject,
      },
      "10.1.0.9:7",
    ],
    [
      "a headless service like any other",
      { service: service({ clusterIP: "None", ports: PORTS }), slices: [slice({})] },
      "10.1.0.1:9443",
    ],
    [
      "the name of an ExternalName service",
      { service: service({ type: "ExternalName", externalName: "hooks.example.com" }) },
      "hooks.example.com:443",
    ],
  ];
  test.each(rows.map(([title, objects, address, port]) => [title, objects, address, port] as const))(
    "%s",
    async (_, objects, address, port) => {
      const found = await located(objects, port);
      expect(`${found.host}:${found.port}`).toBe(address);
    },
  );

  const failing: readonly (readonly [title: string, objects: Objects, message: string, port?: number])[] = [
    ["no service", {}, 'service "hook" not found'],
    ["no such port", { service: clustered, slices: [slice({})] }, 'no service port 444 found for service "hook"', 444],
    ["no slices", { service: clustered }, 'no endpoints available for service "hook"'],
    [
      "slices of other services",
      { service: clustered, slices: [slice({ metadata: { name: "x" } })] },
      'no endpoints available for service "hook"',
    ],
    [
      "no endpoints",
      { service: clustered, slices: [slice({ endpoints: [] })] },
      'no endpoints available for service "hook"',
    ],
    [
      "no endpoint that is ready",
      {
        service: clustered,
        slices: [slice({ endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: false } }] })],
      },
      'no endpoints available for service "hook"',
    ],
    [
      "no endpoint of that port",
      { service: clustered, slices: [slice({ ports: [{ name: "x", port: 1 }] })] },
      'no endpoints available for service "hook"',
    ],
  ];
  test.each(failing.map(([title, objects, message, port]) => [title, objects, message, port] as const))(
    "fails for %s",
    async (_, objects, message, port) => {
      await expect(located(objects, port)).rejects.toThrow(message);
    },
  );

  test("chooses several endpoints in turn", async () => {
    const endpoints = ["10.1.0.1", "10.1.0.2", "10.1.0.3"].map((address) => ({ addresses: [address] }));
    const seen = new Set<string>();
    for (let round = 0; round < 100; round++) {
      seen.add((await located({ service: clustered, slices: [slice({ endpoints })] })).host);
    }
    expect([...seen].toSorted()).toEqual(["10.1.0.1", "10.1.0.2", "10.1.0.3"]);
  });
});

describe("a webhook behind a Service", () => {
  const MAPS = "/api/v1/namespaces/default/configmaps";
  const config = (more: object = {}) => ({
    caBundle: hooks.caBundle,
    service: { namespace: "default", name: "hook", path: "/hook", ...more },
  });

  test("is called by the service's name, at the address that the server's resolver gives", async () => {
    hooks.on("/hook", (given) => allow(given));
    const asked: unknown[] = [];
    await using server = await admittingServer({}, undefined, undefined, {
      locateService: async (wanted) => {
        asked.push(wanted);
        return { host: "127.0.0.1", port: hooks.port };
      },
    });
    await using _ = await configure(server.api, "validating", [{ clientConfig: config() }]);
    for (const name of ["a", "b", "c"]) await done(server.api, "POST", MAPS, { metadata: { name } });
    expect(asked).toEqual([{ namespace: "default", name: "hook", port: 443 }]);
    expect(hooks.calls.map(({ path, headers }) => [path, headers.host])).toEqual(
      Array.from({ length: 3 }, () => ["/hook?timeout=10s", "hook.default.svc:443"]),
    );
  });

  test("is found by the server's objects: an ExternalName service of this machine", async () => {
    hooks.on("/hook", (given) => allow(given));
    await using server = await admittingServer({});
    const spec = { type: "ExternalName", externalName: "localhost" };
    await done(server.api, "POST", "/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
    await using _ = await configure(server.api, "validating", [{ clientConfig: config({ port: hooks.port }) }]);
    await done(server.api, "POST", MAPS, { metadata: { name: "a" } });
    expect(hooks.calls).toHaveLength(1);
  });

  test("fails the request in kube-apiserver's words when it does not exist", async () => {
    await using server = await admittingServer({});
    const FAILED = 'Internal error occurred: failed calling webhook "one.webhook.test": failed to call webhook: ';
    const message = async (clientConfig: object) => {
      await using _ = await configure(server.api, "validating", [{ clientConfig }]);
      return (await call(server.api, "POST", MAPS, { metadata: { name: "a" } })).at("message");
    };
    expect(await message(config())).toBe(
      `${FAILED}Post "https://hook.default.svc:443/hook?timeout=10s": service "hook" not found`,
    );
    const spec = { clusterIP: "None", ports: [{ name: "https", port: 443 }] };
    await done(server.api, "POST", "/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
    expect(await message(config({ port: 8443, path: "" }))).toBe(
      `${FAILED}Post "https://hook.default.svc:8443/?timeout=10s": no service port 8443 found for service "hook"`,
    );
    expect(await message(config({ path: "/hook/" }))).toBe(
      `${FAILED}Post "https://hook.default.svc:443/hook?timeout=10s": no endpoints available for service "hook"`,
    );
  });

  test("is not called when its certificate is for another name", async () => {
    await using server = await admittingServer({}, undefined, undefined, {
      locateService: () => Promise.resolve({ host: "127.0.0.1", port: hooks.port }),
    });
    await using _ = await configure(server.api, "validating", [{ clientConfig: config({ name: "other" }) }]);
    const { at } = await call(server.api, "POST", MAPS, { metadata: { name: "a" } });
    expect(at("message")).toMatch(
      /Post "https:\/\/other\.default\.svc:443\/hook\?timeout=10s": tls: failed to verify certificate: x509: certificate is valid for hook\.default\.svc, localhost, not other\.default\.svc$/,
    );
    expect(hooks.calls).toEqual([]);
  });
});

describe("the server's connections to webhooks", () => {
  const clientsWith = (env: Record<string, string> = {}, connections = 100) =>
    new WebhookClients(
      {
        connections,
        clock: systemClock,
        timers: systemTimers,
        env,
        locate: () => Promise.resolve({ host: "127.0.0.1", port: hooks.port }),
      },
      systemRandom,
    );
  const ofService = () =>
    webhookTarget({ service: { namespace: "default", name: "hook", path: "/hook" }, caBundle: hooks.caBundle });
  const ask = (clients: WebhookClients, target = ofService()) => clients.of(target).post(Buffer.from("{}"));

  test("are kept between calls, shared by equal targets, and closed at the end", async () => {
    hooks.on("/hook", () => "{}");
    const clients = clientsWith();
    const before = hooks.connections;
    for (let round = 0; round < 5; round++) await ask(clients);
    await Promise.all([ask(clients), ask(clients)]);
    expect(hooks.connections - before).toBe(2);
    await clients.close();
  });

  test("are closed when the server stops", async () => {
    await using own = await startWebhookServer({ names: ["127.0.0.1"] });
    own.on("/hook", (given) => allow(given));
    const server = await admittingServer({});
    const clientConfig = { url: `${own.url}/hook`, caBundle: own.caBundle };
    await configure(server.api, "validating", [{ clientConfig }]);
    await done(server.api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
    expect(own.openConnections).toBe(1);
    await server[Symbol.asyncDispose]();
    await expect.poll(() => own.openConnections).toBe(0);
  });

  test("repeat a call when the webhook asks to try later", async () => {
    let calls = 0;
    hooks.on("/hook", (_, response) =>
      ++calls === 1 ? void response.writeHead(503, { "retry-after": "0" }).end() : "{}",
    );
    const clients = clientsWith();
    expect((await ask(clients)).status).toBe(200);
    expect(calls).toBe(2);
    await clients.close();
  });

  test("are limited, so that further calls of one webhook wait", async () => {
    let most = 0;
    const open: { end(text: string): unknown }[] = [];
    // Nobody is answered before a second one has called; more come meanwhile.
    const answerAll = (): void => open.splice(0).forEach((response) => response.end("{}"));
    hooks.on("/hook", (_, response) => {
      most = Math.max(most, open.push(response));
      if (most > 1) setTimeout(answerAll, 5);
    });
    // Each is a TLS handshake, which has its own limit of time.
    const clients = clientsWith({}, 10);
    await Promise.all(Array.from({ length: 50 }, () => ask(clients)));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
    await clients.close();
  });

  test("are kept for the most recently called targets", async () => {
    const clients = clientsWith();
    const first = clients.of(ofService());
    for (let index = 0; index < 200; index++) {
      clients.of(webhookTarget({ url: `https://127.0.0.1:${hooks.port}/${index}`, caBundle: hooks.caBundle }));
    }
    expect(clients.of(ofService())).not.toBe(first);
    await clients.close();
  });

  test("complete a waiting call when their client is released", async () => {
    let finish = (): void => {};
    hooks.on("/hook", (_, response) => void (finish = () => response.end("{}")));
    const clients = clientsWith();
    const running = ask(clients);
    await expect.poll(() => hooks.calls.length).toBe(1);
    for (let index = 0; index < 201; index++) {
      clients.of(webhookTarget({ url: `https://127.0.0.1:${hooks.port}/${index}`, caBundle: hooks.caBundle }));
    }
    finish();
    expect((await running).status).toBe(200);
    await clients.close();
  });

  describe("use the proxies of the environment", () => {
    let proxy: Server;
    let through: string[];
    let address: string;

    beforeAll(async () => {
      through = [];
      proxy = createTcpServer((socket) => {
        socket.once("data", (head) => {
          through.push(head.toString("latin1").split("\r\n", 1)[0] ?? "");
          const upstream = connectTcp(hooks.port, "127.0.0.1");
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          socket.pipe(upstream).pipe(socket);
          for (const one of [socket, upstream]) one.on("error", () => one.destroy());
        });
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });

    afterAll(() => proxy.close());

    const rows: readonly (readonly [what: string, target: () => object, through: readonly string[]])[] = [
      [
        "a url goes through one",
        () => ({ url: "https://hook.example.com:8443/hook" }),
        ["CONNECT hook.example.com:8443 HTTP/1.1"],
      ],
      ["a service does not", () => ({ service: { namespace: "default", name: "hook", path: "/hook" } }), []],
      ["a url with a service's name does not", () => ({ url: "https://hook.default.svc:1/hook" }), []],
      [
        "a url with a service's full name does not",
        () => ({ url: "https://hook.default.svc.cluster.local:1/hook" }),
        [],
      ],
      ["a url of this machine does not", () => ({ url: `https://127.0.0.1:${hooks.port}/hook` }), []],
    ];
    test.each(rows)("as when %s", async (_, target, expected) => {
      through.length = 0;
      hooks.on("/hook", () => "{}");
      const clients = clientsWith({ HTTPS_PROXY: address });
      // Whether the call succeeds depends on names that there are none of; what counts is the way that it takes.
      await ask(clients, webhookTarget({ caBundle: hooks.caBundle, ...target() })).catch(() => undefined);
      expect(through).toEqual(expected);
      await clients.close();
    });
  });
});
