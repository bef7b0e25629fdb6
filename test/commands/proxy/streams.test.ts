import { randomBytes } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { realTool } from "../../helpers/real-tools.js";
import { ask } from "./ask.js";
import { type ProxySurroundings, startOurs, startReal } from "./running-proxies.js";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl's proxy is not tried: ${kubectl.missing}\n`);
const programs = [
  { name: "kubectl", start: startReal, missing: kubectl.missing },
  { name: "kubets", start: startOurs, missing: undefined },
].filter(({ missing }) => missing === undefined);

describe.each(programs)("a long request through the proxy of $name", ({ name, start }) => {
  let cluster: Cluster;
  let folder: string;
  let around: ProxySurroundings;

  beforeAll(async () => {
    cluster = await startCluster({ port: 0 });
    folder = await mkdtemp(join(tmpdir(), "kubets-proxy-"));
    await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig());
    around = { cwd: folder, env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), PATH: "/usr/bin:/bin" } };
  });

  afterAll(async () => {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (address: string, configMap: string): Promise<{ status: number }> =>
    ask(address, {
      method: "POST",
      path: CONFIG_MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: configMap } }),
    });

  test("as a watch delivers each event at the time of the change", async () => {
    await using proxy = disposable(await start(["-p0"], around));
    const [host = "", port = ""] = proxy.address.split(":");
    let text = "";
    const watch = httpRequest({ host, port, path: `${CONFIG_MAPS}?watch=1`, agent: false });
    watch.on("response", (answer) => answer.setEncoding("utf8").on("data", (piece: string) => (text += piece)));
    // It is cut off in the end.
    watch.on("error", () => undefined).end();
    await seen(() => text, '"name":"kube-root-ca.crt"');
    for (const configMap of ["first", "second"]) {
      expect((await create(proxy.address, configMap)).status).toBe(201);
      await seen(() => text, `"name":"${configMap}"`);
    }
    watch.destroy();
  });

  test("as a WebSocket is passed through in both directions", async () => {
    await using proxy = disposable(await start(["-p0"], around));
    const [host = "", port = ""] = proxy.address.split(":");
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    let text = "";
    let ended = false;
    const asked = httpRequest({ host, port, path: `${CONFIG_MAPS}?watch=1`, headers, agent: false });
    asked.on("upgrade", (answer, socket, head) => {
      expect(answer.headers.upgrade?.toLowerCase()).toBe("websocket");
      text += head.toString("latin1");
      socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
      socket.on("close", () => (ended = true));
      socket.on("error", () => undefined);
    });
    asked.end();
    await seen(() => text, '"name":"kube-root-ca.crt"');
    await create(proxy.address, "third");
    await seen(() => text, '"name":"third"');
    // A masked close frame without a reason; the server closes in turn.
    const socket = asked.socket;
    socket?.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    await seen(() => String(ended), "true");
  });

  test("with a large body is complete in both directions", async () => {
    await using proxy = disposable(await start(["-p0"], around));
    const data = { big: "x".repeat(700_000) };
    const { status } = await ask(proxy.address, {
      method: "POST",
      path: CONFIG_MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "big" }, data }),
    });
    expect(status).toBe(201);
    const { body } = await ask(proxy.address, { path: `${CONFIG_MAPS}/big` });
    expect((JSON.parse(body) as { data: unknown }).data).toEqual(data);
    await ask(proxy.address, { method: "DELETE", path: `${CONFIG_MAPS}/big` });
  });

  test("uses the proxy's Unix socket, which replaces a left-over one and admits only its owner", async () => {
    const path = join(folder, "stale.sock");
    // Closing would take the file away: it is left as a killed program leaves it.
    const stale = createServer();
    await new Promise<void>((done) => stale.listen(path, done));
    const proxy = await start(["-u", "stale.sock"], around);
    expect(lstatSync(path).mode & 0o777).toBe(0o700);
    expect((await ask(path, { path: "/version", headers: { host: "localhost" } })).status).toBe(200);
    expect(await proxy.stop()).toBe(130);
    // kubectl is killed by the signal; we tidy up.
    expect(existsSync(path)).toBe(name === "kubectl");
    stale.close();
  });
});

function disposable<T extends { stop(): Promise<number> }>(proxy: T): T & AsyncDisposable {
  return Object.assign(proxy, {
    [Symbol.asyncDispose]: async () => {
      await proxy.stop();
    },
  });
}

const seen = (text: () => string, part: string): Promise<void> =>
  eventually(() => (text().includes(part) ? Promise.resolve() : Promise.reject(new Error(`no ${part} in ${text()}`))));
