import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, httpPort, startCluster } from "../../src/cluster/index.js";
import {
  configFromText,
  isForbidden,
  isNotFound,
  kubernetesClient,
  type KubernetesClient,
  waitFor,
} from "../../src/index.js";

// What a client does in pods and with files. Without a socket, but where a test says so.

let cluster: Cluster;
let client: KubernetesClient;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-library-"));
  const shop = { ports: { 80: httpPort((_request, response) => void response.end("open")) } };
  cluster = await startCluster({ nodes: [{ name: "node-1", images: { "shop:1": shop } }], port: false });
  client = kubernetesClient(cluster);
  await client
    .of("apps/v1", "Deployment")
    .namespace("default")
    .create({
      metadata: { name: "shop" },
      spec: {
        selector: { matchLabels: { app: "shop" } },
        template: {
          metadata: { labels: { app: "shop" } },
          spec: {
            containers: [
              {
                name: "shop",
                image: "shop:1",
                command: ["sh", "-c", "echo open; echo ready >&2; cat; sleep 3600"],
                stdin: true,
              },
              { name: "side", image: "busybox", command: ["sh", "-c", "echo side; sleep 3600"] },
            ],
          },
        },
      },
    });
  await waitFor(
    client.of("apps/v1", "Deployment").namespace("default"),
    "shop",
    ({ status }) => status?.readyReplicas === 1,
  );
});
afterAll(async () => {
  await client.close();
  await cluster.close();
  rmSync(folder, { recursive: true });
});

const SHOP = "deployment/shop";
const lines = async (log: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const line of log) all.push(line);
  return all;
};
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe("logs()", () => {
  test("yields the lines of the default container, or of the named one", async () => {
    expect(await lines(client.logs(SHOP))).toEqual(["open", "ready"]);
    expect(await lines(client.logs(SHOP, { container: "side" }))).toEqual(["side"]);
    expect(await lines(client.logs(SHOP, { tailLines: 1 }))).toEqual(["ready"]);
    const [stamped = ""] = await lines(client.logs(SHOP, { timestamps: true }));
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z open$/);
    expect(await lines(client.logs(SHOP, { sinceTime: new Date("9999-01-01") }))).toEqual([]);
  });

  test("follows new lines until the reader stops or aborts", async () => {
    const seen: string[] = [];
    for await (const line of client.logs(SHOP, { follow: true })) {
      seen.push(line);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(["open", "ready"]);
    const stop = new AbortController();
    const following = lines(client.logs(SHOP, { follow: true, signal: stop.signal }));
    stop.abort(new Error("enough"));
    await expect(following).rejects.toThrow("enough");
  });

  test("throws the server's error", async () => {
    await expect(lines(client.logs("none"))).rejects.toSatisfy(isNotFound);
    await expect(lines(client.logs(SHOP, { container: "none" }))).rejects.toThrow(
      "container none is not valid for pod",
    );
    await expect(lines(client.logs("configmap/none"))).rejects.toSatisfy(isNotFound);
  });
});

test("exec() and attach() reject for a pod that has ended", async () => {
  const pods = client.of("v1", "Pod").namespace("default");
  const containers = [{ name: "job", image: "busybox", command: ["true"] }];
  await pods.create({ metadata: { name: "job" }, spec: { restartPolicy: "Never", containers } });
  await waitFor(pods, "job", ({ status }) => status?.phase === "Succeeded");
  await expect(client.exec("job", ["true"])).rejects.toThrow(
    "cannot exec into a container in a completed pod; current phase is Succeeded",
  );
  await expect(client.attach("job")).rejects.toThrow(
    "cannot attach a container in a completed pod; current phase is Succeeded",
  );
});

