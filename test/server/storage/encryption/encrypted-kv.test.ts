import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { aesGcm } from "../../../../src/server/storage/encryption/aes.js";
import { EncryptedKv, type KeyTransformers } from "../../../../src/server/storage/encryption/encrypted-kv.js";
import {
  isEncrypted,
  prefixed,
  PrefixTransformers,
  type Transformer,
  TransformError,
} from "../../../../src/server/storage/encryption/transformer.js";
import { CompactedError, type Kv, UnreadableValue } from "../../../../src/server/storage/kv.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { eventually } from "../../../helpers/eventually.js";
import { ManualTime } from "../../../helpers/manual-time.js";
import { kvSuite } from "../../../suites/kv.js";

const keyed = (name: string, byte: number): Transformer =>
  new PrefixTransformers("no matching prefix found", [
    prefixed(`k8s:enc:aesgcm:v1:${name}:`, aesGcm(Buffer.alloc(32, byte), systemRandom)),
  ]);
const first = keyed("key1", 1);

const all = (transformer: Transformer): KeyTransformers => ({ of: () => transformer, pathOf: (key) => key });
/** Whose answers come later, as a plugin's. */
const late = (transformer: Transformer): Transformer => ({
  fromStorage: async (...given) => transformer.fromStorage(...given),
  toStorage: async (...given) => transformer.toStorage(...given),
});

kvSuite("C-STO-07: memory, encrypted", () => ({
  open: async (time) => new EncryptedKv(openMemoryKv(time), all(first), time.timers),
}));
kvSuite("C-STO-07: memory, encrypted by a plugin", () => ({
  open: async (time) => new EncryptedKv(openMemoryKv(time), all(late(first)), time.timers),
}));

const KEY = "/registry/secrets/default/a";
const value = Buffer.from("{}");

function opened(transformers: KeyTransformers = all(first)) {
  const clock = new ManualTime();
  const inner = openMemoryKv({ clock, timers: clock });
  return { clock, inner, kv: new EncryptedKv(inner, transformers, clock) };
}

const valueOf = async (kv: Kv): Promise<Uint8Array | undefined> => (await kv.get(KEY)).kv?.value;

/** The unreadable value that every way of reading shows. */
async function problems(kv: Kv): Promise<readonly string[]> {
  const { items } = await kv.list("/registry/");
  return [await valueOf(kv), items[0]?.value].map((read) => (read as UnreadableValue).problem);
}

describe("C-STO-07: a stored value that cannot be decrypted", () => {
  const PROBLEM = `unable to transform key "${KEY}": no matching prefix found`;

  test("is listed with the reason why it cannot be read", async () => {
    const { inner, kv } = opened();
    await inner.create(KEY, Buffer.from("k8s:enc:aesgcm:v1:key9:xxxx"));
    expect(await problems(kv)).toEqual([PROBLEM, PROBLEM]);
    await kv.close();
  });

  test("is a watch event with an unreadable value", async () => {
    const { inner, kv } = opened();
    const watch = kv.watch("", 1, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await inner.create(KEY, Buffer.from("plain"));
    const { events } = (await watch.next()).value as { events: readonly { value: Uint8Array }[] };
    expect(events[0]?.value).toBeInstanceOf(UnreadableValue);
    await kv.close();
  });

  test("ends the watches when it becomes readable by changed keys, and no others", async () => {
    const { inner, kv } = opened(all(keyed("key2", 2)));
    const stored = await first.toStorage(value, KEY);
    await inner.create(KEY, stored);
    expect(await valueOf(kv)).toBeInstanceOf(UnreadableValue);
    const next = kv.watch("", 2, { signal: new AbortController().signal })[Symbol.asyncIterator]().next();
    await kv.replace(all(keyed("key3", 3)));
    await kv.replace(all(first));
    await expect(next).rejects.toBeInstanceOf(CompactedError);
    expect(Buffer.from((await valueOf(kv)) ?? [])).toEqual(value);
    await kv.close();
  });

  test("for a temporary reason is read again, and then ends the watches", async () => {
    let isAway = true;
    const away: Transformer = {
      fromStorage(...given) {
        if (isAway) throw new TransformError("the plugin is away", true);
        return first.fromStorage(...given);
      },
      toStorage: (...given) => first.toStorage(...given),
    };
    const { clock, inner, kv } = opened(all(away));
    await inner.create(KEY, await first.toStorage(value, KEY));
    expect(await problems(kv)).toHaveLength(2);
    const next = kv.watch("", 2, { signal: new AbortController().signal })[Symbol.asyncIterator]().next();
    clock.pass(10_000);
    await eventually(() => expect(clock.pending).toBe(1));
    isAway = false;
    clock.pass(10_000);
    await expect(next).rejects.toBeInstanceOf(CompactedError);
    await kv.close();
  });
});

describe("UND-6: after another key has become the first for writing", () => {
  test("values of the old key are outdated, at their revision", async () => {
    const { kv } = opened();
    const { revision } = await kv.create(KEY, value);
    expect(await kv.isOutdated(KEY, revision)).toBe(false);
    const second = new PrefixTransformers("no matching prefix found", [
      prefixed("k8s:enc:aesgcm:v1:key2:", aesGcm(Buffer.alloc(32, 2), systemRandom)),
      prefixed("k8s:enc:aesgcm:v1:key1:", aesGcm(Buffer.alloc(32, 1), systemRandom)),
    ]);
    await kv.replace(all(second));
    expect(await kv.isOutdated(KEY, revision)).toBe(true);
    expect(await kv.isOutdated(KEY, revision - 1)).toBe(false);
    expect(await kv.isOutdated("/registry/secrets/default/b", revision)).toBe(false);
    await kv.close();
  });

  test("internal keys are stored unencrypted", async () => {
    const { inner, kv } = opened({ of: (key) => (key === KEY ? first : undefined), pathOf: (key) => key });
    await kv.create(KEY, value);
    await kv.create("/registry/configmaps/default/a", value);
    const stored = (await inner.list("")).items.map(({ key, value: bytes }) => [key, isEncrypted(bytes)]);
    expect(stored).toEqual([
      ["/registry/configmaps/default/a", false],
      [KEY, true],
    ]);
    await kv.close();
  });
});
