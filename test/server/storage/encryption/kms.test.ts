import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../../../src/base/numbers/random.js";
import { inSpan, type RequestSpan, type SpanFields } from "../../../../src/machinery/tracing/request-span.js";
import type { KmsConfiguration } from "../../../../src/server/storage/encryption/configuration.js";
import {
  openTransformers,
  type ResourceTransformers,
} from "../../../../src/server/storage/encryption/open-transformers.js";
import type { Transformer } from "../../../../src/server/storage/encryption/transformer.js";
import { eventually } from "../../../helpers/eventually.js";
import { type KmsPlugin, startKmsPlugin } from "../../../helpers/kms-plugin.js";
import { ManualTime } from "../../../helpers/manual-time.js";

let folder: string;
let plugin: KmsPlugin;
let time: ManualTime;
const opened: ResourceTransformers[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kms-"));
  plugin = await startKmsPlugin(join(folder, "kms.sock"));
  time = new ManualTime();
});
afterEach(async () => {
  for (const transformers of opened.splice(0)) transformers.close();
  await plugin.stop();
  rmSync(folder, { recursive: true });
});

async function open(more: Partial<KmsConfiguration> = {}, kmsV1 = false): Promise<ResourceTransformers> {
  const kms = { apiVersion: "v2", name: "test", endpoint: plugin.endpoint, ...more };
  const configuration = { resources: [{ resources: ["secrets"], providers: [{ kms }] }] };
  const parts = { clock: time, timers: time, random: systemRandom, kmsV1, warn: () => {} };
  const transformers = await openTransformers(configuration, parts);
  opened.push(transformers);
  return transformers;
}

const ofSecrets = (transformers: ResourceTransformers): Transformer =>
  transformers.of({ group: "", resource: "secrets" }) as Transformer;
const check = (transformers: ResourceTransformers) => transformers.plugins[0]?.check();

const PATH = "/registry/secrets/default/a";
const VALUE = Buffer.from("some bytes");
const count = (method: string): number => plugin.calls.filter((call) => call === method).length;

/** Notes the parts of a span and their steps. */
class NotedSpan implements RequestSpan {
  readonly auditId = "";
  readonly requestFields = {};
  readonly headers = {};
  hasEnded = false;
  readonly steps: string[] = [];
  readonly parts: NotedSpan[] = [];
  error: unknown;

  constructor(
    readonly name = "",
    readonly fields: SpanFields = {},
  ) {}

  step(name: string): void {
    this.steps.push(name);
  }
  part(name: string, fields: SpanFields): NotedSpan {
    const part = new NotedSpan(name, fields);
    this.parts.push(part);
    return part;
  }
  add(): void {}
  failed(error: unknown): void {
    this.error = error;
  }
  end(): void {
    this.hasEnded = true;
  }
  run<T>(work: () => T): T {
    return work();
  }
}

describe("FLT-3: decrypting a value by KMS v2 is a part of the request's trace", () => {
  const READ = "TransformFromStorage with envelopeTransformer";

  test("with the call of the plugin when its key is not cached", async () => {
    const stored = await ofSecrets(await open()).toStorage(VALUE, PATH);
    const transformer = ofSecrets(await open());
    const span = new NotedSpan();
    const read = async () => inSpan(span, async () => transformer.fromStorage(stored, PATH));
    await read();
    await read();
    expect(span.parts.map(({ name, fields, hasEnded }) => [name, fields, hasEnded])).toEqual([
      [READ, { "transformer.provider.name": "test" }, true],
      [READ, { "transformer.provider.name": "test" }, true],
    ]);
    const decoded = ["About to decode encrypted object", "Decoded encrypted object"];
    const asked = ["About to decrypt DEK using remote service", "DEK decryption succeeded"];
    const decrypted = ["About to decrypt data using DEK", "Data decryption succeeded"];
    expect(span.parts.map(({ steps }) => steps)).toEqual([
      [...decoded, ...asked, ...decrypted],
      [...decoded, ...decrypted],
    ]);
  });

  test("with the error when it fails", async () => {
    const stored = await ofSecrets(await open()).toStorage(VALUE, PATH);
    const transformer = ofSecrets(await open());
    const span = new NotedSpan();
    plugin.failure = { code: 9, message: "no" };
    await inSpan(span, async () => expect(async () => transformer.fromStorage(stored, PATH)).rejects.toThrow());
    const [part] = span.parts;
    expect([part?.steps.at(-1), String(part?.error), part?.hasEnded]).toEqual([
      "DEK decryption failed",
      expect.stringContaining("failed to decrypt DEK, error: "),
      true,
    ]);
  });
});

