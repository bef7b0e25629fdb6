/**
 * A process that owns a SQLite store and serves its calls to the process that started it, until it is told to close or
 * is killed. Time is the parent's: it tells the clock, and when to let timers fire.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Kv, WatchBatch } from "../../src/server/storage/kv.js";
import { openSqliteKv } from "../../src/server/storage/sqlite/sqlite-kv.js";
import { ManualTime } from "../helpers/manual-time.js";
import { type ChildMessage, OPTIONAL_METHODS, packError, type ParentMessage } from "./kv-protocol.js";

const send = (message: ChildMessage): void => void process.send?.(message);
const [directory = "", history = "", now = ""] = process.argv.slice(2);
const time = new ManualTime();
time.pass(Number(now) - time.now());
const kv: Kv = await openSqliteKv({ directory, historyRevisions: Number(history), clock: time, timers: time });
const watches = new Map<number, AbortController>();

process.on("message", (message: ParentMessage) => void serve(message));
process.on("disconnect", () => process.exit(1));
send({
  kind: "ready",
  freshness: kv.freshness,
  lacks: OPTIONAL_METHODS.filter((name) => kv[name] === undefined),
});

async function serve(message: ParentMessage): Promise<void> {
  switch (message.kind) {
    case "call":
      return answer(message.id, message.name, message.args);
    case "watch":
      return watch(message.id, message.prefix, message.from);
    case "unwatch":
      watches.get(message.id)?.abort();
      return;
    case "time":
      time.pass(message.now - time.now());
  }
}

async function answer(id: number, name: string, args: readonly unknown[]): Promise<void> {
  try {
    const method = Reflect.get(kv, name) as (...values: readonly unknown[]) => Promise<unknown>;
    send({ kind: "answer", id, value: await Reflect.apply(method, kv, args) });
  } catch (error) {
    send({ kind: "failed", id, error: packError(error) });
  }
  if (name !== "close") return;
  await sleep(0);
  process.disconnect();
}

async function watch(id: number, prefix: string, from: number): Promise<void> {
  const ending = new AbortController();
  watches.set(id, ending);
  try {
    const batches: AsyncIterable<WatchBatch> = kv.watch(prefix, from, { signal: ending.signal });
    for await (const batch of batches) send({ kind: "batch", id, batch });
    send({ kind: "answer", id, value: undefined });
  } catch (error) {
    send({ kind: "failed", id, error: packError(error) });
  } finally {
    watches.delete(id);
  }
}
