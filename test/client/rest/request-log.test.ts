import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import type { ClientConfig } from "../../../src/client/config/client-config.js";
import { leveledLog } from "../../../src/machinery/text/klog/leveled-log.js";
import { createRestClient } from "../../../src/client/rest/create-rest-client.js";
import { hexDump, requestLog } from "../../../src/client/rest/request-log.js";
import type { RestClient, RestRequest } from "../../../src/client/rest/rest-client.js";
import { TransportError } from "../../../src/client/transport/transport-error.js";
import { startCluster } from "../../../src/cluster/index.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { settle } from "../../helpers/settle.js";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configOf = (server: string): ClientConfig => ({
  server,
  tls: { insecureSkipVerify: true },
  auth: { token: "very-secret" },
  disableCompression: false,
  timeout: 0,
  userAgent: "test/1",
  namespace: "default",
  namespaceEnforced: false,
  cacheDir: "",
});

interface Setting {
  readonly level: number;
  readonly pooled?: boolean;
  readonly hidden?: readonly string[];
}

function clientOf(server: string, { level, pooled = false, hidden = ["accept-encoding"] }: Setting) {
  const lines: string[] = [];
  const write = (line: string | Uint8Array): void => {
    const text = typeof line === "string" ? line : Buffer.from(line).toString("latin1");
    lines.push(text.replace(/^I\d{4} \S+ +\d+ /, "").replaceAll(server, "URL"));
  };
  const log = leveledLog({ level, modules: "", clock: systemClock, pid: 1, write });
  const client = createRestClient(configOf(server), {
    pooled,
    sleep: () => Promise.resolve(),
    log: requestLog({ log, clock: systemClock, hidden: new Set(hidden) }),
  });
  open.push(() => client.close());
  return { client, text: () => lines.join("").replaceAll(/(illiseconds)=\d+/g, "$1=N") };
}

const get: RestRequest = { method: "GET", path: "/api/v1/namespaces/default/pods/web" };
const json = (body: string): RequestListener => {
  return (_request, response) => void response.setHeader("content-type", "application/json").end(body);
};
const swallow = (client: RestClient, request = get): Promise<unknown> => client.request(request).catch(() => undefined);

describe.each([
  ["node:https", false],
  ["undici", true],
])("with -v, the transport of %s", (_, pooled) => {
  test("logs a request and its answer at level 6, and a request without an answer", async () => {
    const server = await serve(json("{}"));
    const { client, text } = clientOf(server, { level: 6, pooled });
    await client.request(get);
    expect(text()).toBe(
      `round_trippers.go:632] "Response" verb="GET" url="URL${get.path}" status="200 OK" milliseconds=N\n`,
    );
    const nowhere = clientOf("https://127.0.0.1:1", { level: 6, pooled });
    await swallow(nowhere.client);
    expect(nowhere.text()).toBe(
      `round_trippers.go:632] "Response" verb="GET" url="URL${get.path}" status="" milliseconds=N\n`,
    );
  });

  test("logs at level 9 that a connection was dialled, and then reused", async () => {
    const server = await serve(json("{}"));
    const { client, text } = clientOf(server, { level: 9, pooled });
    await client.request(get);
    // undici takes a connection back some turns after the answer's end.
    await settle();
    await client.request(get);
    const address = server.replace("http://", "");
    expect(text().match(/HTTP Trace.*|milliseconds.*/g)).toEqual([
      `HTTP Trace: Dial succeed" network="tcp" address="${address}"`,
      "milliseconds=N dnsLookupMilliseconds=N dialMilliseconds=N tlsHandshakeMilliseconds=N serverProcessingMilliseconds=N",
      "milliseconds=N getConnectionMilliseconds=N serverProcessingMilliseconds=N",
    ]);
  });

  test("logs a refused connection and the host name that it looked up", async () => {
    const { client, text } = clientOf("http://localhost:1", { level: 9, pooled });
    await swallow(client);
    expect(text()).toMatch(
      /547\] "HTTP Trace: DNS Lookup resolved" host="localhost" address=\[\{"IP":"[^"]+","Zone":""\}/,
    );
    expect(text()).toMatch(
      /560\] "HTTP Trace: Dial failed" network="tcp" address="\S+:1" err="dial tcp \S+:1: connect: /,
    );
  });
});

test("with -v, requests to a server in the same process are logged too", async () => {
  const cluster = await startCluster({ port: false, ...quietCluster });
  open.push(() => cluster.close());
  const lines: string[] = [];
  const log = leveledLog({
    level: 6,
    modules: "",
    clock: systemClock,
    pid: 1,
    write: (line) => void lines.push(String(line)),
  });
  const client = createRestClient(
    { ...configOf("https://in-process.invalid"), auth: { token: cluster.token } },
    { transport: cluster.transport(), log: requestLog({ log, clock: systemClock, hidden: new Set() }) },
  );
  await client.request({ method: "GET", path: "/version" });
  expect(lines.join("")).toContain('verb="GET" url="https://in-process.invalid/version" status="200 OK" milliseconds=');
});

