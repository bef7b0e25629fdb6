/**
 * The thread for long bodies: an API server of its own over the store of the thread that started it, as another server of
 * the same cluster would be. A build emits this file as an entry point named long-bodies-worker.js.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { publishedScheme } from "../../api/scheme/published.js";
import { systemRandom } from "../../base/random.js";
import { builtinStrategy } from "../builtin/index.js";
import { createServer } from "../generic/server.js";
import type { User } from "../request/user.js";
import { createStorage } from "../storage/create-storage.js";
import type { Failed, Fault, Outcome, Task, ThreadSettings, ToThread } from "./protocol.js";
import { RemoteKv } from "./remote-kv.js";

async function start(
  port: MessagePort,
  { runtimeConfig, upgrades, foreign, storageMediaType, freshness, now: started }: ThreadSettings,
): Promise<void> {
  const kv = new RemoteKv(port, freshness);
  const users = new Map<string, User>();
  let now = started;
  const clock = { now: () => now };
  const server = createServer({
    storage: createStorage({ kv, clock, watchCache: false, upgrades, compactionSeconds: 0 }),
    runtimeConfig,
    storageMediaType,
    scheme: foreign ? (await import("../../api/scheme/all.js")).allScheme() : publishedScheme(),
    strategies: builtinStrategy,
    clock,
    random: systemRandom,
    requestRandom: systemRandom,
    // The other thread knows who asks; here each request has a token of its own.
    tokens: [(token) => Promise.resolve(users.get(token))],
    serverAddress: () => "",
    reportError: (error) => port.postMessage({ kind: "fault", error } satisfies Fault),
  });
  const transport = server.transport();

  const answer = async ({ id, user, method, path, headers, body, now: time }: Task): Promise<void> => {
    now = time;
    const token = String(id);
    users.set(token, user);
    try {
      const response = await transport.send({
        method,
        path,
        headers: { ...headers, authorization: `Bearer ${token}` },
        body,
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      const whole = new Uint8Array(Buffer.concat(chunks));
      const { status } = response;
      const head = response.headers as Outcome["headers"];
      port.postMessage({ kind: "outcome", id, status, headers: head, body: whole } satisfies Outcome, [whole.buffer]);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      port.postMessage({ kind: "failed", id, message: text } satisfies Failed);
    } finally {
      users.delete(token);
    }
  };

  port.on("message", (message: ToThread) => {
    if (message.kind === "stored") kv.settle(message);
    else void answer(message);
  });
}

if (parentPort !== null) void start(parentPort, workerData as ThreadSettings);
