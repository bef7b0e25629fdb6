import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isClientClosed, kubernetesClient, loadConfig } from "../../src/client/index.js";
import { startCluster } from "../../src/cluster/index.js";

const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };
const folder = mkdtempSync(join(tmpdir(), "kubets-closing-"));
const library = join(folder, "kubets.mjs");
let cluster: Awaited<ReturnType<typeof startCluster>>;

beforeAll(async () => {
  cluster = await startCluster();
  await build({
    entryPoints: [resolve(import.meta.dirname, "../../src/client/index.ts")],
    outfile: library,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
});

afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a process prints, warnings of Node included, that runs `body` with the library, and never calls process.exit(). */
async function run(body: string, kubeconfig: string): Promise<string> {
  const script = join(folder, `run-${Math.random()}.mjs`);
  writeFileSync(
    script,
    `import * as kubets from "./kubets.mjs";
     const client = kubets.kubernetesClient(await kubets.configFromText(process.env.CONFIG));
     const configMaps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
     const outcome = (name, promise) => promise.then(() => "ended", (error) => error.message)
       .then((text) => console.log(name + ": " + text));
     const drain = async (items) => { for await (const _ of items); };
     ${body}`,
  );
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, CONFIG: kubeconfig },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  return printed;
}

describe("a process ends by itself when it closes a client", () => {
  test("that has listed and has open watches", async () => {
    const printed = await run(
      `await configMaps.list();
       for await (const { type } of configMaps.watch({ sendInitialEvents: true })) if (type === "BOOKMARK") break;
       const watches = [1, 2, 3].map((n) => outcome("watch " + n, drain(configMaps.watch())));
       await configMaps.list();
       await client.close();
       await Promise.all(watches);`,
      cluster.kubeconfig(),
    );
    expect(printed.trim().split("\n").sort()).toEqual([1, 2, 3].map((n) => `watch ${n}: the client is closed`));
  });

  test("that has sent many requests at once", async () => {
    const printed = await run(
      `const lists = Array.from({ length: 40 }, () => configMaps.list());
       const watches = Array.from({ length: 40 }, () => configMaps.watch().next().catch(() => undefined));
       await Promise.all(lists);
       await client.close();
       await Promise.all(watches);`,
      cluster.kubeconfig(),
    );
    expect(printed).toBe("");
  });

  test("whose requests the server never answers", async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
    const server = `https://127.0.0.1:${await portOf(silent)}`;
    const printed = await run(
      `const asked = outcome("list", configMaps.list());
       await new Promise((resolve) => setTimeout(resolve, 100));
       await client.close();
       await asked;`,
      kubeconfigOf(server),
    );
    expect(printed).toBe("list: the client is closed\n");
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test("that waits before it repeats a request", async () => {
    const busy = createHttpServer((_, response) => {
      response.writeHead(429, { "retry-after": "3600" }).end();
    });
    const server = `http://127.0.0.1:${await portOf(busy)}`;
    const printed = await run(
      `const asked = outcome("list", configMaps.list());
       await new Promise((resolve) => setTimeout(resolve, 300));
       await client.close();
       await asked;`,
      kubeconfigOf(server),
    );
    expect(printed).toBe("list: the client is closed\n");
    busy.close();
  });
});

describe("a closed client", () => {
  test.each([
    [
      "over a socket",
      async () =>
        kubernetesClient(
          await loadConfig({ server: cluster.url, token: cluster.token, insecureSkipTlsVerify: true, env: {} }),
        ),
    ],
    ["in the server's process", () => Promise.resolve(kubernetesClient(cluster))],
  ])("%s rejects the requests under way, and all later ones", async (_, connect) => {
    const client = await connect();
    const configMaps = client.resource(CONFIG_MAPS).namespace("default");
    const seen: string[] = [];
    let begun = (): void => undefined;
    const beginning = new Promise<void>((done) => (begun = done));
    const watching = (async () => {
      for await (const { type } of configMaps.watch({ sendInitialEvents: true })) {
        seen.push(type);
        if (type === "BOOKMARK") begun();
      }
    })();
    await beginning;
    const listing = configMaps.list();
    const closing = client.close();
    // Both at once: which of them ends first is not said.
    await Promise.all([watching, listing].map((one) => expect(one).rejects.toSatisfy(isClientClosed)));
    await closing;
    await expect(configMaps.get("a")).rejects.toSatisfy(isClientClosed);
    await expect(configMaps.watch().next()).rejects.toSatisfy(isClientClosed);
    await expect(client.close()).resolves.toBeUndefined();
    expect(seen.at(-1)).toBe("BOOKMARK");
  });

  test("an aborted watch of an open client rejects with the reason of its signal", async () => {
    await using client = kubernetesClient(cluster);
    const stop = new AbortController();
    const watching = client.resource(CONFIG_MAPS).watch({ signal: stop.signal }).next();
    stop.abort(new Error("enough"));
    await expect(watching).rejects.toThrow("enough");
  });
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c" } }],
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
  });
