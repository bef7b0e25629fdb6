import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { FileSystem } from "../../../src/node/scripted/files/file-system.js";
import { commandLineOf } from "../../../src/node/scripted/stand-in/stand-in.js";
import { answerOf, siteOf } from "../../../src/node/scripted/stand-in/document-root.js";
import { objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const DEFAULT = "/api/v1/namespaces/default";
const PODS = `${DEFAULT}/pods`;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, nodes: 1 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200));
});
afterAll(() => cluster.close());

async function create(path: string, body: JsonObject): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

interface PodSpec {
  readonly container?: JsonObject;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
}

async function createPod(name: string, { container = {}, spec = {}, metadata = {} }: PodSpec = {}): Promise<void> {
  const containers = [{ name: "c", image: "example.com/app:1", ...container }];
  await create(PODS, {
    metadata: { name, ...metadata },
    spec: { terminationGracePeriodSeconds: 1, containers, ...spec },
  });
}

/** Waits until something of the pod is so. */
const becomes = (name: string, path: string, value: unknown) =>
  eventually(async () => expect((await call(api, "GET", `${PODS}/${name}`)).at(path)).toEqual(value));

const ready = (name: string) => becomes(name, "status.containerStatuses.0.ready", true);
const logOf = async (name: string) => (await call(api, "GET", `${PODS}/${name}/log`)).text;

async function eventsOf(name: string, reason: string): Promise<readonly string[]> {
  const events = await call(
    api,
    "GET",
    `${DEFAULT}/events?fieldSelector=involvedObject.name%3D${name},reason%3D${reason}`,
  );
  return objects(events.at("items")).map(({ message }) => text(message));
}

