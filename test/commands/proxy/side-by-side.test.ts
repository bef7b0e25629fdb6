import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { realTool } from "../../helpers/real-tools.js";
import { type Answer, ask, type Question } from "./ask.js";
import { type ProxySurroundings, type RunningProxy, startOurs, startReal } from "./running-proxies.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`proxies are not compared: ${kubectl.missing}\n`);

describe.skipIf(kubectl.missing !== undefined)("kubets proxy and kubectl proxy give the same answers", () => {
  let cluster: Cluster;
  let echo: Server;
  let folder: string;
  let around: ProxySurroundings;

  beforeAll(async () => {
    cluster = await startCluster({ port: 0 });
    echo = await startEcho();
    folder = await mkdtemp(join(tmpdir(), "kubets-proxy-"));
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig());
    await writeFiles(folder);
    around = {
      cwd: folder,
      env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: "/usr/bin:/bin", TZ: "UTC" },
    };
  });

  afterAll(async () => {
    await cluster.close();
    echo.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function both<T>(argv: readonly string[], use: (proxy: RunningProxy) => Promise<T>): Promise<[T, T]> {
    const results: T[] = [];
    for (const start of [startReal, startOurs]) {
      const proxy = await start(argv, around);
      try {
        results.push(await use(proxy));
      } finally {
        expect(await proxy.stop()).toBe(130);
      }
    }
    return results as [T, T];
  }

  /** Asks both the same and compares; gives back what they answered. */
  async function compare(argv: readonly string[], questions: readonly Question[]): Promise<readonly Answer[]> {
    const [real, ours] = await both(argv, async ({ address }) => {
      const answers: Answer[] = [];
      for (const question of questions) answers.push(withoutUpgrade(question, await ask(address, question)));
      return answers.map((answer) => masked(answer, address));
    });
    expect(ours.map((answer, index) => ({ question: questions[index], ...answer }))).toEqual(
      real.map((answer, index) => ({ question: questions[index], ...answer })),
    );
    return ours;
  }

  test("to API requests, and to those that the filter refuses", async () => {
    const answers = await compare(["--port=0"], API);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 201, 409, 200, 405, 403, 403, 403, 200, 400]);
  });

  test.each([
    [
      ["-p0", "--accept-paths=^/api/v1/namespaces$"],
      [200, 403, 403],
    ],
    [
      ["-p0", "--reject-paths=^/api/v1/namespaces$,version"],
      [403, 403, 200],
    ],
    [
      ["-p0", "--accept-hosts=^elsewhere$"],
      [403, 403, 403],
    ],
    [
      ["-p0", "--reject-methods=POST,^G"],
      [403, 403, 403],
    ],
    [
      ["-p0", "--disable-filter"],
      [200, 200, 200],
    ],
    [
      ["-p0", "--api-prefix=/k8s"],
      [404, 404, 404],
    ],
    [
      ["-p0", "--api-prefix=/api"],
      [200, 404, 404],
    ],
    [
      ["-p0", "--address=127.0.0.2"],
      [403, 403, 403],
    ],
    [
      ["-p0", "--keepalive=1s", "--accept-hosts="],
      [403, 403, 403],
    ],
  ])("with the flags %s", async (argv, statuses) => {
    const answers = await compare(argv, [{ path: "/api/v1/namespaces" }, { path: "/version" }, { path: "/healthz" }]);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  test("for an --api-prefix, with and without its final slash", async () => {
    const answers = await compare(
      ["-p0", "--api-prefix=/k8s"],
      ["/k8s/version", "/k8s", "/k8s/", "/k8s?a=b", "/k8s//version", "/k8s/api/v1/namespaces/default"].map((path) => ({
        path,
      })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 307, 200, 307, 307, 200]);
  });

  test("and send the server the same method, address, body and headers", async () => {
    const { port } = echo.address() as AddressInfo;
    const answers = await compare([`--server=http://127.0.0.1:${port}`, "-p0"], ECHOED);
    expect(answers[0]?.body).toContain("x-forwarded-for: 127.0.0.1");
    expect(answers[1]?.body).not.toContain("x-own");
  });

  test("with --append-server-path, and with a warning without it", async () => {
    const { port } = echo.address() as AddressInfo;
    const server = `--server=http://127.0.0.1:${port}/base`;
    const paths = ["/", "/api?x=y", "/a%2Fb"].map((path) => ({ path }));
    const [first] = await compare([server, "-p0", "--append-server-path"], paths);
    expect(first?.body).toMatch(/^GET \/base\/ /);
    await compare([server, "-p0"], paths);
    const [real, ours] = await both([server, "-p0"], ({ stderr }) => eventually(() => written(stderr)));
    expect(ours).toBe(real);
  });

  test("with the files of --www", async () => {
    const answers = await compare(["-p0", "--www=www"], FILES);
    expect(answers[1]?.body).toBe("hello\n");
    await compare(["-p0", "-w", "www", "-P", "/files"], [{ path: "/files/a.txt" }, { path: "/static/a.txt" }]);
    await compare(["-p0", "--www=nowhere"], [{ path: "/static/a.txt" }, { path: "/static/" }]);
  });

  test("when the server does not answer", async () => {
    const [real, ours] = await both(["--server=http://127.0.0.1:1", "-p0"], async ({ address, stderr }) => {
      const answer = await ask(address, { path: "/api" });
      return { answer, stderr: await eventually(() => written(stderr)) };
    });
    expect(ours).toEqual(real);
    expect(ours.answer.body).toBe("dial tcp 127.0.0.1:1: connect: connection refused\n");
  });

  test("on a Unix socket that only its owner may use, in place of a left-over one", async () => {
    await both(["--unix-socket=api.sock"], async ({ address }) => {
      expect(address).toBe("api.sock");
      const answer = await ask(join(folder, address), { path: "/version", headers: { host: "localhost" } });
      expect(answer.status).toBe(200);
    });
  });
});

