import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/time/clock.js";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { SeededAesGcm } from "../../../../src/server/storage/encryption/aes.js";
import type { EncryptionProvider } from "../../../../src/server/storage/encryption/configuration.js";
import { openTransformers } from "../../../../src/server/storage/encryption/open-transformers.js";
import { isEncrypted, type Transformer } from "../../../../src/server/storage/encryption/transformer.js";

interface Vectors {
  readonly keys: Readonly<Record<string, string>>;
  /** What kube-apiserver 1.20 has stored, in base64, by provider, size of the key in bytes. */
  readonly stored: Readonly<Record<string, { readonly path: string; readonly value: string }>>;
}

const vectors = JSON.parse(readFileSync(join(import.meta.dirname, "values-of-1.20.json"), "utf8")) as Vectors;

const parts = {
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
  kmsV1: false,
  warn: () => {},
};

async function secretsBy(...providers: readonly EncryptionProvider[]): Promise<Transformer> {
  const transformers = await openTransformers({ resources: [{ resources: ["secrets"], providers }] }, parts);
  const made = transformers.of({ group: "", resource: "secrets" });
  if (made === undefined) throw new Error("secrets are not encrypted");
  return made;
}

const KEY = Buffer.alloc(32, 7).toString("base64");
const OTHER = Buffer.alloc(32, 8).toString("base64");
const key1 = { keys: [{ name: "key1", secret: KEY }] };
const PATH = "/registry/secrets/default/a";
const VALUE = Buffer.from("k8s\0 some bytes of an object");

describe("C-STO-07, UND-6: values that kube-apiserver 1.20 encrypted are read", () => {
  test.each(Object.keys(vectors.stored))("%s", async (name) => {
    const [provider = "", size = ""] = name.split(" ");
    const keys = { keys: [{ name: "key1", secret: vectors.keys[size] ?? "" }] };
    const { path, value } = vectors.stored[name] as Vectors["stored"][string];
    const transformer = await secretsBy(provider === "identity" ? { identity: {} } : { [provider]: keys });
    const read = await transformer.fromStorage(Buffer.from(value, "base64"), path);
    expect(Buffer.from(read.value).toString("latin1")).toContain(`the secret of ${path.split("/").at(-1)}`);
    expect(read.isStale).toBe(false);
  });
});

describe("C-STO-07: encryption providers", () => {
  test.each<[string, EncryptionProvider, string]>([
    ["aescbc", { aescbc: key1 }, "k8s:enc:aescbc:v1:key1:"],
    ["aesgcm", { aesgcm: key1 }, "k8s:enc:aesgcm:v1:key1:"],
    ["secretbox", { secretbox: key1 }, "k8s:enc:secretbox:v1:key1:"],
    ["identity", { identity: {} }, ""],
  ])("read what they write: %s", async (_, provider, prefix) => {
    const transformer = await secretsBy(provider);
    for (const length of [0, 1, 15, 16, 17, 4096]) {
      const value = Buffer.alloc(length, "x");
      const [one, other] = [await transformer.toStorage(value, PATH), await transformer.toStorage(value, PATH)];
      expect(Buffer.from(one).toString("latin1").startsWith(prefix)).toBe(true);
      if (prefix !== "") expect(one).not.toEqual(other);
      expect(Buffer.from((await transformer.fromStorage(one, PATH)).value).equals(value)).toBe(true);
    }
  });

  test("write with the first key, read with all, and treat values of other keys as stale", async () => {
    const former = await secretsBy({ aescbc: key1 });
    const stored = await former.toStorage(VALUE, PATH);
    const key2 = { name: "key2", secret: OTHER };
    const rotated = await secretsBy({ aescbc: { keys: [key2, ...key1.keys] } });
    expect(await rotated.fromStorage(stored, PATH)).toEqual({ value: VALUE, isStale: true });
    const again = await rotated.toStorage(VALUE, PATH);
    expect(Buffer.from(again).toString("latin1")).toContain("k8s:enc:aescbc:v1:key2:");
    expect((await rotated.fromStorage(again, PATH)).isStale).toBe(false);
    const asEntries = await secretsBy({ aescbc: { keys: [key2] } }, { aescbc: key1 }, { identity: {} });
    expect((await asEntries.fromStorage(stored, PATH)).isStale).toBe(true);
    expect((await asEntries.fromStorage(VALUE, PATH)).isStale).toBe(true);
  });

  test("read with identity in front what later providers encrypted", async () => {
    const stored = await (await secretsBy({ aesgcm: key1 })).toStorage(VALUE, PATH);
    const back = await secretsBy({ identity: {} }, { aesgcm: key1 });
    expect(await back.fromStorage(stored, PATH)).toEqual({ value: VALUE, isStale: true });
    expect(await back.toStorage(VALUE, PATH)).toEqual(VALUE);
  });

  test("derive from a seed a key for each value", () => {
    const transformer = new SeededAesGcm(Buffer.alloc(32, 9), systemRandom);
    const stored = transformer.toStorage(VALUE, PATH);
    expect(Buffer.from(transformer.fromStorage(stored, PATH).value)).toEqual(VALUE);
    expect(() => transformer.fromStorage(stored, `${PATH}b`)).toThrow("cipher: message authentication failed");
    expect(() => new SeededAesGcm(Buffer.alloc(31), systemRandom)).toThrow("invalid seed length 31");
  });
});