describe("UND-6: KMS v2 encryption", () => {
  test("has the plugin encrypt one seed, from which keys of values derive", async () => {
    const transformer = ofSecrets(await open());
    const stored = await transformer.toStorage(VALUE, PATH);
    await transformer.toStorage(VALUE, PATH);
    expect(Buffer.from(stored).toString("latin1").startsWith("k8s:enc:kms:v2:test:")).toBe(true);
    expect(await transformer.fromStorage(stored, PATH)).toEqual({ value: VALUE, isStale: false });
    expect(plugin.calls).toEqual(["Status", "Encrypt"]);
    await expect((async () => transformer.fromStorage(stored, `${PATH}b`))()).rejects.toThrow(
      "cipher: message authentication failed",
    );
  });

  test("asks the plugin on another server once for all values of a seed", async () => {
    const writer = ofSecrets(await open());
    const stored = await Promise.all([0, 1, 2].map(async (n) => writer.toStorage(Buffer.from(`value ${n}`), PATH)));
    const reader = ofSecrets(await open());
    const read = await Promise.all(stored.map(async (one) => reader.fromStorage(one, PATH)));
    expect(read.map(({ value }) => Buffer.from(value).toString())).toEqual(["value 0", "value 1", "value 2"]);
    expect(count("Decrypt")).toBe(1);
  });

  test("makes a new seed for a new key of the plugin, and treats older values as stale", async () => {
    const transformers = await open();
    const transformer = ofSecrets(transformers);
    const before = await transformer.toStorage(VALUE, PATH);
    plugin.keyId = "key-2";
    time.pass(60_000);
    await eventually(async () => expect((await transformer.fromStorage(before, PATH)).isStale).toBe(true));
    const after = await transformer.toStorage(VALUE, PATH);
    expect(await transformer.fromStorage(after, PATH)).toEqual({ value: VALUE, isStale: false });
    expect(count("Encrypt")).toBe(2);
  });

  test("continues to read while the plugin is away, and to write for three minutes", async () => {
    const transformers = await open({ timeout: "1s" });
    const transformer = ofSecrets(transformers);
    const stored = await transformer.toStorage(VALUE, PATH);
    await plugin.stop();
    time.pass(30_000);
    await expect(check(transformers)).rejects.toThrow(
      "failed to perform status section of the healthz check for KMS Provider test, error: rpc error: code = Unavailable desc = ",
    );
    await transformer.toStorage(VALUE, PATH);
    time.pass(151_000);
    await expect((async () => transformer.toStorage(VALUE, PATH))()).rejects.toThrow(
      /^encryptedDEKSource with keyID hash "sha256:\w{64}" expired at /,
    );
    expect(await transformer.fromStorage(stored, PATH)).toEqual({ value: VALUE, isStale: false });
    await plugin.start();
    await eventually(async () => {
      time.pass(10_000);
      await transformer.toStorage(VALUE, PATH);
    });
  });

  test("asks a plugin again that did not answer at the start", async () => {
    await plugin.stop();
    const transformers = await open({ timeout: "1s" });
    const transformer = ofSecrets(transformers);
    await expect((async () => transformer.toStorage(VALUE, PATH))()).rejects.toThrow("got unexpected nil transformer");
    await plugin.start();
    await eventually(async () => {
      time.pass(10_000);
      await transformer.toStorage(VALUE, PATH);
    });
    await expect(check(transformers)).resolves.toBeUndefined();
  });

  test.each<[string, (given: KmsPlugin) => void, RegExp]>([
    [
      "that is not well",
      (given) => (given.healthz = "tired"),
      /is not healthy, error: got unexpected healthz status: tired$/,
    ],
    ["of another version", (given) => (given.version = "v3"), /expected KMSv2 API version v2, got v3$/],
    ["without a key", (given) => (given.keyId = ""), /got invalid KMSv2 KeyID hash "": keyID is empty$/],
    [
      "whose key has a long name",
      (given) => (given.keyId = "k".repeat(1025)),
      /keyID is 1025 bytes, which exceeds the max size of 1024$/,
    ],
    [
      "whose annotation is no domain",
      (given) => (given.annotation = "made/by"),
      /errGen=failed to validate annotations: annotations: Invalid value: "made\/by": a lowercase RFC 1123 subdomain /,
    ],
    [
      "that fails",
      (given) => (given.failure = { code: 13, message: "broken" }),
      /rpc error: code = Internal desc = broken$/,
    ],
  ])("is unhealthy with a plugin %s", async (_, damage, problem) => {
    damage(plugin);
    await expect(check(await open())).rejects.toThrow(problem);
  });

  test("refuses a plugin that changes its version", async () => {
    const transformers = await open();
    plugin.version = "v2beta1";
    time.pass(20_000);
    await expect(check(transformers)).rejects.toThrow(
      "KMSv2 API version should not change after the initial status response version v2, got v2beta1",
    );
  });

  const PREFIX = "k8s:enc:kms:v2:test:".length;
  test.each<[string, (stored: Buffer) => Buffer, string | RegExp]>([
    ["no message", (stored) => stored.subarray(0, PREFIX), "encrypted data is empty"],
    ["half of it", (stored) => stored.subarray(0, PREFIX + 40), "proto: cannot parse invalid wire-format data"],
    ["a byte of the value", (stored) => flipped(stored, PREFIX + 50), "cipher: message authentication failed"],
    ["the seed's name", (stored) => replaced(stored, "key-1", "key-X"), /^failed to decrypt DEK, error: rpc error: /],
    [
      "the annotation",
      (stored) => replaced(stored, "the test", "the tent"),
      /^failed to decrypt DEK, error: rpc error: /,
    ],
    ["another plugin", (stored) => replaced(stored, ":test:", ":rest:"), "no matching prefix found"],
  ])("C-STO-07: refuses a damaged value: %s", async (_, damage, problem) => {
    const transformer = ofSecrets(await open());
    const stored = damage(Buffer.from(await transformer.toStorage(VALUE, PATH)));
    await expect((async () => transformer.fromStorage(stored, PATH))()).rejects.toThrow(problem);
  });
});