test("the log masks credentials in headers and in the curl command, and leaves out hidden headers", async () => {
  const server = await serve(json("{}"));
  const headers = clientOf(server, { level: 7 });
  await headers.client.request(get);
  expect(headers.text()).toBe(
    `round_trippers.go:527] "Request" verb="GET" url="URL${get.path}" headers=<\n` +
      "\tAccept: application/json, */*\n\tAuthorization: Bearer <masked>\n\tUser-Agent: test/1\n >\n" +
      'round_trippers.go:632] "Response" status="200 OK" milliseconds=N\n',
  );
  const curl = clientOf(server, { level: 9 });
  await curl.client.request(get);
  expect(curl.text()).toContain(
    `\tcurl -v -XGET  -H "Accept: application/json, */*" -H "Authorization: Bearer <masked>" -H "User-Agent: test/1" 'URL${get.path}'\n`,
  );
  const plugin = clientOf(server, { level: 9, hidden: ["accept-encoding", "authorization"] });
  await plugin.client.request(get);
  expect(headers.text() + curl.text() + plugin.text()).not.toContain("very-secret");
  expect(plugin.text()).not.toContain("Authorization");
});

test("the log shows no content-encoding and no length of a compressed answer", async () => {
  const server = await serve((_request, response) => {
    const body = gzipSync("{}");
    response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length, "x-own": "1" }).end(body);
  });
  const { client, text } = clientOf(server, { level: 8 });
  await client.request(get);
  expect(text()).toContain("\tX-Own: 1\n");
  expect(text()).not.toMatch(/Content-(?:Encoding|Length)/);
});

test.each([
  [203, "203 Non-Authoritative Information"],
  [413, "413 Request Entity Too Large"],
  [416, "416 Requested Range Not Satisfiable"],
  [599, "599 "],
])("the log names the status code %i as Go does: %s", async (code, status) => {
  const server = await serve((_request, response) => void response.writeHead(code).end("{}"));
  const { client, text } = clientOf(server, { level: 6 });
  await swallow(client);
  expect(text()).toContain(`status="${status}"`);
});

describe("the body of a request or answer in the log", () => {
  const bodyAt = async (level: number, body: string): Promise<string> => {
    const { client, text } = clientOf(await serve(json(body)), { level });
    await swallow(client);
    return /"Response Body" body=([^]*)$/.exec(text())?.[1] ?? "";
  };
  const long = (length: number): string => `"${"a".repeat(length - 2)}"`;

  test.each([
    ["none below 8", 7, "{}", ""],
    ["quoted at 8", 8, '{"a":1}', '"{\\"a\\":1}"\n'],
    ["of several lines as a block", 8, '{\n"a":1}\n', '<\n\t{\n\t"a":1}\n >\n'],
    ["of 1,024 bytes whole at 8", 8, long(1024), `"\\"${"a".repeat(1022)}\\""\n`],
    ["of one more cut at 8", 8, long(1025), `"\\"${"a".repeat(1023)} [truncated 1 chars]"\n`],
    ["of 10,240 bytes whole at 9", 9, long(10_240), `"\\"${"a".repeat(10_238)}\\""\n`],
    ["of one more cut at 9", 9, long(10_241), `"\\"${"a".repeat(10_239)} [truncated 1 chars]"\n`],
    ["of any length whole at 10", 10, long(20_000), `"\\"${"a".repeat(19_998)}\\""\n`],
    [
      "with a tab in hexadecimal",
      8,
      "a\tb",
      "<\n\t00000000  61 09 62                                          |a.b|\n >\n",
    ],
  ])("%s", async (_, level, body, shown) => {
    expect(await bodyAt(level, body)).toBe(shown);
  });

  test("is cut at a number of bytes, and escapes a part of a character", async () => {
    const shown = await bodyAt(8, `${"a".repeat(1023)}ü`);
    expect(shown).toBe(`"${"a".repeat(1023)}\\xc3 [truncated 1 chars]"\n`);
    const block = await bodyAt(8, `\n${"a".repeat(1022)}ü`);
    expect(block).toBe(`<\n\t\n\t${"a".repeat(1022)}\xc3 [truncated 1 chars]\n >\n`);
  });
});

test("is shown in hexadecimal with sixteen bytes a line", () => {
  const bytes = new TextEncoder().encode("k8s\0\n~ 0123456789ü");
  expect(hexDump(bytes)).toBe(
    "00000000  6b 38 73 00 0a 7e 20 30  31 32 33 34 35 36 37 38  |k8s..~ 012345678|\n" +
      "00000010  39 c3 bc                                          |9..|\n",
  );
  expect(hexDump(new Uint8Array())).toBe("");
});