const SHORT = "the stored data was shorter than the required size";
const FORGED = "cipher: message authentication failed";
const NO_AES_KEY = "no matching key was found for the provided AES transformer";
const BOX = "output array was not large enough for encryption";

/** Changes what a provider has stored. */
type Damage = (stored: Buffer) => Buffer;
const cut =
  (bytes: number): Damage =>
  (stored) =>
    stored.subarray(0, stored.length - bytes);
const flip =
  (at: number): Damage =>
  (stored) => {
    const copy = Buffer.from(stored);
    const index = at < 0 ? copy.length + at : at;
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  };
const keep =
  (prefix: string, more = 0): Damage =>
  (stored) =>
    stored.subarray(0, prefix.length + more);
const renamed =
  (from: string, to: string): Damage =>
  (stored) =>
    Buffer.concat([
      Buffer.from(stored.subarray(0, 60).toString("latin1").replace(from, to), "latin1"),
      stored.subarray(60),
    ]);

const CBC = "k8s:enc:aescbc:v1:key1:";
const GCM = "k8s:enc:aesgcm:v1:key1:";
const SECRETBOX = "k8s:enc:secretbox:v1:key1:";

describe("C-STO-07: a damaged encrypted value is an error in kube-apiserver's words", () => {
  test.each<[string, EncryptionProvider, Damage, string]>([
    ["aescbc, nothing behind the prefix", { aescbc: key1 }, keep(CBC), SHORT],
    ["aescbc, half of a vector", { aescbc: key1 }, keep(CBC, 8), SHORT],
    ["aescbc, a vector alone", { aescbc: key1 }, keep(CBC, 16), "invalid PKCS7 data (empty or not padded)"],
    ["aescbc, a byte short", { aescbc: key1 }, cut(1), "the stored data is not a multiple of the block size"],
    [
      "aescbc, a byte more",
      { aescbc: key1 },
      (s) => Buffer.concat([s, Buffer.of(1)]),
      "the stored data is not a multiple of the block size",
    ],
    ["aescbc, a block short", { aescbc: key1 }, cut(16), "invalid"],
    ["aescbc, the last byte of the block before the last", { aescbc: key1 }, flip(-17), "invalid"],
    ["aescbc, another key's name", { aescbc: key1 }, renamed("key1", "key2"), NO_AES_KEY],
    ["aescbc, no name", { aescbc: key1 }, renamed("key1:", ""), NO_AES_KEY],
    ["aescbc, another version", { aescbc: key1 }, renamed(":v1:", ":v9:"), "no matching prefix found"],
    ["aesgcm, nothing behind the prefix", { aesgcm: key1 }, keep(GCM), SHORT],
    ["aesgcm, half of a nonce", { aesgcm: key1 }, keep(GCM, 6), SHORT],
    ["aesgcm, a nonce alone", { aesgcm: key1 }, keep(GCM, 12), FORGED],
    ["aesgcm, half of a tag", { aesgcm: key1 }, keep(GCM, 20), FORGED],
    ["aesgcm, the nonce", { aesgcm: key1 }, flip(GCM.length), FORGED],
    ["aesgcm, a byte of the value", { aesgcm: key1 }, flip(GCM.length + 12), FORGED],
    ["aesgcm, the tag", { aesgcm: key1 }, flip(-1), FORGED],
    ["aesgcm, a byte short", { aesgcm: key1 }, cut(1), FORGED],
    ["aesgcm, a byte more", { aesgcm: key1 }, (s) => Buffer.concat([s, Buffer.of(0)]), FORGED],
    ["aesgcm, another key's name", { aesgcm: key1 }, renamed("key1", "keyA"), NO_AES_KEY],
    ["aesgcm, another provider's prefix", { aesgcm: key1 }, renamed("aesgcm", "aescbc"), "no matching prefix found"],
    ["aesgcm, as the value of a plugin", { aesgcm: key1 }, renamed("aesgcm:v1", "kms:v2"), "no matching prefix found"],
    ["secretbox, nothing behind the prefix", { secretbox: key1 }, keep(SECRETBOX), SHORT],
    ["secretbox, a nonce alone", { secretbox: key1 }, keep(SECRETBOX, 24), SHORT],
    ["secretbox, the nonce", { secretbox: key1 }, flip(SECRETBOX.length), BOX],
    ["secretbox, the tag", { secretbox: key1 }, flip(SECRETBOX.length + 24), BOX],
    ["secretbox, the last byte", { secretbox: key1 }, flip(-1), BOX],
    ["secretbox, a byte short", { secretbox: key1 }, cut(1), BOX],
    [
      "secretbox, another key's name",
      { secretbox: key1 },
      renamed("key1", "key2"),
      "no matching key was found for the provided Secretbox transformer",
    ],
    ["the prefix cut in half", { aesgcm: key1 }, (s) => s.subarray(0, 5), "no matching prefix found"],
    ["nothing", { aesgcm: key1 }, () => Buffer.alloc(0), "no matching prefix found"],
    ["zeros", { secretbox: key1 }, () => Buffer.alloc(64), "no matching prefix found"],
  ])("for %s", async (_, provider, damage, problem) => {
    const transformer = await secretsBy(provider);
    const stored = damage(Buffer.from(await transformer.toStorage(VALUE, PATH)));
    await expect(read(transformer, stored)).rejects.toThrow(problem);
  });

  test("for aesgcm under another etcd key, because values cannot be moved", async () => {
    const transformer = await secretsBy({ aesgcm: key1 });
    const stored = await transformer.toStorage(VALUE, PATH);
    await expect(read(transformer, stored, "/registry/secrets/kube-system/a")).rejects.toThrow(FORGED);
  });

  test("for another secret under the same key name", async () => {
    const other = { keys: [{ name: "key1", secret: OTHER }] };
    for (const name of ["aesgcm", "secretbox"] as const) {
      const stored = await (await secretsBy({ [name]: key1 })).toStorage(VALUE, PATH);
      await expect(read(await secretsBy({ [name]: other }), stored)).rejects.toThrow(name === "aesgcm" ? FORGED : BOX);
    }
  });

  test("for identity alone, which refuses encrypted values", async () => {
    const stored = await (await secretsBy({ aesgcm: key1 })).toStorage(VALUE, PATH);
    expect(isEncrypted(stored)).toBe(true);
    await expect(read(await secretsBy({ identity: {} }), stored)).rejects.toThrow("no matching prefix found");
  });

  test("that lists the failures of all providers", async () => {
    const stored = await (await secretsBy({ aesgcm: key1 })).toStorage(VALUE, PATH);
    const other = { keys: [{ name: "key1", secret: OTHER }] };
    const both = await secretsBy({ aesgcm: other }, { aesgcm: { keys: [{ name: "key2", secret: KEY }] } });
    await expect(read(both, stored)).rejects.toThrow(`[${FORGED}, ${NO_AES_KEY}]`);
  });
});

