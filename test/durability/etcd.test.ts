import { describe, expect, test } from "vitest";
import { type Kv, type KvEvent, RevisionMismatchError, UnavailableError } from "../../src/server/storage/kv.js";
import { etcdMissing, type EtcdServer, openTestKv, startEtcdCluster, tellEtcdMissing } from "../helpers/etcd.js";

tellEtcdMissing("the durability test of etcd storage");

type Outcome = "done" | "not-done" | "unknown";

/** One write that was tried. Its value is its own, so that its event can be told from all others. */
interface Attempt {
  readonly key: string;
  /** Empty for a delete. */
  readonly value: string;
  readonly outcome: Outcome;
  /** When it is known to be done. */
  readonly revision?: number;
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const textOf = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString();

/** Two processes' worth of stores share one etcd while it is treated badly. */
describe.skipIf(etcdMissing !== undefined)("etcd under load", () => {
  const faults: readonly {
    readonly name: string;
    readonly members: number;
    readonly strike: (server: EtcdServer) => Promise<void>;
  }[] = [
    { name: "stopped and started again", members: 1, strike: stopAndRestart },
    { name: "killed and started again", members: 1, strike: killAndRestart },
    { name: "paused for longer than a call may take", members: 1, strike: pauseAndResume },
    { name: "of three members, killed one after the other", members: 3, strike: killAndRestart },
    { name: "of three members, paused one after the other", members: 3, strike: pauseAndResume },
  ];

  test.each(faults)("$name: loses no acknowledged write, and no watcher misses or repeats an event", async (fault) => {
    const servers = await startEtcdCluster(fault.members);
    const [server] = servers;
    if (server === undefined) throw new Error("no server");
    const prefix = "/load";
    const options = { endpoints: servers.map(({ endpoint }) => endpoint), prefix, timeoutMilliseconds: 1000 };
    const stores = [await openTestKv(server, options), await openTestKv(server, options)];
    const [one] = stores;
    if (one === undefined) throw new Error("no store");
    const from = await one.currentRevision();
    const watchers = stores.map((kv) => follow(kv, from));
    const stop = new AbortController();
    const attempts: Attempt[] = [];
    const writers = [0, 1, 2, 3, 4, 5].map((n) => write(stores[n % 2] ?? one, n, attempts, stop.signal));
    for (let round = 0; round < 3; round++) {
      await sleep(300);
      await fault.strike(servers[round % servers.length] ?? server);
    }
    // However slow the machine is, writes are done after the last fault too.
    const written = () => attempts.filter(({ outcome }) => outcome === "done").length;
    const before = written();
    await expect.poll(written).toBeGreaterThan(Math.max(100, before + 10));
    stop.abort();
    await Promise.all(writers);
    await expect.poll(() => one.check().then(() => "well", String)).toBe("well");

    const end = (await one.create("/end", Buffer.from("end"))).revision;
    const seen = await Promise.all(watchers.map((watcher) => watcher.until(end)));
    const fresh = await openTestKv(server, options);
    const history = await follow(fresh, from).until(end);
    const { items } = await fresh.list("");
    await Promise.all([...stores, fresh].map((kv) => kv.close()));
    await Promise.all(servers.map((one) => one.dispose()));

    const shown = history.map(show);
    for (const events of seen) expect(events.map(show)).toEqual(shown);
    expect(history.map(({ revision }) => revision - from)).toEqual(history.map((_, index) => index + 1));

    const state = new Map<string, string>();
    for (const { type, key, value } of history) {
      if (type === "delete") state.delete(key);
      else state.set(key, textOf(value));
    }
    expect(new Map(items.map(({ key, value }) => [key, textOf(value)]))).toEqual(state);

    const done = attempts.filter(({ outcome }) => outcome === "done");
    const byRevision = new Map(history.map((event) => [event.revision, event]));
    const lost = done.filter(({ key, value, revision }) => {
      const event = byRevision.get(revision ?? 0);
      return event?.key !== key || textOf(event.value) !== value;
    });
    expect(lost).toEqual([]);
    // What was not acknowledged may be there, once; what was refused may not.
    const told = new Set(done.map(({ revision }) => revision));
    const rest = history.filter(({ revision }) => !told.has(revision) && revision !== end);
    const unknown = new Set(
      attempts.filter(({ outcome }) => outcome === "unknown").map(({ key, value }) => `${key}=${value}`),
    );
    expect(rest.filter(({ key, value }) => !unknown.has(`${key}=${textOf(value)}`))).toEqual([]);
    const values = history.filter(({ type }) => type !== "delete").map(({ value }) => textOf(value));
    expect(new Set(values).size).toBe(values.length);
  });
});

async function stopAndRestart(server: EtcdServer): Promise<void> {
  await server.stop();
  await server.restart();
}

async function killAndRestart(server: EtcdServer): Promise<void> {
  await server.kill();
  await sleep(500);
  await server.restart();
}

async function pauseAndResume(server: EtcdServer): Promise<void> {
  await server.pause();
  await sleep(1500);
  server.resume();
}

/** Creates, updates and deletes keys that no other writer has until `signal` aborts; what is unknown is looked up. */
async function write(kv: Kv, writer: number, attempts: Attempt[], signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const key = `/${writer}/${n % 7}`;
    const value = `${writer}-${n}`;
    const found = await kv.get(key).catch(() => undefined);
    if (found === undefined) continue;
    const { kv: current } = found;
    const deleting = current !== undefined && n % 5 === 0;
    try {
      const { revision } =
        current === undefined
          ? await kv.create(key, Buffer.from(value))
          : deleting
            ? await kv.delete(key, current.revision)
            : await kv.update(key, Buffer.from(value), current.revision);
      attempts.push({ key, value: deleting ? "" : value, outcome: "done", revision });
    } catch (error) {
      // An earlier write of this writer that was given up on came through late, or this one was not answered.
      const late =
        error instanceof RevisionMismatchError || (error instanceof Error && error.name === "KeyExistsError");
      if (!late && !(error instanceof UnavailableError)) throw error;
      const outcome = error instanceof UnavailableError ? error.outcome : "not-done";
      attempts.push({ key, value: deleting ? "" : value, outcome });
    }
  }
}

/** Collects what a watch tells from now on. */
function follow(kv: Kv, from: number): { until(revision: number): Promise<KvEvent[]> } {
  const controller = new AbortController();
  const events: KvEvent[] = [];
  let onBatch = (): void => {};
  let reached = from;
  const watching = (async () => {
    for await (const batch of kv.watch("", from, { signal: controller.signal })) {
      events.push(...batch.events);
      reached = batch.revision;
      onBatch();
    }
  })();
  return {
    async until(revision) {
      while (reached < revision) {
        await Promise.race([new Promise<void>((resolve) => (onBatch = resolve)), watching]);
      }
      controller.abort();
      await watching;
      return events;
    },
  };
}

function show({ type, key, revision, value, previous }: KvEvent): string {
  return `${type} ${key}@${revision}=${textOf(value)} was @${previous?.revision ?? 0}=${textOf(previous?.value)}`;
}
