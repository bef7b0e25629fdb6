import { expect, test } from "vitest";
import type { Kv, KvEvent } from "../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type StorageUnderTest, storageTests } from "../../../src/server/storage/storage-tests.js";

/** A store of the memory with some methods of its own. */
const changed = (kv: Kv, own: Partial<Kv>): Kv =>
  new Proxy(kv, {
    get(target, name) {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });

const FAULTS: Readonly<Record<string, (kv: Kv) => Partial<Kv>>> = {
  "gives a key twice": (kv) => ({
    create: async (key, value, options) => {
      const { kv: found } = await kv.get(key);
      return found === undefined ? kv.create(key, value, options) : kv.update(key, value, found.revision, options);
    },
  }),
  "updates whatever is there": (kv) => ({
    update: async (key, value) => kv.update(key, value, (await kv.get(key)).kv?.revision ?? 0),
  }),
  "lists more than it was asked for": (kv) => ({
    list: (prefix, options) => kv.list(prefix, { ...options, limit: 0 }),
  }),
  "lists the present as the past": (kv) => ({
    list: (prefix, { limit = 0, startAfter = "" } = {}) =>
      kv.list(prefix, { limit, ...(startAfter && { startAfter }) }),
  }),
  "counts everything": (kv) => ({ count: () => kv.count("") }),
  "forgets what was before": (kv) => ({
    async *watch(prefix, from, options) {
      for await (const { events, revision } of kv.watch(prefix, from, options)) {
        const forgetful = ({ type, key, revision: at, value }: KvEvent): KvEvent => ({
          type,
          key,
          revision: at,
          ...(value && { value }),
        });
        yield { events: events.map(forgetful), revision };
      }
    },
  }),
  "skips events": (kv) => ({
    async *watch(prefix, from, options) {
      for await (const { events, revision } of kv.watch(prefix, from, options))
        yield { events: events.slice(1), revision };
    },
  }),
  "keeps what is compacted": () => ({ compact: async () => {} }),
  "never lets a key expire": (kv) => ({ create: (key, value) => kv.create(key, value) }),
  "goes on after its end": () => ({ close: async () => {} }),
};

/** A watch of a store that skips events may wait for ever: a demand counts as missed when the others are done. */
async function missed(faultOf: (kv: Kv) => Partial<Kv>): Promise<readonly string[]> {
  const subject = (): StorageUnderTest => ({
    async open({ clock, timers }) {
      const kv = openMemoryKv({ clock, timers });
      return changed(kv, faultOf(kv));
    },
  });
  const titles = await Promise.all(
    storageTests(subject).map(async ({ title, run }) => {
      const turns = async (): Promise<string> => {
        for (let turn = 0; turn < 2000; turn++) await new Promise(setImmediate);
        return title;
      };
      return Promise.race([
        run().then(
          () => "",
          () => title,
        ),
        turns(),
      ]);
    }),
  );
  return titles.filter((title) => title !== "");
}

test("the published storage tests pass for a correct storage", async () => {
  expect(await missed(() => ({}))).toEqual([]);
});

test.each(Object.entries(FAULTS))("the published storage tests find a storage that %s", async (_, faultOf) => {
  expect(await missed(faultOf)).not.toEqual([]);
});
