import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import {
  API_SERVICES,
  availabilityOf,
  Backend,
  certificateOf,
  json,
  registerApi,
  thingsOf,
  untilAvailable,
} from "../../helpers/aggregated-backend.js";
import { eventually } from "../../helpers/eventually.js";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const NAMESPACES = "/api/v1/namespaces";

let main: Cluster;
let api: Transport;
let groups = 0;

beforeAll(async () => {
  main = await startCluster({ port: 0, nodes: 0, scheduler: false });
  api = main.transport();
});
afterAll(() => main.close());

/** A server behind the aggregator, of a group of its own, once it is available. */
async function available(answer: Answer): Promise<Backend> {
  const group = `fault-${++groups}.example.com`;
  const backend = await Backend.start(group, answer);
  await registerApi(api, { group, port: backend.port });
  await untilAvailable(api, group);
  return backend;
}

/** What the aggregator's discovery says of the group. */
async function discoveryOf(
  group: string,
): Promise<{ freshness: string; resources: { resource: string }[] } | undefined> {
  const all = JSON.parse((await call(api, "GET", "/apis", undefined, { accept: AGGREGATED })).text);
  return all.items.find((item: { metadata: { name: string } }) => item.metadata.name === group)?.versions[0];
}

const thingsIn = (group: string): string => `/apis/${group}/v1/namespaces/default/things`;

const healthy = async (): Promise<void> => {
  expect((await call(api, "GET", "/api/v1/namespaces/default/pods")).status).toBe(200);
  expect((await call(api, "GET", "/apis/apps/v1")).status).toBe(200);
  expect((await call(api, "GET", "/readyz")).text).toBe("ok");
};