test("the log has a line before a request that is sent again", async () => {
  let answers = 0;
  const server = await serve((_request, response) => {
    answers += 1;
    if (answers === 3) response.end("{}");
    else response.writeHead(answers === 1 ? 429 : 503, { "retry-after": String(answers) }).end();
  });
  const { client, text } = clientOf(server, { level: 6 });
  await client.request(get);
  expect(text().match(/^(?:with_retry|round).*/gm)).toEqual([
    `round_trippers.go:632] "Response" verb="GET" url="URL${get.path}" status="429 Too Many Requests" milliseconds=N`,
    `with_retry.go:234] "Got a Retry-After response" delay="1s" attempt=1 url="URL${get.path}"`,
    `round_trippers.go:632] "Response" verb="GET" url="URL${get.path}" status="503 Service Unavailable" milliseconds=N`,
    `with_retry.go:234] "Got a Retry-After response" delay="2s" attempt=2 url="URL${get.path}"`,
    `round_trippers.go:632] "Response" verb="GET" url="URL${get.path}" status="200 OK" milliseconds=N`,
  ]);
});

test("the log has a watch that breaks off, with its error", async () => {
  const server = await serve((_request, response) => {
    response.write("{");
    setImmediate(() => response.destroy());
  });
  const { client, text } = clientOf(server, { level: 5 });
  const { body } = await client.stream({ ...get, path: "/api/v1/pods", query: { watch: "true" } });
  const read = async (): Promise<void> => {
    for await (const _ of body);
  };
  await expect(read()).rejects.toThrow("unexpected EOF");
  expect(text()).toBe(
    'streamwatcher.go:120] "Unexpected EOF during watch stream event decoding" err="unexpected EOF"\n',
  );
});

test.each([
  [
    "read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer",
    /^streamwatcher\.go:123\] "Unable to decode an event/,
  ],
  ["http2: client connection lost", /^$/],
])("the log has no line for a watch that ends by an ERROR event (%s)", async (reason, expected) => {
  const lines: string[] = [];
  const write = (line: string | Uint8Array): void => void lines.push(String(line).replace(/^I\d{4} \S+ +\d+ /, ""));
  const log = leveledLog({ level: 5, modules: "", clock: systemClock, pid: 1, write });
  const broken = (async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array();
    throw new TransportError(reason);
  })();
  const watch = { ...get, path: "/api/v1/pods", query: { watch: "true" } };
  const body = requestLog({ log, clock: systemClock, hidden: new Set() }).stream(watch, broken);
  const read = async (): Promise<void> => {
    for await (const _ of body);
  };
  await expect(read()).rejects.toThrow(reason);
  expect(lines.join("")).toMatch(expected);
});

test.each<[string, Partial<RestRequest>, string]>([
  ["an object", {}, "helper.go:105"],
  ["a list in a namespace", { path: "/api/v1/namespaces/a/pods" }, "helper.go:113"],
  ["a namespace", { path: "/api/v1/namespaces/a" }, "helper.go:105"],
  ["all namespaces", { path: "/api/v1/namespaces" }, "helper.go:113"],
  ["a list of a group", { path: "/apis/apps/v1/deployments" }, "helper.go:113"],
  ["a deletion", { method: "DELETE" }, "helper.go:202"],
  ["a patch", { method: "PATCH" }, "helper.go:269"],
  ["a replacement", { method: "PUT" }, "helper.go:319"],
  ["what is to be replaced", { sentBy: "overwrite" }, "helper.go:294"],
  ["a typed list", { sentBy: "typed", path: "/api/v1/nodes" }, "type.go:183"],
  ["protobuf", { method: "POST", contentType: "application/vnd.kubernetes.protobuf" }, "type.go:213"],
  ["a dynamic client's read", { sentBy: "dynamic" }, "simple.go:243"],
  ["a scale", { sentBy: "scale", method: "PATCH" }, "client.go:232"],
  ["a list of resources", { path: "/apis/apps/v1" }, "discovery_client.go:828"],
  ["groups", { path: "/apis" }, "discovery_client.go:721"],
  ["a schema", { path: "/openapi/v3/api/v1" }, "groupversion.go:117"],
  ["a log", { path: "/api/v1/namespaces/a/pods/b/log" }, "logs.go:497"],
])("the log names for %s the source file that kubectl names", async (_, request, source) => {
  const { client, text } = clientOf(await serve(json("{}")), { level: 8 });
  await swallow(client, { ...get, ...request });
  expect(text().split("]")[0]).toBe(source);
});