const read = async (transformer: Transformer, stored: Uint8Array, path = PATH) => transformer.fromStorage(stored, path);

describe("UND-6: wildcards in an EncryptionConfiguration", () => {
  const provider = (name: string) => [{ aesgcm: { keys: [{ name, secret: KEY }] } }];
  const writes = async (transformer: Transformer | undefined): Promise<string> =>
    transformer === undefined
      ? "as it is"
      : (Buffer.from(await transformer.toStorage(VALUE, PATH))
          .toString("latin1")
          .split(":")[4] ?? "as it is");

  test("are matched in the order resource, group, everything", async () => {
    const transformers = await openTransformers(
      {
        resources: [
          { resources: ["events"], providers: [{ identity: {} }] },
          { resources: ["secrets", "pandas.awesome.bears.example"], providers: provider("named") },
          { resources: ["*.apps"], providers: provider("apps") },
          { resources: ["*."], providers: provider("core") },
          { resources: ["*.*"], providers: provider("all") },
        ],
      },
      parts,
    );
    const of = (group: string, resource: string) => writes(transformers.of({ group, resource }));
    expect(await of("", "events")).toBe("as it is");
    expect(await of("", "secrets")).toBe("named");
    expect(await of("awesome.bears.example", "pandas")).toBe("named");
    expect(await of("awesome.bears.example", "grizzlies")).toBe("all");
    expect(await of("apps", "deployments")).toBe("apps");
    expect(await of("", "configmaps")).toBe("core");
    expect(await of("batch", "jobs")).toBe("all");
  });

  test.each<[readonly string[], readonly string[], string]>([
    [["*.apps"], ["deployments.apps"], 'resource "deployments.apps" is masked by earlier rule "*.apps"'],
    [["*."], ["secrets"], 'resource "secrets" is masked by earlier rule "*."'],
    [["*.*"], ["*.apps"], 'resource "*.apps" is masked by earlier rule "*.*"'],
    [["*.*"], ["*."], 'resource "*." is masked by earlier rule "*.*"'],
  ])("of %j hide %j: %s", async (first, second, problem) => {
    const resources = [first, second].map((named) => ({ resources: named, providers: provider("key1") }));
    await expect(openTransformers({ resources }, parts)).rejects.toThrow(problem);
  });
});
