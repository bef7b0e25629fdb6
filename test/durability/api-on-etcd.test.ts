import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskFolder } from "./disk-folder.js";
import type { KvEvent } from "../../src/server/storage/kv.js";
import { etcdMissing, type EtcdServer, openTestKv, startEtcd, tellEtcdMissing } from "../helpers/etcd.js";
import { type ApiAnswer, type ApiObject, type ApiProcess, startApi } from "./api-process.js";
import { Informer, versionOf } from "./informer.js";
import { buildWriter } from "./writer-process.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";
const PAGE = 4;

let etcd: EtcdServer;
let built: Awaited<ReturnType<typeof buildWriter>>;
let folder = "";
let api: ApiProcess;

tellEtcdMissing("a server whose etcd is treated badly");

beforeAll(async () => {
  if (etcdMissing !== undefined) return;
  built = await buildWriter("api-server");
  folder = await mkdtemp(join(diskFolder(), "kubets-api-on-etcd-"));
  etcd = await startEtcd();
  api = await startApi(built.script, folder, { etcd: etcd.endpoint });
});
afterAll(async () => {
  if (etcdMissing !== undefined) return;
  await api.kill();
  await etcd.dispose();
  await built.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Fault {
  readonly name: string;
  strike(): Promise<void>;
  mend(): Promise<void>;
}

const FAULTS: readonly Fault[] = [
  {
    name: "paused",
    strike: () => etcd.pause(),
    async mend() {
      await setTimeout(1000);
      etcd.resume();
    },
  },
  { name: "killed", strike: () => etcd.kill(), mend: () => etcd.restart() },
  { name: "stopped", strike: () => etcd.stop(), mend: () => etcd.restart() },
];

describe.skipIf(etcdMissing !== undefined)("a server under load whose etcd fails", () => {
  test.each(FAULTS)("$name: the server is not ready, and gives no wrong answer", async (fault) => {
    const done = new AbortController();
    const informers = [new Informer(MAPS), new Informer(MAPS)];
    const watching = informers.map((informer) => informer.run([api], done.signal));
    const attempts: Attempt[] = [];
    const writing = [0, 1, 2, 3].map((n) => write(`${fault.name}-${n}`, attempts, done.signal));
    const listing = list(done.signal);
    await acknowledge(attempts, 30);

    await fault.strike();
    const [probe, hasty] = await Promise.all([
      api.call("GET", "/readyz"),
      api.call("POST", `${MAPS}?timeout=500ms`, { metadata: { name: `hasty-${fault.name}` } }),
    ]);
    await fault.mend();
    expect(probe.status).toBe(500);
    expect(probe.body.message).toMatch(/\[-\]etcd failed/);
    expect(hasty.status).toBe(504);
    expect(hasty.body).toMatchObject({ kind: "Status", reason: "Timeout" });

    const ready = (): Promise<number> => api.call("GET", "/readyz").then(({ status }) => status);
    await expect.poll(ready).toBe(200);
    await acknowledge(attempts, 30);
    done.abort();
    await Promise.all(writing);
    const lists = await listing;
    await Promise.all(watching);

    const end = await api.call("POST", MAPS, { metadata: { name: `end-${fault.name}` } });
    expect(end.status).toBe(201);
    const last = versionOf(end.body);
    const history = await historyUpTo(last);
    await Promise.all(informers.map((informer) => told(informer, last)));
    const { body: final } = await api.call("GET", MAPS);

    // Watchers saw each version of each key, in order, without listing again.
    for (const { lists: times, began, events } of informers) {
      expect(times).toBe(1);
      expect(events).toEqual(history.filter(({ revision }) => revision > began).map(({ shown }) => shown));
    }
    // Lists are states that existed.
    expect(lists.length).toBeGreaterThan(1);
    for (const { revision, items } of lists) expect(items).toEqual(stateAt(history, revision));
    expect(itemsOf(final)).toEqual(stateAt(history, last));
    // What was acknowledged is there; what is there was asked for, and not refused.
    const acknowledged = attempts.filter(({ outcome }) => outcome === "done");
    const happened = new Map<string, number>();
    for (const { change } of history) happened.set(change, (happened.get(change) ?? 0) + 1);
    expect(acknowledged.filter(({ change }) => happened.get(change) !== 1)).toEqual([]);
    const revisions = new Map(history.map(({ revision, change }) => [change, revision]));
    const moved = acknowledged.filter(
      ({ change, revision = revisions.get(change) }) => revisions.get(change) !== revision,
    );
    expect(moved).toEqual([]);
    const refused = attempts.filter(({ outcome }) => outcome === "refused");
    expect(refused.filter(({ change }) => happened.has(change))).toEqual([]);
  });
});

type Outcome = "done" | "refused" | "unknown";

interface Attempt {
  /** "put NAME STEP" or "delete UID": what one event of the history is the only one to do. */
  readonly change: string;
  readonly outcome: Outcome;
  /** Of a put that was done. */
  readonly revision?: number;
}

/** Creates, changes and deletes two objects until `signal` aborts, believing what it is told. */
async function write(writer: string, attempts: Attempt[], signal: AbortSignal): Promise<void> {
  /** The uids of what is there, as far as is known. */
  const held = new Map<string, string | undefined>();
  for (let n = 0; !signal.aborted; n++) {
    const name = `${writer}-${n % 2}`;
    const step = `${writer}-${n}`;
    const uid = held.get(name);
    const deletes = uid !== undefined && n % 7 >= 5;
    const data = { step };
    const answer = deletes
      ? await api.call("DELETE", `${MAPS}/${name}`, { preconditions: { uid } })
      : held.has(name)
        ? await api.call("PATCH", `${MAPS}/${name}`, { data }, MERGE)
        : await api.call("POST", MAPS, { metadata: { name }, data });
    const outcome = outcomeOf(answer);
    attempts.push({
      change: deletes ? `delete ${uid}` : `put ${name} ${step}`,
      outcome,
      ...(outcome === "done" && !deletes && { revision: versionOf(answer.body) }),
    });
    if (outcome === "done" && !deletes) held.set(name, answer.body.metadata.uid);
    // Gone, or another one by now: something that was not answered came through.
    else if (answer.status === 404 || (outcome === "done" && deletes)) held.delete(name);
    else if (answer.status === 409) held.set(name, undefined);
  }
}

/** Resolves when so many more writes were acknowledged. */
async function acknowledge(attempts: readonly Attempt[], more: number): Promise<void> {
  const done = (): number => attempts.filter(({ outcome }) => outcome === "done").length;
  await expect.poll(done).toBeGreaterThanOrEqual(done() + more);
}

function outcomeOf({ status, body }: ApiAnswer): Outcome {
  if (status === 200 || status === 201) return "done";
  expect(body.kind).toBe("Status");
  expect(body.message).not.toBe("");
  if (status === 404 || status === 409) return "refused";
  expect([500, 504]).toContain(status);
  return "unknown";
}

type State = readonly string[];

interface ListSeen {
  readonly revision: number;
  readonly items: State;
}

/** Lists in pages, and from the cache, until `signal` aborts. A page that is refused makes it begin again. */
async function list(signal: AbortSignal): Promise<ListSeen[]> {
  const lists: ListSeen[] = [];
  let newest = 0;
  while (!signal.aborted) {
    const paged = await listPages();
    if (paged === undefined) continue;
    // It shows everything that was acknowledged before it began, so what a list showed before it.
    expect(paged.revision).toBeGreaterThanOrEqual(newest);
    newest = paged.revision;
    lists.push(paged);
    const { status, body } = await api.call("GET", `${MAPS}?resourceVersion=0`);
    if (status === 200) lists.push({ revision: versionOf(body), items: itemsOf(body) });
  }
  return lists;
}

async function listPages(): Promise<ListSeen | undefined> {
  const items: string[] = [];
  for (let token = ""; ; ) {
    const { status, body } = await api.call("GET", `${MAPS}?limit=${PAGE}&continue=${token}`);
    if (status !== 200) {
      expect(outcomeOf({ status, body })).toBe("unknown");
      return undefined;
    }
    items.push(...itemsOf(body));
    token = body.metadata.continue ?? "";
    if (token === "") return { revision: versionOf(body), items };
  }
}

const itemsOf = (body: ApiObject): State =>
  (body.items ?? []).map(({ metadata, data }) => `${metadata.name} ${metadata.resourceVersion} ${data?.["step"]}`);

/** Lets an informer go on until it was told of `revision`. */
async function told(informer: Informer, revision: number): Promise<void> {
  const done = new AbortController();
  const running = informer.run([api], done.signal);
  await expect.poll(() => informer.version).toBeGreaterThanOrEqual(revision);
  done.abort();
  await running;
}

interface Happened {
  readonly revision: number;
  readonly type: KvEvent["type"];
  readonly name: string;
  readonly step: string | undefined;
  /** As {@link Attempt} has it. */
  readonly change: string;
  /** As an {@link Informer} notes it. */
  readonly shown: string;
}

/** What became of the objects from the beginning on, by etcd itself. */
async function historyUpTo(last: number): Promise<Happened[]> {
  const kv = await openTestKv(etcd, { root: "/registry", prefix: "/registry" });
  const done = new AbortController();
  const history: Happened[] = [];
  for await (const { events, revision } of kv.watch("/registry/configmaps/default/", 1, { signal: done.signal })) {
    history.push(...events.map(happened));
    if (revision >= last) done.abort();
  }
  await kv.close();
  return history;
}

function happened({ type, key, revision, value, previous }: KvEvent): Happened {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const { metadata, data } = JSON.parse(Buffer.from(value ?? previous?.value ?? []).toString()) as ApiObject;
  const step = data?.["step"];
  const told = { create: "ADDED", update: "MODIFIED", delete: "DELETED" }[type];
  const change = type === "delete" ? `delete ${metadata.uid}` : `put ${name} ${step}`;
  return { revision, type, name, step, change, shown: `${told} ${name} ${revision} ${step}` };
}

function stateAt(history: readonly Happened[], at: number): State {
  const state = new Map<string, string>();
  for (const { revision, type, name, step } of history) {
    if (revision > at) break;
    if (type === "delete") state.delete(name);
    else state.set(name, `${name} ${revision} ${step}`);
  }
  return [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}