function flipped(stored: Buffer, at: number): Buffer {
  const copy = Buffer.from(stored);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const replaced = (stored: Buffer, from: string, to: string): Buffer =>
  Buffer.from(stored.toString("latin1").replace(from, to), "latin1");

describe("UND-6: KMS v1 encryption", () => {
  test("is refused without its feature gate", async () => {
    await expect(open({ apiVersion: "v1" })).rejects.toThrow(
      "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.",
    );
  });

  test("encrypts a key for each value, and caches the last decrypted ones", async () => {
    const transformers = await open({ apiVersion: "v1", cachesize: 1 }, true);
    const transformer = ofSecrets(transformers);
    const [one, two] = [await transformer.toStorage(VALUE, PATH), await transformer.toStorage(VALUE, PATH)];
    expect(Buffer.from(one).toString("latin1").startsWith("k8s:enc:kms:v1:test:")).toBe(true);
    expect(plugin.calls).toEqual(["Version", "Encrypt", "Encrypt"]);
    expect(await transformer.fromStorage(two, PATH)).toEqual({ value: VALUE, isStale: false });
    expect(count("Decrypt")).toBe(0);
    expect(await transformer.fromStorage(one, PATH)).toEqual({ value: VALUE, isStale: false });
    expect(count("Decrypt")).toBe(1);
    await expect(check(transformers)).resolves.toBeUndefined();
  });

  test("refuses a damaged value without a length", async () => {
    const transformer = ofSecrets(await open({ apiVersion: "v1" }, true));
    const stored = Buffer.from("k8s:enc:kms:v1:test:\0");
    await expect((async () => transformer.fromStorage(stored, PATH))()).rejects.toThrow(
      "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
    );
  });
});
