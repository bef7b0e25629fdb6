import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { startServer } from "../../../src/cluster/server.js";
import { call, type CallOptions } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";

let cluster: Cluster;
let folder: string;
let level = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-logs-"));
  writeFileSync(join(folder, "secret.txt"), "not a log\n");
  mkdirSync(join(folder, "logs", "old"), { recursive: true });
  writeFileSync(join(folder, "logs", "audit.log"), "one\ntwo\n");
  writeFileSync(join(folder, "logs", "old", "a#b <1>.log"), "old\n");
  symlinkSync(join(folder, "secret.txt"), join(folder, "logs", "link.log"));
  execFileSync("mkfifo", [join(folder, "logs", "pipe")]);
  cluster = await startCluster({
    controllers: [],
    scheduler: false,
    monitoring: {
      logsFolder: join(folder, "logs"),
      flags: new Map([
        ["v", "2"],
        ["bind-address", "0.0.0.0"],
      ]),
      setVerbosity: (to) => void (level = to),
    },
  });
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

const PLAIN: CallOptions = { accept: "text/plain" };
const get = (path: string, options: CallOptions = PLAIN) => call(cluster.transport(), "GET", path, undefined, options);

describe("access to the debug paths", () => {
  const paths = ["/statusz", "/flagz", "/debug/pprof/", "/debug/pprof/heap", "/debug/flags", "/logs/"];

  test.each(paths)("is given to an administrator: GET %s", async (path) => {
    expect((await call(cluster.transport(), "HEAD", path, undefined, PLAIN)).status).toBe(200);
  });

  test.each(paths)("is refused to a user without rights: GET %s", async (path) => {
    expect((await asUser(cluster.transport(), "jane")("GET", path, undefined, PLAIN)).status).toBe(403);
  });

  test("is refused to a user without rights who sets the verbosity", async () => {
    const answer = await asUser(cluster.transport(), "jane")("PUT", "/debug/flags/v", "4", { type: "text/plain" });
    expect([answer.status, level]).toEqual([403, 0]);
  });

  test("is impossible on a server without authorizers, which has no such paths", async () => {
    await using server = await startServer({
      port: false,
      monitoring: { logsFolder: join(folder, "logs"), flags: new Map(), setVerbosity: () => {} },
    });
    for (const path of paths) {
      expect((await call(server.transport(), "GET", path, undefined, PLAIN)).status).toBe(404);
    }
    expect((await call(server.transport(), "GET", "/metrics", undefined, PLAIN)).status).toBe(200);
  });

  test("is removed by --profiling=false", async () => {
    const monitoring = { profiling: false, setVerbosity: () => {} };
    await using other = await startCluster({ controllers: [], scheduler: false, monitoring });
    for (const path of ["/debug/pprof/", "/debug/flags/v"]) {
      expect((await call(other.transport(), "GET", path, undefined, PLAIN)).status).toBe(404);
    }
  });
});

test("A-RUN-07, WEB-5, B-MUX-02: the index of paths lists the debug paths, except for /debug", async () => {
  const { paths } = JSON.parse((await get("/", { accept: "application/json" })).text) as { paths: string[] };
  expect(paths).toEqual(expect.arrayContaining(["/flagz", "/logs", "/metrics", "/metrics/slis", "/statusz"]));
  expect(paths.filter((path) => path.startsWith("/debug"))).toEqual([]);
});

