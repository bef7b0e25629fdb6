import { afterEach, describe, expect, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { SilentListener } from "../helpers/silent-listener.js";
import { etcdMissing, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";

// A start that waits for an etcd ends when its signal aborts. Without the signal each of these starts would fail after ten seconds, and with
// etcd's reason.

tellEtcdMissing("a start that is ended while etcd is stopped");

const ENDED = new Error("the caller has ended the start");

describe("startCluster() rejects with its signal's reason when the signal aborts", () => {
  let ending: AbortController;
  const start = (etcd: { readonly servers: readonly string[] }) =>
    startCluster({ port: false, storage: "etcd", etcd, signal: ending.signal });
  afterEach(() => ending.abort());

  test("while an etcd accepts connections and never answers", async () => {
    ending = new AbortController();
    await using silent = await SilentListener.open(() => ending.abort(ENDED));
    await expect(start({ servers: [silent.url] })).rejects.toBe(ENDED);
  });

  test("while the port of the etcd refuses connections", async () => {
    ending = new AbortController();
    const silent = await SilentListener.open();
    const { url } = silent;
    await silent[Symbol.asyncDispose]();
    const started = start({ servers: [url] });
    setImmediate(() => ending.abort(ENDED));
    await expect(started).rejects.toBe(ENDED);
  });

  test("before the start, and opens no connection", async () => {
    ending = new AbortController();
    ending.abort(ENDED);
    let connections = 0;
    await using silent = await SilentListener.open(() => connections++);
    await expect(start({ servers: [silent.url] })).rejects.toBe(ENDED);
    expect(connections).toBe(0);
  });

  test("while a hook of the caller waits, and closes what was opened", async () => {
    ending = new AbortController();
    let stopped = false;
    const started = startCluster({
      signal: ending.signal,
      hooks: {
        postStart: [
          {
            name: "endless",
            run: () => {
              ending.abort(ENDED);
              return new Promise<void>(() => {});
            },
          },
        ],
        preShutdown: [{ name: "told", run: () => void (stopped = true) }],
      },
    });
    await expect(started).rejects.toBe(ENDED);
    expect(stopped).toBe(true);
  });

  test.skipIf(etcdMissing !== undefined)("while an etcd that has answered before is stopped", async () => {
    ending = new AbortController();
    const etcd = await startEtcd();
    const started = startCluster({
      port: false,
      storage: "etcd",
      etcd: { servers: [etcd.endpoint] },
      signal: ending.signal,
      hooks: {
        postStart: [
          {
            name: "stopped-etcd",
            async run({ transport }) {
              await etcd.pause();
              const body = Buffer.from(
                JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } }),
              );
              const asked = transport.send({
                method: "POST",
                path: "/api/v1/namespaces",
                headers: { "content-type": "application/json" },
                body,
              });
              setImmediate(() => ending.abort(ENDED));
              await asked;
            },
          },
        ],
      },
    });
    try {
      await expect(started).rejects.toBe(ENDED);
    } finally {
      etcd.resume();
      await etcd.dispose();
    }
  });
});

test("aborting the signal of startCluster() after the start changes nothing", async () => {
  const ending = new AbortController();
  await using cluster = await startCluster({ port: false, signal: ending.signal });
  ending.abort(ENDED);
  const answer = await cluster.transport().send({ method: "GET", path: "/readyz", headers: {} });
  expect(answer.status).toBe(200);
});