describe("a container whose image's program kubets does not have", () => {
  test("runs a stand-in that logs what would have run, and stops at a signal", async () => {
    await createPod("server", { container: { command: ["/app/server", "--name", "a b"] } });
    await ready("server");
    const said = 'stands in for image "example.com/app:1"; would have run: /app/server --name "a b"';
    expect(await logOf("server")).toBe(`kubets: this container ${said}\n`);
    await eventually(async () =>
      expect(await eventsOf("server", "Started")).toEqual([`Container started. It ${said}`]),
    );
    await call(api, "DELETE", `${PODS}/server`);
    await eventually(async () => expect((await call(api, "GET", `${PODS}/server`)).status).toBe(404));
  });

  test("answers on its own ports, its probes' and its Services', and on no other", async () => {
    const readinessProbe = { httpGet: { port: 8081, path: "/ready" } };
    await createPod("web", {
      container: { ports: [{ name: "http", containerPort: 8080 }], readinessProbe },
      metadata: { labels: { app: "web" } },
    });
    const ports = [{ port: 80, targetPort: 9090 }];
    await create(`${DEFAULT}/services`, { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports } });
    await ready("web");
    for (const port of [8080, 8081, 9090]) {
      const answer = await call(api, "GET", `${PODS}/web:${port}/proxy/any/path`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toContain("container c of pod default/web stands in for image");
    }
    const other = await call(api, "GET", `${PODS}/web:9999/proxy/`);
    expect(other.status).toBe(503);
    await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/services/web/proxy/`)).status).toBe(200));
  });

  test.each([
    ["a command", { exec: { command: ["/app/healthy"] } }],
    ["a port", { tcpSocket: { port: 1234 } }],
    ["gRPC", { grpc: { port: 1234 } }],
  ])("passes a probe by %s", async (_, probe) => {
    const name = `probed-${Object.keys(probe)[0]?.toLowerCase()}`;
    await createPod(name, { container: { startupProbe: probe, readinessProbe: probe, livenessProbe: probe } });
    await ready(name);
  });

  test("fails a probe of a port that its pod does not declare", async () => {
    await createPod("nameless", { container: { readinessProbe: { httpGet: { port: "metrics" } } } });
    await eventually(async () => expect(await eventsOf("nameless", "Unhealthy")).not.toEqual([]));
    await becomes("nameless", "status.containerStatuses.0.ready", false);
  });

  test.each<readonly [string, PodSpec]>([
    ["a helm hook", { metadata: { annotations: { "helm.sh/hook": "pre-install" } } }],
    ["a command that is not restarted", { container: { command: ["/app/migrate"] }, spec: { restartPolicy: "Never" } }],
    ["args that are not restarted", { container: { args: ["migrate"] }, spec: { restartPolicy: "OnFailure" } }],
  ])("ends successfully for %s", async (title, pod) => {
    const name = title.replaceAll(" ", "-");
    await createPod(name, { ...pod, spec: { restartPolicy: "Never", ...pod.spec } });
    await becomes(name, "status.phase", "Succeeded");
  });

  test("ends successfully in a Job and as an init container, while a sidecar keeps running", async () => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "example.com/job" }] } };
    await create("/apis/batch/v1/namespaces/default/jobs", { metadata: { name: "job" }, spec: { template } });
    const initContainers = [
      { name: "sidecar", image: "example.com/proxy", restartPolicy: "Always" },
      { name: "init", image: "example.com/app", command: ["/app/setup"] },
    ];
    await createPod("with-init", { spec: { initContainers } });
    await ready("with-init");
    await becomes("with-init", "status.initContainerStatuses.0.ready", true);
    await eventually(async () => {
      expect((await call(api, "GET", "/apis/batch/v1/namespaces/default/jobs/job")).at("status.succeeded")).toBe(1);
    });
  });

  test("without a command keeps running in a pod that does not restart", async () => {
    await createPod("waits", { spec: { restartPolicy: "Never" } });
    await ready("waits");
    expect(await logOf("waits")).toContain("would have run: its entrypoint\n");
  });

  test("runs a script up to the first missing program", async () => {
    const command = ["sh", "-c", "echo first\nredis-server --port 1 || echo never\necho last"];
    await createPod("script", { container: { command, ports: [{ containerPort: 6379 }] } });
    const said = 'this container stands in for image "example.com/app:1" from here on: sh: 2: redis-server: not found';
    await eventually(async () => expect(await logOf("script")).toBe(`first\nkubets: ${said}\n`));
    expect((await call(api, "GET", `${PODS}/script:6379/proxy/`)).status).toBe(200);
    await createPod("task", { container: { command }, spec: { restartPolicy: "Never" } });
    await becomes("task", "status.phase", "Succeeded");
  });

  test("runs no script of a missing interpreter", async () => {
    const script = "printf '#!/usr/bin/env python3\\nprint(1)\\n' > /tmp/s; chmod +x /tmp/s; /tmp/s";
    await createPod("python", { container: { command: ["sh", "-c", script] } });
    await eventually(async () => expect(await logOf("python")).toContain("from here on: "));
    expect(await logOf("python")).toContain("python3: not found");
  });

  test("runs a shell when a user attaches a terminal", async () => {
    await createPod("typed", { container: { stdin: true, tty: true } });
    await ready("typed");
    expect(await logOf("typed")).not.toContain("stands in");
  });

  test("cannot be entered with a missing program", async () => {
    await createPod("entered", {});
    await ready("entered");
    const answer = await call(api, "POST", `${PODS}/entered/exec?command=/app/tool&stdout=true`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

describe("a stand-in of a web server image", () => {
  const html = "<h1>hello</h1>\n";
  const get = (pod: string, path = "/") => call(api, "GET", `${PODS}/${pod}:80/proxy${path}`);
  const serving = (name: string, image: string, mounts: readonly JsonObject[], volumes: readonly JsonObject[]) =>
    createPod(name, {
      container: { image, ports: [{ containerPort: 80 }], volumeMounts: [...mounts] },
      spec: { volumes: [...volumes] },
    });

  beforeAll(async () => {
    const data = { "index.html": html, "app.js": "run()", plain: "x", "sub.html": "sub\n" };
    await create(`${DEFAULT}/configmaps`, { metadata: { name: "site" }, data });
  });

  test.each([
    ["nginx", "nginx", "/usr/share/nginx/html"],
    ["nginx-tagged", "docker.io/nginxinc/nginx-unprivileged:1.27.3-alpine", "/usr/share/nginx/html"],
    ["httpd", "httpd:2.4", "/usr/local/apache2/htdocs"],
    ["bitnami", `registry.example.com:5000/bitnami/nginx@sha256:${"0".repeat(64)}`, "/app"],
  ])("serves its files: %s", async (name, image, root) => {
    const items = [
      { key: "index.html", path: "index.html" },
      { key: "app.js", path: "js/app.js" },
      { key: "plain", path: "plain" },
      { key: "sub.html", path: "sub/index.html" },
    ];
    await serving(
      name,
      image,
      [{ name: "site", mountPath: root }],
      [{ name: "site", configMap: { name: "site", items } }],
    );
    await ready(name);
    const index = await get(name);
    expect([index.status, index.text, index.headers["content-type"]]).toEqual([200, html, "text/html"]);
    expect((await get(name, "/index.html?a=/b")).text).toBe(html);
    expect((await get(name, "/sub/")).text).toBe("sub\n");
    expect((await get(name, "/sub")).status).toBe(301);
    expect((await get(name, "/js/app.js")).headers["content-type"]).toBe("application/javascript");
    expect([(await get(name, "/plain")).text, (await get(name, "/js/")).status]).toEqual(["x", 403]);
    const missing = await get(name, "/none");
    expect(missing.status).toBe(404);
    const words =
      name === "httpd"
        ? "<p>The requested URL was not found on this server.</p>"
        : "<center><h1>404 Not Found</h1></center>";
    expect(missing.text).toContain(words);
    if (name === "nginx-tagged") expect(missing.text).toContain("<hr><center>nginx/1.27.3</center>");
  });

  test("answers on the image's port, declared or not", async () => {
    await createPod("undeclared", { container: { image: "nginx" } });
    await ready("undeclared");
    expect((await get("undeclared")).status).toBe(200);
    expect((await call(api, "GET", `${PODS}/undeclared:81/proxy/`)).status).toBe(503);
  });

  test("serves what its script wrote before the server was started", async () => {
    const script =
      "mkdir -p /usr/share/nginx/html; echo written > /usr/share/nginx/html/index.html; nginx -g 'daemon off;'";
    await createPod("written", {
      container: { image: "nginx", command: ["sh", "-c", script], ports: [{ containerPort: 80 }] },
    });
    await eventually(async () => expect((await get("written")).text).toBe("written\n"));
  });

  test("answers with a plain page when it has no files", async () => {
    await serving("empty", "nginx", [{ name: "v", mountPath: "/usr/share/nginx/html" }], [{ name: "v", emptyDir: {} }]);
    await serving(
      "other",
      "example.com/app",
      [{ name: "v", mountPath: "/usr/share/nginx/html" }],
      [{ name: "v", configMap: { name: "site" } }],
    );
    for (const name of ["empty", "other"]) {
      await ready(name);
      expect((await get(name)).text).toContain(`container c of pod default/${name} stands in for image`);
    }
  });

  test.each(["/..%2f..%2f..%2fetc/hostname", "/%2e%2e/%2e%2e/etc/hostname", "/%zz", "/a%00b"])(
    "serves nothing outside of its folder: %s",
    (target) => {
      const clock = { now: () => 0 };
      const files = new FileSystem({ clock });
      files.put("/etc/hostname", "secret");
      files.put("/app/index.html", html);
      const site = siteOf("bitnami/apache");
      if (site === undefined) throw new Error("no site");
      expect(answerOf(files, site, { method: "GET", target, host: "h" })?.status).toBe("400 Bad Request");
    },
  );
});

describe("the annotation kubets.dev/images", () => {
  test('"strict" refuses a container whose program kubets does not have', async () => {
    const annotations = { "kubets.dev/images": "strict" };
    await createPod("strict", { container: { command: ["/app/server"] }, metadata: { annotations } });
    await becomes("strict", "status.containerStatuses.0.lastState.terminated.reason", "StartError");
  });

  test("with another value is reported", async () => {
    await createPod("odd", { metadata: { annotations: { "kubets.dev/images": "real" } } });
    const message = 'annotation kubets.dev/images: "real" is neither "stand-in" nor "strict"';
    await becomes("odd", "status.containerStatuses.0.state.waiting", { reason: "CreateContainerError", message });
  });
});

test.each<
  readonly [image: string, command: readonly string[] | undefined, args: readonly string[], line: string | undefined]
>([
  ["example.com/app", ["/app"], ["-v"], "/app -v"],
  ["example.com/app", undefined, ["-v"], undefined],
  ["example.com/app", undefined, ["sleep", "1"], undefined],
  ["example.com/app", undefined, ["/bin/sh", "-c", "true"], "/bin/sh -c true"],
  ["busybox:1.37", undefined, ["sleep", "1"], "sleep 1"],
  ["docker.io/library/nginx@sha256:0", undefined, ["nginx", "-v"], "nginx -v"],
  ["registry.example.com:5000/base/alpine:3", undefined, ["sleep", "1"], "sleep 1"],
  ["bitnami/kubectl", undefined, ["version"], undefined],
  ["busybox", undefined, [], undefined],
])("the image %s with command %j and args %j would run %j", (image, command, args, line) => {
  const pod = { uid: "", name: "", namespace: "", hostname: "", ip: "" };
  const rest = { pod, name: "c", attempt: 0, env: {}, stdin: false, stdinOnce: false, tty: false };
  const spec = { ...rest, mounts: [], image, args, terminationMessagePath: "", ...(command && { command }) };
  expect(commandLineOf(spec, true)?.join(" ")).toBe(line);
  // Where nothing stands in, args alone are a command line.
  if (command === undefined && args.length > 0) expect(commandLineOf(spec, false)).toEqual(args);
});