describe("exec()", () => {
  test("resolves with the exit code and the outputs", async () => {
    const ran = await client.exec(SHOP, ["sh", "-c", "echo out; echo err >&2; exit 3"]);
    expect(ran).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
    expect(await client.exec(SHOP, ["true"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("reads its input from a text, bytes or a stream, and writes to a stream or a function", async () => {
    expect((await client.exec(SHOP, ["cat"], { stdin: "text" })).stdout).toBe("text");
    expect((await client.exec(SHOP, ["wc", "-c"], { stdin: new Uint8Array(3) })).stdout.trim()).toBe("3");
    const stdin = new PassThrough();
    stdin.end("streamed");
    const [stdout, stderr] = [new PassThrough(), [] as string[]];
    const ran = await client.exec(SHOP, ["sh", "-c", "cat; echo err >&2"], {
      stdin,
      stdout,
      stderr: (chunk) => void stderr.push(Buffer.from(chunk).toString()),
    });
    expect([ran, stdout.read()?.toString(), stderr.join("")]).toEqual([
      { code: 0, stdout: "", stderr: "" },
      "streamed",
      "err\n",
    ]);
  });

  test("allocates a terminal of the given size", async () => {
    async function* sizes() {
      yield { width: 132, height: 43 };
    }
    const ran = await client.exec(SHOP, ["sh", "-c", "test -t 1 && stty size"], { tty: true, sizes: sizes() });
    expect(ran).toEqual({ code: 0, stdout: "43 132\r\n", stderr: "" });
  });

  test("ends when its signal aborts, and throws when the server refuses", async () => {
    const stop = new AbortController();
    const running = client.exec(SHOP, ["sh", "-c", "echo begun; sleep 3600"], {
      stdout: () => stop.abort(new Error("enough")),
      signal: stop.signal,
    });
    await expect(running).rejects.toThrow("enough");
    await expect(client.exec("none", ["true"])).rejects.toSatisfy(isNotFound);
    await expect(client.exec(SHOP, ["no-such-program"])).rejects.toThrow("no-such-program");
  });
});

test("attach() reads from and writes to the running program", async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const attached = client.attach(SHOP, {
    stdin: "hello\n",
    stdout: (chunk) => {
      seen.push(Buffer.from(chunk).toString());
      if (seen.join("").includes("hello")) stop.abort(new Error("read"));
    },
    signal: stop.signal,
  });
  await expect(attached).rejects.toThrow("read");
  expect(seen.join("")).toContain("hello");
});

test("over a socket the library does the same, and throws for a user without the right", async () => {
  await using open = await startCluster({ nodes: 1, port: 0 });
  await using admin = kubernetesClient(await configFromText(open.kubeconfig()));
  await using jane = kubernetesClient(await configFromText(open.kubeconfig({ user: "jane" })));
  const pods = admin.of("v1", "Pod").namespace("default");
  await pods.create({
    metadata: { name: "one" },
    spec: { containers: [{ name: "one", image: "busybox", command: ["sleep", "3600"] }] },
  });
  await waitFor(pods, "one", ({ status }) => status?.phase === "Running");
  expect(await admin.exec("one", ["echo", "hello"])).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
  await expect(jane.exec("one", ["echo", "hello"])).rejects.toSatisfy(isForbidden);
});

describe("cp()", () => {
  test("copies a file and a folder there and back, with tar and without", async () => {
    mkdirSync(join(folder, "site"));
    file("site/index.html", "hello");
    file("site/empty", "");
    for (const noTar of [false, true]) {
      const there = `/tmp/site-${noTar}`;
      await client.cp(join(folder, "site"), { pod: SHOP, path: there }, { noTar });
      expect((await client.exec(SHOP, ["cat", `${there}/index.html`])).stdout).toBe("hello");
      const seen: string[] = [];
      await client.cp({ pod: SHOP, path: there }, join(folder, `back-${noTar}`), {
        noTar,
        onProgress: ({ path }) => seen.push(path),
      });
      expect(readFileSync(join(folder, `back-${noTar}`, "index.html"), "utf8")).toBe("hello");
      expect(seen.some((path) => path.endsWith("index.html"))).toBe(true);
    }
  });

  test("reports skipped files, and why it failed", async () => {
    await client.exec(SHOP, [
      "sh",
      "-c",
      "mkdir /tmp/links; ln -s /etc/hostname /tmp/links/link; touch /tmp/links/file",
    ]);
    const warnings: string[] = [];
    await client.cp({ pod: SHOP, path: "/tmp/links" }, join(folder, "links"), {
      onWarning: (line) => warnings.push(line),
    });
    expect(warnings).toEqual([expect.stringContaining("skipping symlink")]);
    await expect(client.cp({ pod: SHOP, path: "/none" }, join(folder, "none"))).rejects.toThrow("/none");
    await expect(client.cp(join(folder, "none"), { pod: SHOP, path: "/" })).rejects.toThrow(
      "doesn't exist in local filesystem",
    );
    await expect(client.cp("a", "b")).rejects.toThrow("name the pod in source or in destination");
  });
});

test("portForward() listens on a free port until its block ends", async () => {
  const body = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        answer.on("end", () => resolve(text));
      }).on("error", reject);
    });
  let port = 0;
  {
    await using forward = await client.portForward(SHOP, 80);
    port = forward.ports[0]?.local ?? 0;
    expect(forward.ports).toEqual([{ local: port, remote: 80 }]);
    expect(await body(port)).toBe("open");
  }
  await expect(body(port)).rejects.toThrow("ECONNREFUSED");
  await expect(client.portForward(SHOP, "web")).rejects.toThrow("error parsing local port 'web'");
  await expect(client.portForward("none", 80)).rejects.toSatisfy(isNotFound);
});

