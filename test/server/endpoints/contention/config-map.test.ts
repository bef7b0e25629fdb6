import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCluster } from "../../../../src/cluster/index.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { call } from "../../../helpers/api-caller.js";
import { watchEvents } from "../../../helpers/watch-events.js";
import { applyConflict, Ledger, staleWrite, versionOf } from "./ledger.js";

// Three at work on one object. Each has a counter of its own and adds and removes keys of its own; the books must agree
// with the object at the end, with every answer, and with what a watch saw in between.

/** Of each of the three. A disk makes every write wait, so there are fewer there unless all are asked for. */
const ALL_ROUNDS = 10_000;
const ROUNDS = {
  memory: ALL_ROUNDS,
  disk: Number(process.env["KUBETS_CONTENTION_ROUNDS"] ?? 500),
} as const;
const MAPS = "/api/v1/namespaces/default/configmaps";
const STALE = staleWrite("configmaps", "busy");

type Data = Record<string, string>;
const dataOf = (object: KubeObject): Data => (object["data"] ?? {}) as Data;

/** What one of the three wrote: "<name>-count", and keys "<name>-key-<n>" that come and go. */
class Share {
  readonly keys = new Map<string, string>();
  count = 0;

  constructor(readonly name: string) {}

  get counter(): string {
    return `${this.name}-count`;
  }

  /** The next change: the key that comes, or goes when it is there. */
  next(): { readonly key: string; readonly value: string | undefined } {
    const key = `${this.name}-key-${(this.count * 7) % 5}`;
    return { key, value: this.keys.has(key) ? undefined : `${this.count}` };
  }

  /** The change was acknowledged. */
  advance(): void {
    const { key, value } = this.next();
    if (value === undefined) this.keys.delete(key);
    else this.keys.set(key, value);
    this.count++;
  }

  get data(): Data {
    return { ...Object.fromEntries(this.keys), [this.counter]: `${this.count}` };
  }
}

type Shares = Readonly<Record<"updater" | "patcher" | "applier", Share>>;

/** Reads, changes and puts back; what came too late is read again. Every fifth round puts back what it read. */
async function update(ledger: Ledger, share: Share, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; ) {
    const object = await ledger.read();
    const idle = round % 5 === 4;
    const data = dataOf(object);
    expect(data[share.counter]).toBe(`${share.count}`);
    if (!idle) {
      const { key, value } = share.next();
      if (value === undefined) delete data[key];
      else data[key] = value;
      data[share.counter] = `${share.count + 1}`;
    }
    const read = versionOf(object);
    const reply = await ledger.put(share.name, object);
    if (reply.status === 409) {
      expect(reply.object).toEqual(STALE);
      continue;
    }
    expect(reply.status).toBe(200);
    if (idle) {
      expect(versionOf(reply.object)).toBe(read);
      ledger.unchanged(reply);
    } else {
      ledger.changed(reply);
      share.advance();
    }
    round++;
  }
}

/** Merge patches, which always fit; every fifth repeats what is there, every seventh insists on a version of long ago. */
async function patch(ledger: Ledger, share: Share, first: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    if (round % 7 === 6) {
      const stale = { metadata: { resourceVersion: first }, data: { [share.counter]: "stale" } };
      expect((await ledger.patch(share.name, "merge", stale)).object).toEqual(STALE);
      continue;
    }
    const idle = round % 5 === 4;
    const { key, value } = share.next();
    const data = idle ? share.data : { [key]: value ?? null, [share.counter]: `${share.count + 1}` };
    const reply = await ledger.patch(share.name, "merge", { data });
    expect(reply.status).toBe(200);
    if (idle) ledger.unchanged(reply);
    else {
      ledger.changed(reply);
      share.advance();
      expect(dataOf(reply.object)).toMatchObject(share.data);
    }
  }
}

/** Applies all it has; what it leaves out goes. Every fifth repeats, every seventh wants what others own. */
async function applyAll(ledger: Ledger, { updater, patcher, applier: share }: Shares, rounds: number): Promise<void> {
  const apply = (data: Data) =>
    ledger.apply(share.name, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "busy" }, data });
  for (let round = 0; round < rounds; round++) {
    if (round % 7 === 6) {
      const theirs = { ...share.data, [patcher.counter]: "mine" };
      const one = ['"patcher" using v1', `.data.${patcher.counter}`] as const;
      const two = ['"updater" using v1', `.data.${updater.counter}`] as const;
      const both = round % 2 === 0;
      const reply = await apply(both ? { ...theirs, [updater.counter]: "mine" } : theirs);
      expect(reply.object).toEqual(both ? applyConflict(one, two) : applyConflict(one));
      continue;
    }
    const idle = round % 5 === 4;
    const before = share.data;
    if (!idle) share.advance();
    const reply = await apply(idle ? before : share.data);
    expect(reply.status).toBe(200);
    if (idle) ledger.unchanged(reply);
    else ledger.changed(reply);
    expect(ownPart(dataOf(reply.object), share)).toEqual(share.data);
  }
}