describe("the pages /statusz and /flagz", () => {
  const WARNING =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";
  const as = (kind: string, version: string, type = "application/json"): CallOptions => ({
    accept: `${type};as=${kind};v=${version};g=config.k8s.io`,
  });

  test("are text as Kubernetes writes it", async () => {
    expect((await get("/statusz")).text).toMatch(
      new RegExp(
        `^\\napiserver statusz\\n${WARNING}\\n\\nStarted\\W+ \\w{3} \\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d UTC \\d{4}\\nUp\\W+ 0 hr \\d\\d min \\d\\d sec\\nGo version\\W+ v\\d+\\S+\\nBinary version\\W+ 1\\.37\\nEmulation version\\W+ 1\\.37\\nPaths\\W+ /flagz /healthz /livez /logs /metrics /readyz /statusz /version\\n$`,
      ),
    );
    expect((await get("/flagz")).text).toMatch(
      new RegExp(`^\\napiserver flagz\\n${WARNING}\\nbind-address\\W+0\\.0\\.0\\.0\\nv\\W+2\\n$`),
    );
  });

  test("are objects when the Accept header names a version", async () => {
    const status = await get("/statusz", as("Statusz", "v1beta1"));
    expect(JSON.parse(status.text)).toEqual({
      kind: "Statusz",
      apiVersion: "config.k8s.io/v1beta1",
      metadata: { name: "apiserver" },
      startTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      uptimeSeconds: expect.any(Number),
      goVersion: process.version,
      binaryVersion: "1.37",
      emulationVersion: "1.37",
      paths: ["/flagz", "/healthz", "/livez", "/logs", "/metrics", "/readyz", "/statusz", "/version"],
    });
    const flags = await get("/flagz", as("Flagz", "v1beta1", "application/yaml"));
    expect(flags.text).toBe(
      'apiVersion: config.k8s.io/v1beta1\nflags:\n  bind-address: 0.0.0.0\n  v: "2"\nkind: Flagz\nmetadata:\n  name: apiserver\n',
    );
    const former = await get("/flagz", as("Flagz", "v1alpha1"));
    expect(String(former.headers["warning"])).toContain("is deprecated");
  });

  test.each([
    as("Statusz", "v1"),
    as("Flagz", "v1beta1"),
    as("Statusz", "v1beta1", "application/vnd.kubernetes.protobuf"),
    { accept: "application/json" },
  ])("refuse %j with a list of the media types", async (options) => {
    const answer = await get("/statusz", options);
    expect([answer.status, answer.at("message")]).toEqual([
      406,
      "only the following media types are accepted: application/json, application/yaml, text/plain",
    ]);
  });
});

describe("the path /debug/flags/v", () => {
  const put = (body: string) => call(cluster.transport(), "PUT", "/debug/flags/v", body, { type: "text/plain" });

  test("sets the verbosity of the log", async () => {
    const answer = await put("4");
    expect([answer.status, answer.text, level]).toEqual([200, "successfully set klog.logging.verbosity to 4\n", 4]);
  });

  test.each(["", "four", "-1", "1.5", "99999999999"])("refuses %j", async (text) => {
    const before = level;
    expect((await put(text)).status).toBe(400);
    expect(level).toBe(before);
  });

  test("accepts no other method", async () => {
    expect((await get("/debug/flags/v")).status).toBe(406);
  });
});

describe("the profiles below /debug/pprof", () => {
  test("include a CPU profile in pprof's format, with the functions that ran", async () => {
    const answer = await cluster.transport().send({
      method: "GET",
      path: "/debug/pprof/profile?seconds=0.3",
      headers: {},
    });
    expect(answer.headers["content-type"]).toBe("application/octet-stream");
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    const bytes = gunzipSync(Buffer.concat(chunks)).toString("latin1");
    for (const text of ["samples", "count", "cpu", "nanoseconds", "(root)", "takeProfile"])
      expect(bytes).toContain(text);
  });

  test("refuse a second profile at the same time", async () => {
    const first = get("/debug/pprof/profile?seconds=0.5");
    const second = get("/debug/pprof/profile?seconds=0.5");
    const statuses = [(await first).status, (await second).status];
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 500]);
  });

  test("refuse a profile that would exceed the request's time limit", async () => {
    expect((await get("/debug/pprof/profile?seconds=3600")).status).toBe(400);
  });

  test("do not include other names", async () => {
    const answer = await get("/debug/pprof/goroutine");
    expect([answer.status, answer.text]).toEqual([404, "Unknown profile\n"]);
  });
});

describe("the path /logs", () => {
  test.each([
    ["/logs/audit.log", 200, "one\ntwo\n"],
    ["/logs/old/a%23b%20%3C1%3E.log", 200, "old\n"],
    ["/logs/link.log", 404, "404 page not found\n"],
    ["/logs/../secret.txt", 404, "404 page not found\n"],
    ["/logs/%2e%2e/secret.txt", 404, "404 page not found\n"],
    ["/logs/..%2fsecret.txt", 404, "404 page not found\n"],
    ["/logs/pipe", 404, "404 page not found\n"],
    ["/logs/missing.log", 404, "404 page not found\n"],
    ["/logs/audit.log%00", 404, "404 page not found\n"],
  ])("%s: %i", async (path, status, text) => {
    const answer = await get(path);
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  test("lists a folder, and escapes file names in the page", async () => {
    expect((await get("/logs/old/")).text).toContain('<a href="a%23b%20%3C1%3E.log">a#b &lt;1&gt;.log</a>\n');
  });

  test("can only be read", async () => {
    expect((await call(cluster.transport(), "DELETE", "/logs/audit.log")).status).toBe(405);
  });
});