const API: readonly Question[] = [
  { path: "/version" },
  {
    path: "/api/v1/namespaces/default/configmaps?limit=1",
    headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
  },
  { path: "/nowhere" },
  {
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps?dryRun=All",
    headers: { "content-type": "application/json" },
    body: '{"metadata":{"name":"one","uid":"","creationTimestamp":null}}',
  },
  {
    method: "POST",
    path: "/api/v1/namespaces",
    headers: { "content-type": "application/yaml" },
    body: "metadata: {name: default}",
  },
  { method: "HEAD", path: "/version" },
  { method: "DELETE", path: "/version" },
  { path: "/api/v1/namespaces/default/pods/a/exec?command=ls" },
  { path: "/version", headers: { host: "evil.example" } },
  { path: "/version", headers: { host: "localhost.evil:80" } },
  { path: "/version", headers: { host: "localhost:1" } },
  { path: "/api/v1/namespaces/%zz" },
];

const ECHOED: readonly Question[] = [
  { path: "/a?b=c&d", headers: { "x-own": "1", "user-agent": "me" } },
  { path: "/a", headers: { connection: "close, X-Own", "x-own": "1", te: "trailers", "user-agent": "me" } },
  { method: "PUT", path: "/a", body: "some text", headers: { "user-agent": "me", "content-type": "text/odd" } },
  { method: "DELETE", path: "/a", headers: { "user-agent": "me", authorization: "Bearer own" } },
  { path: "/a", headers: { "user-agent": "me", "x-forwarded-for": "10.0.0.1", "keep-alive": "9" } },
  { path: "/a%2Fb%20c/;d", headers: { "user-agent": "me" } },
  { path: "//a/../b", headers: { "user-agent": "me" } },
  { path: "/a/./b/", headers: { "user-agent": "me" } },
  { path: "/redirect", headers: { "user-agent": "me" } },
  { path: "/teapot", headers: { "user-agent": "me" } },
  { path: "/empty", headers: { "user-agent": "me" } },
  { path: "/up", headers: { "user-agent": "me", connection: "Upgrade", upgrade: "websocket" } },
  { path: "/teapot", headers: { "user-agent": "me", connection: "upgrade", upgrade: "websocket" } },
];