const ownPart = (data: Data, { name }: Share): Data =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key.startsWith(`${name}-`)));

test.each([
  ["memory", ROUNDS.memory],
  ["disk", ROUNDS.disk],
] as const)(
  "two writers and a server-side applier on one ConfigMap lose no change, stored in %s, %d rounds of each",
  { timeout: 900_000 },
  async (storage, rounds) => {
    const folder = await mkdtemp(join(tmpdir(), "kubets-contention-"));
    try {
      await using cluster = await startCluster({ port: false, storage, dataDir: folder });
      const transport = cluster.transport();
      const shares: Shares = {
        updater: new Share("updater"),
        patcher: new Share("patcher"),
        applier: new Share("applier"),
      };
      const { updater, patcher, applier } = shares;
      const created = await call(transport, "POST", `${MAPS}?fieldManager=updater`, {
        metadata: { name: "busy" },
        data: { start: "1", [updater.counter]: "0" },
      });
      const first = created.at("metadata.resourceVersion") as string;
      const ledger = new Ledger(transport, `${MAPS}/busy`);
      // Both counters have an owner before anybody can want them.
      const owned = await ledger.patch("patcher", "merge", { data: { [patcher.counter]: "0" } });
      ledger.changed(owned);
      await using watching = await watchEvents(transport, `${MAPS}?fieldSelector=metadata.name=busy`, first);

      await Promise.all([
        update(ledger, updater, rounds),
        patch(ledger, patcher, first, rounds),
        applyAll(ledger, shares, rounds),
      ]);

      const last = await ledger.read();
      expect(dataOf(last)).toEqual({ start: "1", ...updater.data, ...patcher.data, ...applier.data });
      expect(ownersOf(last)).toEqual(
        new Map([
          ["Apply applier", keysOf(applier.data)],
          ["Update patcher", keysOf(patcher.data)],
          ["Update updater", [".", ...keysOf({ start: "", ...updater.data })].toSorted()],
        ]),
      );
      expect(ledger.conflicts).toBeGreaterThan((rounds / 7 - 1) * 2);

      // One event for every acknowledged change, none for anything else, and each moves one counter by one.
      await watching.seen(versionOf(last));
      expect(watching.events.map(({ type }) => type)).not.toContain("ADDED");
      const versions = watching.events.map(({ object }) => versionOf(object));
      expect(new Set(versions)).toEqual(ledger.changes);
      expect(versions).toHaveLength(ledger.changes.size);
      for (const version of ledger.idle) expect(ledger.changes.has(version)).toBe(true);
      expectSteps(
        watching.events.slice(1).map(({ object }) => dataOf(object)),
        Object.values(shares),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** Replays the events: each is one change of one of the three, in the order in which it made them. */
function expectSteps(states: readonly Data[], shares: readonly Share[]): void {
  const replayed = new Map(shares.map(({ name }) => [name, new Share(name)]));
  for (const state of states) {
    const moved = [...replayed.values()].filter(({ counter, count }) => Number(state[counter] ?? 0) !== count);
    if (moved.length !== 1) throw new Error(`${moved.length} of the three moved at once`);
    moved[0]?.advance();
    for (const share of replayed.values()) {
      const own = share.count === 0 ? { ...state, [share.counter]: "0" } : state;
      if (!sameData(ownPart(own, share), share.data)) {
        throw new Error(`${share.name} lost something in ${JSON.stringify(state)}`);
      }
    }
  }
  for (const { name, count } of shares) expect(replayed.get(name)?.count).toBe(count);
}

const sameData = (a: Data, b: Data): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);

const keysOf = (data: Data): string[] => Object.keys(data).toSorted();

/** The data keys that each manager owns. */
function ownersOf(object: KubeObject): Map<string, string[]> {
  return new Map(
    (object.metadata?.managedFields ?? []).map(({ operation, manager, fieldsV1 }) => {
      const fields = (fieldsV1 as { "f:data": object })["f:data"];
      return [
        `${operation as string} ${manager as string}`,
        Object.keys(fields)
          .map((key) => key.replace(/^f:/, ""))
          .toSorted(),
      ];
    }),
  );
}
