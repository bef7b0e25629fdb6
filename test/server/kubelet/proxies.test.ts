import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import { isGlobalUnicast } from "../../../src/server/builtin/core/connect-target.js";
import { type AdmittingServer, admittingServer, done } from "../../helpers/admitting-server.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { startFakeKubelet, type FakeKubelet } from "../../helpers/fake-kubelet.js";

/** What the server behind the proxy was sent. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const PODS = "/api/v1/namespaces/default/pods";
const SERVICES = "/api/v1/namespaces/default/services";
const ENDPOINTS = "/api/v1/namespaces/default/endpoints";
const REFUSED = { code: "ECONNREFUSED", syscall: "connect", address: "10.1.0.7", port: 9 };

let backend: Server;
let kubelet: FakeKubelet;
let server: AdmittingServer;
const dialled: string[] = [];

beforeAll(async () => {
  backend = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const location = new URL(url, "http://pod").searchParams.get("to");
      if (location !== null) response.setHeader("location", location).statusCode = 302;
      response.setHeader("x-own", "yes").setHeader("connection", "close, x-hop").setHeader("x-hop", "no");
      for (const name of ["Credentials", "Headers", "Methods", "Origin"]) {
        response.setHeader(`Access-Control-Allow-${name}`, "*");
      }
      response.setHeader("Access-Control-Max-Age", "5");
      if (url.startsWith("/page")) return answerPage(url, response);
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  const { port } = backend.address() as AddressInfo;
  const dial = (ip: string, asked: number): Promise<Socket> | undefined => {
    if (!ip.startsWith("10.")) return undefined;
    dialled.push(`${ip}:${asked}`);
    if (asked === 9) return Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), REFUSED));
    return Promise.resolve(connect(port, "127.0.0.1"));
  };
  kubelet = await startFakeKubelet();
  const release = await releaseOf("1.36");
  server = await admittingServer({}, undefined, undefined, { network: { dial }, release });
  await pod("web", "10.1.0.7");
  for (const [name, ip] of [
    ["loopback", "127.0.0.1"],
    ["link-local", "169.254.169.254"],
    ["none", undefined],
  ] as const) {
    await pod(name, ip);
  }
  const ports = [
    { name: "http", port: 80, targetPort: 8080 },
    { name: "other", port: 81, targetPort: 8081 },
  ];
  for (const name of ["web", "foreign", "loopback", "empty"]) {
    await done(server.api, "POST", SERVICES, { metadata: { name }, spec: { clusterIP: "None", ports } });
  }
  await endpoints("web", "10.1.0.7", "web");
  await endpoints("foreign", "10.9.9.9", "web");
  await endpoints("loopback", "10.1.0.7", undefined);
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
  await done(server.api, "POST", "/api/v1/nodes", {
    metadata: { name: "node" },
    status: { addresses, daemonEndpoints },
  });
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await kubelet.close();
  backend.closeAllConnections();
  backend.close();
});

async function pod(name: string, podIP: string | undefined): Promise<void> {
  const containers = [{ name: "c", image: "i", ports: [{ containerPort: 8080 }] }];
  await done(server.api, "POST", PODS, { metadata: { name }, spec: { containers } });
  if (podIP === undefined) return;
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }] };
  await done(server.api, "PATCH", `${PODS}/${name}/status`, { status }, "application/merge-patch+json");
}

async function endpoints(name: string, ip: string, target: string | undefined): Promise<void> {
  const targetRef = target === undefined ? undefined : { kind: "Pod", name: target, namespace: "default" };
  const subsets = [
    {
      addresses: [{ ip, targetRef }],
      ports: [
        { name: "http", port: 8080 },
        { name: "other", port: 8081 },
      ],
    },
  ];
  await done(server.api, "POST", ENDPOINTS, { metadata: { name }, subsets });
}

/** A page with a link, compressed where the path says so. */
function answerPage(url: string, response: ServerResponse): void {
  const page = Buffer.from("<!DOCTYPE html><a href=\"/rewriteme\">test</a><img src='http://10.1.0.7:8080/x.png'>");
  response.setHeader("content-type", url === "/page/text" ? "text/plain" : "text/html; charset=utf-8");
  if (url === "/page/broken") response.setHeader("content-encoding", "gzip");
  const coding = /^\/page\/(gzip|br)$/.exec(url)?.[1];
  if (coding !== undefined) response.setHeader("content-encoding", coding);
  response.end(coding === "gzip" ? gzipSync(page) : page);
}

const sentOf = ({ text }: Answer): Sent => JSON.parse(text) as Sent;