const FILES: readonly Question[] = [
  { path: "/static/" },
  { path: "/static/a.txt" },
  { path: "/static" },
  { path: "/static/nothing" },
  { path: "/static/a.txt/" },
  { path: "/static/a.txt/b" },
  { path: "/static/sub" },
  { path: "/static/sub?x=y" },
  { path: "/static/sub/" },
  { path: "/static/sub/index.html" },
  { path: "/static/odd/" },
  { path: "/static/odd/%3Cb%3E%20&.unknown" },
  { path: "/static/../a" },
  { path: "/static/data.json" },
  { path: "/static/page" },
  { path: "/static/binary" },
  { path: "/static/nil" },
  { method: "HEAD", path: "/static/a.txt" },
  { method: "POST", path: "/static/a.txt" },
  { path: "/static/a.txt", headers: { range: "bytes=1-2" } },
  { path: "/static/a.txt", headers: { range: "bytes=-2" } },
  { path: "/static/a.txt", headers: { range: "bytes=2-" } },
  { path: "/static/a.txt", headers: { range: "bytes=9-" } },
  { path: "/static/a.txt", headers: { "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT" } },
  { path: "/static/a.txt", headers: { "if-modified-since": "Wed, 31 Dec 2025 00:00:00 GMT" } },
];

async function writeFiles(folder: string): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    "a.txt": "hello\n",
    "data.json": "{}",
    page: "<!DOCTYPE html><p>x",
    binary: "\u0000\u0001\u0002",
    nil: "",
    "sub/index.html": "<p>sub\n",
    "odd/<b> &.unknown": "odd\n",
    "odd/inner/x": "x",
  };
  const time = new Date("2026-01-01T00:00:00Z");
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, "www", name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, text);
    await utimes(path, time, time);
  }
  for (const name of ["", "odd", "sub", "odd/inner"]) await utimes(join(folder, "www", name), time, time);
}

/** Answers what it was asked, in words; a few paths are special. */
function startEcho(): Promise<Server> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const headers = Object.entries(request.headersDistinct)
        .filter(([name]) => !["host", "connection", "accept-encoding"].includes(name))
        .map(([name, values]) => `${name}: ${values?.join(" | ")}`);
      const text = [`${request.method} ${request.url} HTTP`, ...headers.sort(), "", body].join("\n");
      if (request.url === "/redirect") response.writeHead(302, { location: "http://elsewhere/x" });
      else if (request.url === "/teapot")
        response.writeHead(418, { "x-many": ["1", "2"], "content-length": text.length });
      else if (request.url === "/empty") response.writeHead(204);
      else
        response.writeHead(200, {
          "content-type": "text/plain",
          "content-length": text.length,
          "keep-alive": "timeout=5",
        });
      response.end(request.url === "/empty" || request.url === "/redirect" ? undefined : text);
    });
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Where a change of protocol came to nothing kubectl keeps the connection, while we end it and say so. */
function withoutUpgrade({ headers: asked }: Question, { headers, ...answer }: Answer): Answer {
  return {
    ...answer,
    headers: asked?.["upgrade"] === undefined ? headers : headers.filter((line) => line !== "connection: close"),
  };
}

function masked({ status, headers, body }: Answer, address: string): Answer {
  const mask = (text: string): string =>
    text
      .replaceAll(address, "<PROXY>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<UID>")
      .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<NOW>");
  return {
    status,
    headers: headers
      .map(mask)
      .map(body === "" ? withoutFraming : String)
      .sort(),
    body: mask(body),
  };
}

/**
 * How an answer without a body says so where its server has not: kubectl sends the head at once or with the end, by which of two goroutines
 * comes first.
 */
const withoutFraming = (header: string): string =>
  header === "content-length: 0" || header === "transfer-encoding: chunked" ? "<no body>" : header;

/** What is on stderr once there is something. */
function written(stderr: () => string): Promise<string> {
  const text = withoutKlog(stderr());
  return text.endsWith("\n") ? Promise.resolve(text) : Promise.reject(new Error("nothing is written yet"));
}

const withoutKlog = (text: string): string => text.replaceAll(/^([IWEF])\d{4} \S+ +\d+ /gm, "$1 ");