describe("AC-5, PRX-2: an APIService is unavailable, with the reason in its status,", () => {
  const unavailable = async (group: string, reason: string, message: RegExp | string): Promise<void> => {
    await eventually(async () =>
      expect(await availabilityOf(api, group)).toEqual({
        status: "False",
        reason,
        message: typeof message === "string" ? message : expect.stringMatching(message),
      }),
    );
    const answer = await call(api, "GET", `/apis/${group}/v1/things`);
    expect([answer.status, answer.text]).toEqual([503, "service unavailable\n"]);
    await healthy();
  };

  /** An APIService whose service has ports and no endpoints of its own. */
  async function withService(
    group: string,
    service: object | undefined,
    port: number,
    more: object[] = [],
  ): Promise<void> {
    if (service !== undefined) {
      const made = await call(api, "POST", `${NAMESPACES}/default/services`, {
        metadata: { name: group.split(".")[0] },
        spec: service,
      });
      expect(made.status, made.text).toBe(201);
    }
    for (const slice of more) {
      const made = await call(api, "POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice);
      expect(made.status, made.text).toBe(201);
    }
    const spec = { namespace: "default", name: group.split(".")[0], port };
    const created = await call(api, "POST", API_SERVICES, {
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: spec,
      },
    });
    expect(created.status, created.text).toBe(201);
  }

  const slice = (service: string, port: number, ready: boolean): object => ({
    metadata: { name: `${service}-1`, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.9.9.9"], conditions: { ready } }],
    ports: [{ name: "", port, protocol: "TCP" }],
  });

  test("when its service is missing", async () => {
    await withService("no-service.example.com", undefined, 443);
    await unavailable("no-service.example.com", "ServiceNotFound", 'service/no-service in "default" is not present');
  });

  test("when its service has other ports", async () => {
    await withService("no-port.example.com", { ports: [{ port: 80 }] }, 443);
    await unavailable(
      "no-port.example.com",
      "ServicePortError",
      'service/no-port in "default" is not listening on port 443',
    );
  });

  test("when its service has no endpoints", async () => {
    await withService("no-slices.example.com", { ports: [{ port: 443 }] }, 443);
    await unavailable(
      "no-slices.example.com",
      "EndpointsNotFound",
      'cannot find endpointslices for service/no-slices in "default"',
    );
  });

  test("when its endpoints are not ready", async () => {
    await withService("not-ready.example.com", { ports: [{ port: 443 }] }, 443, [slice("not-ready", 8443, false)]);
    await unavailable(
      "not-ready.example.com",
      "MissingEndpoints",
      'endpointslices for service/not-ready in "default" have no addresses with port name ""',
    );
  });

  test("when nothing listens on its port", async () => {
    await registerApi(api, { group: "refused.example.com", port: 1 });
    await unavailable(
      "refused.example.com",
      "FailedDiscoveryCheck",
      /failing or missing response from https:\/\/localhost:1\/apis\/refused\.example\.com\/v1: Get ".*": dial tcp .*:1: connect: connection refused/,
    );
  });

  test("AGG-3: when its certificate is for another name", async () => {
    const group = "other-name.example.com";
    await using backend = await Backend.start(group, () => {}, certificateOf("somebody.example.com"));
    await registerApi(api, { group, port: backend.port });
    await unavailable(
      group,
      "FailedDiscoveryCheck",
      /x509: certificate is valid for somebody\.default\.svc, not other-name\.default\.svc/,
    );
  });

  test("when its CA did not sign the certificate", async () => {
    const group = "other-ca.example.com";
    await using backend = await Backend.start(group, () => {});
    const other = Buffer.from(main.caCertificate).toString("base64");
    await registerApi(api, { group, port: backend.port, spec: { caBundle: other } });
    await unavailable(group, "FailedDiscoveryCheck", /x509: certificate signed by unknown authority/);
  });

  test("when its server refuses the aggregator", async () => {
    const group = "fault-forbidden.example.com";
    await using backend = await Backend.start(group, () => {});
    backend.server.removeAllListeners("request").on("request", (_request, response) => json(response, 403, {}));
    await registerApi(api, { group, port: backend.port });
    await unavailable(
      group,
      "FailedDiscoveryCheck",
      /bad status from https:\/\/localhost:\d+\/apis\/fault-forbidden\.example\.com\/v1: 403$/,
    );
  });

  test("when its service is the main server itself", async () => {
    const group = "loop.example.com";
    await registerApi(api, {
      group,
      port: Number(new URL(main.url).port),
      spec: { caBundle: undefined, insecureSkipTLSVerify: true },
    });
    await unavailable(group, "FailedDiscoveryCheck", /bad status from .*: (401|403|508)$/);
  });
});

describe("an extension server that answers wrongly affects only its own group:", () => {
  test("its redirect becomes an error", async () => {
    await using backend = await available((_request, response) =>
      response.writeHead(307, { location: "https://elsewhere.example.com/" }).end(),
    );
    const answer = await call(api, "GET", thingsIn(backend.group));
    expect([answer.status, answer.text]).toEqual([
      502,
      "the backend attempted to redirect this request, which is not permitted",
    ]);
    await healthy();
  });

  test("its connection that breaks before an answer becomes a 503 with the reason", async () => {
    await using backend = await available((request) => request.socket.destroy());
    const answer = await call(api, "POST", thingsIn(backend.group), {});
    expect([answer.status, answer.text]).toEqual([503, "error trying to reach service: EOF\n"]);
    await healthy();
  });

  test("its closed idle connection causes no error for the client", async () => {
    await using backend = await available((request, response) => {
      if (request.url?.includes("/things")) json(response, 200, { connections: backend.connections });
      else json(response, 404, {});
    });
    const first = await call(api, "GET", thingsIn(backend.group));
    expect(first.status).toBe(200);
    // Cut when the aggregator keeps it, and before it hears of it.
    backend.cut();
    const second = await call(api, "GET", thingsIn(backend.group));
    expect(second.status, second.text).toBe(200);
    expect([second.status, second.at("connections") !== first.at("connections")]).toEqual([200, true]);
  });

  test("its answer that breaks off ends the client's; a short one becomes a 503", async () => {
    await using backend = await available((request, response) => {
      if (!request.url?.includes("/things")) return json(response, 404, {});
      const length = request.url.endsWith("short") ? "1000" : "100000";
      response
        .writeHead(200, { "content-type": "application/json", "content-length": length })
        .write("{", () => request.socket.destroy());
    });
    await expect(call(api, "GET", thingsIn(backend.group))).rejects.toThrow();
    const short = await call(api, "GET", `${thingsIn(backend.group)}/short`);
    expect([short.status, short.text]).toEqual([503, "error trying to reach service: unexpected EOF\n"]);
    await healthy();
  });

  test("its discovery that is not JSON is stale, and its objects are still served", async () => {
    await using backend = await available((request, response) => {
      if (request.url === "/apis") response.writeHead(200, { "content-type": AGGREGATED }).end("<html>");
      else json(response, 200, { items: [] });
    });
    await eventually(async () => expect((await discoveryOf(backend.group))?.freshness).toBe("Stale"));
    expect((await call(api, "GET", thingsIn(backend.group))).status).toBe(200);
    await healthy();
  });

  test("its endless discovery is not read to the end", async () => {
    let sent = 0;
    await using backend = await available((request, response) => {
      if (request.url !== "/apis") return json(response, 404, {});
      response.writeHead(200, { "content-type": AGGREGATED });
      const chunk = Buffer.alloc(1_000_000, " ");
      const more = (): void => {
        if (response.destroyed) return;
        sent += chunk.length;
        response.write(chunk, more);
      };
      more();
    });
    await eventually(async () => expect((await discoveryOf(backend.group))?.freshness).toBe("Stale"));
    expect(sent).toBeLessThan(40_000_000);
    await healthy();
  });

  test("its resources without name, kind or verbs are not shown", async () => {
    const group = `fault-${++groups}.example.com`;
    await using backend = await Backend.start(group, (_request, response) => json(response, 404, {}));
    const [good] = (thingsOf(group) as { resources: object[] }).resources;
    backend.server.removeAllListeners("request").on("request", (request, response) => {
      if (request.url !== `/apis/${group}/v1`) return json(response, 404, {});
      const resources = [{}, { name: "nokind", verbs: ["get"] }, { name: "noverbs", kind: "X" }, 7, good];
      json(response, 200, { kind: "APIResourceList", groupVersion: `${group}/v1`, resources });
    });
    await registerApi(api, { group, port: backend.port });
    await eventually(async () =>
      expect((await discoveryOf(group))?.resources.map(({ resource }) => resource)).toEqual(["things"]),
    );
  });

  test("its headers that name a user do not reach the client", async () => {
    await using backend = await available((_request, response) =>
      response
        .writeHead(200, { "x-remote-user": "admin", "x-remote-group": "system:masters", "x-own": "yes" })
        .end("{}"),
    );
    const { headers } = await call(api, "GET", thingsIn(backend.group));
    expect([headers["x-remote-user"], headers["x-remote-group"], headers["x-own"]]).toEqual([
      undefined,
      undefined,
      "yes",
    ]);
  });

  test("its request ends when the client disconnects", async () => {
    let ended = false;
    await using backend = await available((request, response) => {
      if (!request.url?.includes("watch")) return json(response, 404, {});
      response.writeHead(200, { "content-type": "application/json" }).write("{}\n");
      response.on("close", () => (ended = true));
    });
    const stop = new AbortController();
    const watch = await api.send({
      method: "GET",
      path: `${thingsIn(backend.group)}?watch=true`,
      headers: {},
      signal: stop.signal,
    });
    await watch.body[Symbol.asyncIterator]().next();
    stop.abort();
    await eventually(() => expect(ended).toBe(true));
  });
});

describe("an extension server that dies", () => {
  test("T8, DISC-4: keeps its last resources in discovery as stale; its group answers 503, and works again when it returns", async () => {
    const group = `fault-${++groups}.example.com`;
    const first = await Backend.start(group, (_request, response) => json(response, 200, { items: [] }));
    const { port } = first;
    await registerApi(api, { group, port });
    await eventually(async () => expect((await discoveryOf(group))?.freshness).toBe("Current"));
    await first[Symbol.asyncDispose]();
    // A change of the service has it checked at once.
    const touch = (text: string) =>
      call(
        api,
        "PATCH",
        `${NAMESPACES}/default/services/${group.split(".")[0]}`,
        { metadata: { labels: { text } } },
        { type: "application/merge-patch+json" },
      );
    await touch("one");
    await eventually(async () => {
      const found = await discoveryOf(group);
      expect([found?.freshness, found?.resources.map(({ resource }) => resource)]).toEqual(["Stale", ["things"]]);
    });
    expect((await call(api, "GET", thingsIn(group))).status).toBe(503);
    await healthy();
    await call(api, "DELETE", `${API_SERVICES}/v1.${group}`);
    await eventually(async () => expect(await discoveryOf(group)).toBeUndefined());
  });
});

describe("deleting a namespace while an extension server is down", () => {
  /** A group whose server was there and is not any more. */
  async function dead(verbs: string[]): Promise<string> {
    const group = `fault-${++groups}.example.com`;
    await using backend = await Backend.start(group, (_request, response) => json(response, 404, {}));
    backend.server.removeAllListeners("request").on("request", (request, response) => {
      if (request.url === `/apis/${group}/v1`) return json(response, 200, thingsOf(group, verbs));
      if (request.url?.includes("/things"))
        return json(response, 200, { kind: "ThingList", apiVersion: `${group}/v1`, metadata: {}, items: [] });
      json(response, 404, {});
    });
    await registerApi(api, { group, port: backend.port });
    await eventually(async () => expect((await discoveryOf(group))?.freshness).toBe("Current"));
    return group;
  }
  const died = async (group: string): Promise<void> => {
    await call(
      api,
      "PATCH",
      `${NAMESPACES}/default/services/${group.split(".")[0]}`,
      { metadata: { labels: { died: "yes" } } },
      { type: "application/merge-patch+json" },
    );
    await eventually(async () => expect((await discoveryOf(group))?.freshness).toBe("Stale"));
  };
  const forget = (group: string) => call(api, "DELETE", `${API_SERVICES}/v1.${group}`);

  test("succeeds when the server supports no deletion", async () => {
    for (const { metadata } of JSON.parse((await call(api, "GET", API_SERVICES)).text).items) {
      if (/^v1\.(fault|no-|not-|refused|other|loop)/.test(metadata.name))
        await call(api, "DELETE", `${API_SERVICES}/${metadata.name}`);
    }
    const group = await dead(["get", "list"]);
    await died(group);
    await call(api, "POST", NAMESPACES, { metadata: { name: "light" } });
    await call(api, "DELETE", `${NAMESPACES}/light`);
    await eventually(async () => expect((await call(api, "GET", `${NAMESPACES}/light`)).status).toBe(404));
    await forget(group);
  });

  test("waits for a server that may have objects there, until its APIService is deleted", async () => {
    const group = await dead(["delete", "get", "list"]);
    await died(group);
    await call(api, "POST", NAMESPACES, { metadata: { name: "heavy" } });
    await call(api, "DELETE", `${NAMESPACES}/heavy`);
    await eventually(async () => {
      const { text } = await call(api, "GET", `${NAMESPACES}/heavy`);
      const failure = JSON.parse(text).status.conditions?.find(
        ({ type }: { type: string }) => type === "NamespaceDeletionDiscoveryFailure",
      );
      expect(failure?.status).toBe("True");
      expect(failure?.message).toContain(`${group}/v1: stale GroupVersion discovery: ${group}/v1`);
    });
    await forget(group);
    await eventually(async () => expect((await call(api, "GET", `${NAMESPACES}/heavy`)).status).toBe(404));
  });
});