describe("a request through the proxy of a pod, service or node", () => {
  test.each([
    ["of a pod, to the port that it declares", `${PODS}/web/proxy/a/b?c=d&c=e`, "10.1.0.7:8080", "/a/b?c=d&c=e"],
    ["of a pod, to a port that the client names", `${PODS}/web:8443/proxy/`, "10.1.0.7:8443", "/"],
    ["of a pod, to a port of a scheme", `${PODS}/http:web:7/proxy/x/`, "10.1.0.7:7", "/x/"],
    ["of a service, by a port's name", `${SERVICES}/web:other/proxy/x`, "10.1.0.7:8081", "/x"],
    ["of a service, by a port's number", `${SERVICES}/web:80/proxy/x`, "10.1.0.7:8080", "/x"],
    ["of a pod, with the query as it came", `${PODS}/web/proxy/?wsdl&a=%20+b`, "10.1.0.7:8080", "/?wsdl&a=%20+b"],
    ["of a pod, with an empty query", `${PODS}/web/proxy/?`, "10.1.0.7:8080", "/"],
    ["of a pod, with letters that a head has no place for", `${PODS}/web/proxy/?a=€`, "10.1.0.7:8080", "/?a=%E2%82%AC"],
    ["of a pod, with dots that lead nowhere else", `${PODS}/web/proxy/a/%2e%2e/%2E%2e/b`, "10.1.0.7:8080", "/b"],
  ])("reaches the right address: %s", async (_, path, address, url) => {
    dialled.length = 0;
    const answer = await call(server.api, "GET", path);
    expect([answer.status, dialled, sentOf(answer).url]).toEqual([200, [address], url]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("passes on the body of a %s", async (method) => {
    const answer = await call(server.api, method, `${PODS}/web/proxy/x`, "a body", { type: "text/plain" });
    expect([answer.status, sentOf(answer)]).toEqual([200, expect.objectContaining({ method, body: "a body" })]);
  });

  test("is passed on without the client's credentials, and with X-Forwarded headers", async () => {
    const { headers } = sentOf(
      await call(server.api, "GET", `${PODS}/web/proxy/x`, undefined, {
        headers: {
          host: "cluster.example.com",
          te: "trailers",
          "x-own": "ü",
          "x-forwarded-for": "192.0.2.1",
        },
      }),
    );
    expect(headers).toMatchObject({
      // The bytes of the text, as Node shows them.
      "x-own": Buffer.from("ü").toString("latin1"),
      "x-forwarded-for": "192.0.2.1, 127.0.0.1",
      "x-forwarded-host": "cluster.example.com",
      "x-forwarded-uri": `${PODS}/web/proxy/x`,
    });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("te");
  });

  test("is answered with status and headers that are meant for the client", async () => {
    const { headers } = await call(server.api, "GET", `${PODS}/web/proxy/x`);
    expect(headers).toMatchObject({ "x-own": "yes" });
    expect(headers).not.toHaveProperty("x-hop");
    // Which origins read the API server's answers is not for a pod to say.
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([
      "access-control-max-age",
    ]);
  });

  test("without a final slash is redirected to the path with one, so that relative links work", async () => {
    const answer = await call(server.api, "GET", `${PODS}/web/proxy?a=b`);
    expect([answer.status, answer.headers["location"]]).toEqual([301, `${PODS}/web/proxy/?a=b`]);
  });

  test.each([
    ["a path of the pod", "/login", `${PODS}/web/proxy/login`],
    ["the pod by its address", "http://10.1.0.7:8080/login", `${PODS}/web/proxy/login`],
    ["another host", "http://example.com/login", "http://example.com/login"],
    ["a relative path", "login", "login"],
    ["a path that leads through the proxy already", `${PODS}/web/proxy/login`, `${PODS}/web/proxy/login`],
  ])("that is redirected to %s is redirected through the proxy", async (_, to, location) => {
    const answer = await call(server.api, "GET", `${PODS}/web/proxy/x?to=${encodeURIComponent(to)}`);
    expect([answer.status, answer.headers["location"]]).toEqual([302, location]);
  });

  const REWRITTEN = `<!DOCTYPE html><a href="${PODS}/web/proxy/rewriteme">test</a><img src='${PODS}/web/proxy/x.png'>`;
  const AS_IT_IS = `<!DOCTYPE html><a href="/rewriteme">test</a><img src='http://10.1.0.7:8080/x.png'>`;

  test.each([
    ["a page, whose links lead through the proxy", "/page", REWRITTEN],
    ["a compressed page, whose links do, too", "/page/gzip", REWRITTEN],
    ["a page in another coding as it is", "/page/br", AS_IT_IS],
    ["text as it is", "/page/text", AS_IT_IS],
  ])("is answered with %s", async (_, path, expected) => {
    const { status, headers, body } = await server.api.send({
      method: "GET",
      path: `${PODS}/web/proxy${path}`,
      headers: {},
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = String(headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes);
    expect([status, text]).toEqual([200, expected]);
    expect(["undefined", String(bytes.length)]).toContain(String(headers["content-length"]));
  });

  test("is broken off when a page is not compressed as its headers say, and the next one is answered", async () => {
    await expect(call(server.api, "GET", `${PODS}/web/proxy/page/broken`)).rejects.toThrow();
    expect(server.faults.splice(0)).toEqual([expect.objectContaining({ code: "Z_DATA_ERROR" })]);
    expect((await call(server.api, "GET", `${PODS}/web/proxy/page`)).text).toBe(REWRITTEN);
  });

  test("by HEAD is answered without a body", async () => {
    const answer = await call(server.api, "HEAD", `${PODS}/web/proxy/page/gzip`);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test("to a node goes to the node's agent", async () => {
    const answer = await call(server.api, "GET", "/api/v1/nodes/node/proxy/containerLogs/default/web/web");
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("web/web asked for <>")]);
    const named = await call(server.api, "GET", `/api/v1/nodes/https:node:${kubelet.port}/proxy/nothing`);
    expect(named.status).toBe(404);
  });
});

describe("a proxy of a pod, service or node refuses", () => {
  const rows: readonly (readonly [what: string, path: string, status: number, message: string])[] = [
    ["a pod that there is not", `${PODS}/nobody/proxy/`, 404, 'pods "nobody" not found'],
    ["a name of too many parts", `${PODS}/a:b:c:d/proxy/`, 400, 'invalid pod request "a:b:c:d"'],
    ["another scheme", `${SERVICES}/ftp:web:80/proxy/`, 400, 'invalid service request "ftp:web:80"'],
    ["a pod with the server's own address", `${PODS}/loopback/proxy/`, 400, "address not allowed"],
    ["a pod with an address of the link", `${PODS}/link-local/proxy/`, 400, "address not allowed"],
    ["a pod without an address", `${PODS}/none/proxy/`, 400, "address not allowed"],
    ["a port of a node that is the server's own", "/api/v1/nodes/node:1/proxy/", 400, "address not allowed"],
    [
      "a service's port that there is not",
      `${SERVICES}/web:99/proxy/`,
      503,
      'no service port 99 found for service "web"',
    ],
    [
      "a service's port name that there is not",
      `${SERVICES}/web:x/proxy/`,
      503,
      'no endpoints available for service "web:x"',
    ],
    [
      "endpoints that are no pod's",
      `${SERVICES}/loopback:80/proxy/`,
      503,
      'no endpoints available for service "loopback:80"',
    ],
    [
      "endpoints with another address than the pod's",
      `${SERVICES}/foreign:80/proxy/`,
      503,
      'no endpoints available for service "foreign:80"',
    ],
    ["a service without endpoints", `${SERVICES}/empty:80/proxy/`, 404, 'endpoints "empty" not found'],
    [
      "a port that nothing listens on",
      `${PODS}/web:9/proxy/`,
      503,
      "error trying to reach service: dial tcp 10.1.0.7:9: connect: connection refused",
    ],
  ];
  test.each(rows)("%s", async (_, path, status, message) => {
    const answer = await call(server.api, "GET", path);
    expect([answer.status, answer.at("message")]).toEqual([status, message]);
  });

  test.each([
    ["127.0.0.1", false],
    ["0.0.0.0", false],
    ["255.255.255.255", false],
    ["169.254.1.1", false],
    ["224.0.0.1", false],
    ["10.0.0.1", true],
    ["192.0.2.1", true],
    ["::1", false],
    ["::", false],
    ["0:0:0:0:0:0:0:1", false],
    ["fe80::1", false],
    ["ff02::1", false],
    ["fd00::1", true],
    ["::ffff:10.0.0.1", true],
    ["::ffff:127.0.0.1", false],
    ["::ffff:7f00:1", false],
    ["0:0:0:0:0:ffff:a9fe:a9fe", false],
    ["fe80::1%eth0", false],
    ["example.com", false],
    ["", false],
  ])("or allows, by an object that leads to it, the address %j: allowed is %s", (address, allowed) => {
    expect(isGlobalUnicast(address)).toBe(allowed);
  });
});