describe("applyFiles()", () => {
  const configMap = (name: string, data: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {set: files}}\ndata: {text: ${data}}\n`;

  test("applies a file, a folder, a URL and a list, and resolves with what the server did", async () => {
    mkdirSync(join(folder, "manifests/deep"), { recursive: true });
    file("manifests/one.yaml", `${configMap("one", "a")}---\n${configMap("two", "b")}`);
    file(
      "manifests/deep/three.json",
      JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "three" } }],
      }),
    );
    const names = async (...given: Parameters<KubernetesClient["applyFiles"]>): Promise<string[]> =>
      (await client.applyFiles(...given)).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(await names(join(folder, "manifests/one.yaml"))).toEqual(["default/one", "default/two"]);
    expect(await names(pathToFileURL(join(folder, "manifests")))).toEqual(["default/one", "default/two"]);
    expect(await names([join(folder, "manifests")], { recursive: true, namespace: "kube-public" })).toEqual([
      "kube-public/three",
      "kube-public/one",
      "kube-public/two",
    ]);
    expect(await names(join(folder, "manifests"), { recursive: true, labelSelector: "set=files" })).toEqual([
      "default/one",
      "default/two",
    ]);
    await expect(names(join(folder, "manifests"), { labelSelector: "set=none" })).rejects.toThrow(
      "no objects to apply",
    );
  });

  test("builds a folder that contains a kustomization", async () => {
    mkdirSync(join(folder, "overlay"));
    file("overlay/kustomization.yaml", "namePrefix: dev-\nresources: [web.yaml]\n");
    file("overlay/web.yaml", configMap("web", "c"));
    const [web] = await client.applyFiles(join(folder, "overlay"));
    expect(web?.metadata.name).toBe("dev-web");
  });

  test("applies namespaces and definitions before objects that need them, wherever they stand", async () => {
    const schema = "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}";
    const definition = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: menus.cafe.example.com}\nspec:\n  group: cafe.example.com\n  names: {kind: Menu, plural: menus}\n  scope: Namespaced\n  versions: [{name: v1, served: true, storage: true, schema: ${schema}}]\n`;
    const menu =
      "apiVersion: cafe.example.com/v1\nkind: Menu\nmetadata: {name: lunch, namespace: cafe}\nspec: {soup: leek}\n";
    const path = file(
      "all.yaml",
      `${menu}---\n${definition}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: cafe}\n`,
    );
    const heard: string[] = [];
    const applied = await client.applyFiles(path, { onApplied: ({ kind }) => heard.push(kind) });
    expect(applied.map(({ kind }) => kind)).toEqual(["Namespace", "CustomResourceDefinition", "Menu"]);
    expect(heard).toEqual(["Namespace", "CustomResourceDefinition", "Menu"]);
  });

  test("sends nothing when a file cannot be read, and goes on with others when the server refuses an object", async () => {
    const broken = file("broken.yaml", `${configMap("before", "d")}---\na: b: c\n`);
    await expect(client.applyFiles(broken)).rejects.toThrow(/error parsing .*broken\.yaml/);
    const configMaps = client.of("v1", "ConfigMap").namespace("default");
    await expect(configMaps.get("before")).rejects.toSatisfy(isNotFound);

    const mixed = file(
      "mixed.yaml",
      `${configMap("Not_A_Name", "e")}---\napiVersion: v1\nkind: Nothing\nmetadata: {name: a}\n---\n${configMap("fine", "f")}`,
    );
    const failed = await client.applyFiles(mixed).catch((error: unknown) => error as AggregateError);
    expect(failed).toBeInstanceOf(AggregateError);
    expect((failed as AggregateError).errors.map((error: Error) => error.message)).toEqual([
      expect.stringMatching(/^error when applying ".*mixed\.yaml": ConfigMap "Not_A_Name" is invalid/),
      expect.stringMatching(/^error when applying ".*mixed\.yaml": no matches for kind "Nothing" in version "v1"/),
    ]);
    expect((await configMaps.get("fine")).data).toEqual({ text: "f" });
  });

  test("keeps another manager's field, takes it over by force, and writes nothing in a dry run", async () => {
    const configMaps = client.of("v1", "ConfigMap").namespace("default");
    await configMaps.apply({ metadata: { name: "owned" }, data: { text: "theirs" } }, { fieldManager: "other" });
    const path = file("owned.yaml", configMap("owned", "ours"));
    await expect(client.applyFiles(path)).rejects.toThrow('conflict with "other"');
    await client.applyFiles(path, { force: true, dryRun: true });
    expect((await configMaps.get("owned")).data).toEqual({ text: "theirs" });
    await client.applyFiles(path, { force: true });
    expect((await configMaps.get("owned")).data).toEqual({ text: "ours" });
    await expect(client.applyFiles(path, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});
