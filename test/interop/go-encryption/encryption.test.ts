import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import {
  type LoadedEncryption,
  loadEncryption,
  readConfigurationText,
} from "../../../src/cluster/encryption/load-encryption.js";
import { type KmsPlugin, startKmsPlugin } from "../../helpers/kms-plugin.js";

const { foreignClient } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: "go-encryption") => { readonly command?: readonly string[]; readonly missing?: string };
};
const { command, missing } = foreignClient("go-encryption");
if (missing !== undefined) process.stdout.write(`k8s.io/apiserver is not asked about encryption: ${missing}\n`);

interface Question {
  readonly file: string;
  readonly reload?: boolean;
  readonly group?: string;
  readonly resource?: string;
  readonly path?: string;
  readonly stored?: string;
  readonly value?: string;
}

interface Answer {
  readonly bytes: string | null;
  readonly stale: boolean;
  readonly error: string;
}

/** Asks k8s.io/apiserver. It works beside the test, whose plugin answers it. */
async function askGo(questions: readonly Question[]): Promise<readonly Answer[]> {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(command?.[0] ?? "", { maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end(`${input}\n`);
  });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
}

let folder: string;
let plugin: KmsPlugin;
let files = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "go-encryption-"));
  plugin = await startKmsPlugin(join(folder, "kms.sock"));
});
afterAll(async () => {
  await plugin.stop();
  rmSync(folder, { recursive: true });
});

/** A file with a configuration, or with this text. */
function fileOf(given: unknown): string {
  const file = join(folder, `${files++}.yaml`);
  const document = { kind: "EncryptionConfiguration", apiVersion: "apiserver.config.k8s.io/v1" };
  writeFileSync(file, typeof given === "string" ? given : JSON.stringify({ ...document, resources: given }));
  return file;
}

const load = async (file: string, reloads = false): Promise<LoadedEncryption> => {
  const options = { encryption: file, reloads, root: "/registry", kmsV1: false };
  const around = { clock: systemClock, timers: systemTimers, random: systemRandom, warn: () => {} };
  return loadEncryption(await readConfigurationText(file), options, around);
};

/** A scheme is named by the file that made it, whose path depends on how a program was built. */
const comparable = (error: string): string => error.replace(/ in scheme "[^"]*"/, "");

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const VALUE = Buffer.from("k8s\0 some bytes of an object");
const secret = (byte: number, length = 32): string => Buffer.alloc(length, byte).toString("base64");
const aes = (name: string, byte: number, length = 32) => ({ keys: [{ name, secret: secret(byte, length) }] });

/** What is encrypted, by which resource and group; "" for what is stored as it is. */
const SEEN = [
  ["secrets", "", "/registry/secrets/default/a"],
  ["configmaps", "", "/registry/configmaps/default/a"],
  ["events", "", "/registry/events/default/a"],
  ["deployments", "apps", "/registry/deployments/default/a"],
  ["jobs", "batch", "/registry/jobs/default/a"],
  ["pandas", "bears.example", "/registry/bears.example/pandas/default/a"],
  ["grizzlies", "bears.example", "/registry/bears.example/grizzlies/default/a"],
] as const;

describe.skipIf(missing !== undefined)("UND-6, C-STO-07: k8s.io/apiserver 0.36.3 and kubets", () => {
  const kms = () => ({ kms: { apiVersion: "v2", name: "test", endpoint: plugin.endpoint } });
  test.each<[string, () => readonly unknown[]]>([
    ["aescbc", () => [{ resources: ["*.*"], providers: [{ aescbc: aes("key1", 1) }] }]],
    [
      "aesgcm of 16 and 24 bytes",
      () => [
        { resources: ["*."], providers: [{ aesgcm: aes("a", 1, 16) }] },
        { resources: ["*.*"], providers: [{ aesgcm: aes("b", 2, 24) }] },
      ],
    ],
    ["secretbox", () => [{ resources: ["*.*"], providers: [{ secretbox: aes("key1", 1) }] }]],
    ["KMS v2", () => [{ resources: ["*.*"], providers: [kms()] }]],
    [
      "wildcards",
      () => [
        { resources: ["events"], providers: [{ identity: {} }] },
        { resources: ["secrets", "pandas.bears.example"], providers: [{ aesgcm: aes("named", 1) }] },
        { resources: ["*.apps"], providers: [{ secretbox: aes("apps", 2) }] },
        { resources: ["*."], providers: [kms()] },
        { resources: ["*.*"], providers: [{ aescbc: aes("all", 3) }] },
      ],
    ],
  ])("read what the other has encrypted: %s", async (_, resources) => {
    const file = fileOf(resources());
    const { transformers, keys } = await load(file);
    try {
      const written = await askGo(
        SEEN.map(([resource, group, path]) => ({ file, group, resource, path, value: base64(VALUE) })),
      );
      for (const [index, [, , path]] of SEEN.entries()) {
        const { bytes, error } = written[index] as Answer;
        expect(error).toBe("");
        const read = await keys.of(path)?.fromStorage(Buffer.from(bytes ?? "", "base64"), path);
        expect([path, Buffer.from(read?.value ?? []).toString(), read?.isStale]).toEqual([
          path,
          VALUE.toString(),
          false,
        ]);
      }
      const questions: Question[] = [];
      for (const [resource, group, path] of SEEN) {
        const stored = await keys.of(path)?.toStorage(VALUE, path);
        // Both choose the same provider and key.
        const prefix = (text: Uint8Array): string =>
          Buffer.from(text).toString("latin1").split(":").slice(0, -1).slice(0, 5).join(":");
        const theirs = Buffer.from(written[questions.length]?.bytes ?? "", "base64");
        expect([path, prefix(stored ?? VALUE).slice(0, 20)]).toEqual([path, prefix(theirs).slice(0, 20)]);
        questions.push({ file, group, resource, path, stored: base64(stored ?? VALUE) });
      }
      for (const [index, { bytes, stale, error }] of (await askGo(questions)).entries()) {
        expect([SEEN[index]?.[2], error, stale, bytes]).toEqual([SEEN[index]?.[2], "", false, base64(VALUE)]);
      }
    } finally {
      transformers.close();
    }
  });

  test("both treat values under an old key of the KMS plugin as stale", async () => {
    const file = fileOf([{ resources: ["secrets"], providers: [kms()] }]);
    const path = "/registry/secrets/default/a";
    const [{ bytes } = { bytes: "" }] = await askGo([{ file, resource: "secrets", path, value: base64(VALUE) }]);
    plugin.keyId = "key-2";
    const { transformers, keys } = await load(file);
    const read = await keys.of(path)?.fromStorage(Buffer.from(bytes ?? "", "base64"), path);
    transformers.close();
    const [theirs] = await askGo([{ file, resource: "secrets", path, stored: bytes ?? "" }]);
    expect([read?.isStale, theirs?.stale]).toEqual([true, true]);
  });

  const good = [{ aescbc: aes("key1", 1) }];
  const entry = (...resources: readonly string[]) => [{ resources, providers: good }];
  const of = (provider: unknown) => [{ resources: ["secrets"], providers: [provider] }];
  test.each<[string, unknown, boolean?]>([
    ["no document", "{"],
    ["no YAML", "a: [b"],
    ["no kind", "apiVersion: apiserver.config.k8s.io/v1\n"],
    ["another kind", "kind: Secret\napiVersion: v1\n"],
    ["an older version", "kind: EncryptionConfig\napiVersion: v1\n"],
    [
      "an unknown field",
      "kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: [{pandas: 1}]\n",
    ],
    [
      "a number for a name",
      "kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: [{resources: [1]}]\n",
    ],
    ["nothing", ""],
    ["no resources", []],
    ["an empty entry", [{}]],
    ["no providers", [{ resources: ["secrets"], providers: [] }]],
    ["a capital letter", entry("Secrets")],
    ["a star", entry("*")],
    ["addresses", entry("serviceipallocations")],
    ["events of the other group", entry("events.events.k8s.io")],
    ["a group that is gone", entry("ingresses.extensions")],
    ["all groups", entry("secrets.*")],
    ["a resource twice", entry("secrets", "secrets")],
    ["a group beside its resource", entry("secrets", "*.")],
    ["everything beside a resource", entry("secrets", "*.*")],
    ["a group that hides a resource", [...entry("*."), ...entry("secrets")]],
    ["everything that hides a group", [...entry("*.*"), ...entry("*.apps")]],
    ["everything that hides the core group", [...entry("*.*"), ...entry("*.")]],
    ["no provider in a provider", of({})],
    ["no keys", of({ aesgcm: { keys: [] } })],
    ["no name", of({ aescbc: { keys: [{ name: "", secret: secret(1) }] } })],
    ["no secret", of({ aescbc: { keys: [{ name: "key1", secret: "" }] } })],
    ["no base64", of({ aescbc: { keys: [{ name: "key1", secret: "!" }] } })],
    ["a short secret", of({ aesgcm: { keys: [{ name: "key1", secret: "c2hvcnQ=" }] } })],
    ["a secretbox of 16 bytes", of({ secretbox: aes("key1", 1, 16) })],
    ["a plugin of nothing", of({ kms: {} })],
    ["a plugin behind TCP", of({ kms: { apiVersion: "v2", name: "a", endpoint: "tcp://localhost:1" } })],
    ["a plugin behind nothing", of({ kms: { apiVersion: "v2", name: "a", endpoint: "/run/kms.sock" } })],
    ["a colon", of({ kms: { apiVersion: "v2", name: "a:b", endpoint: "unix:///a" } })],
    ["a cache of v2", of({ kms: { apiVersion: "v2", name: "a", endpoint: "unix:///a", cachesize: 5 } })],
    ["a cache of nothing", of({ kms: { apiVersion: "v1", name: "a", endpoint: "unix:///a", cachesize: 0 } })],
    ["no time", of({ kms: { apiVersion: "v2", name: "a", endpoint: "unix:///a", timeout: "0s" } })],
    ["time before", of({ kms: { apiVersion: "v2", name: "a", endpoint: "unix:///a", timeout: "-1s" } })],
    ["another version", of({ kms: { apiVersion: "v3", name: "a", endpoint: "unix:///a" } })],
    ["v1 without its gate", of({ kms: { name: "a", endpoint: "unix:///a" } })],
    [
      "a name twice",
      [
        ...of({ kms: { apiVersion: "v1", name: "a", endpoint: "unix:///a" } }),
        ...of({ kms: { apiVersion: "v2", name: "a", endpoint: "unix:///a" } }),
      ],
    ],
    [
      "a name of v1 twice, of a file that is read again",
      ["secrets", "configmaps"].map((resource) => ({
        resources: [resource],
        providers: [{ kms: { apiVersion: "v1", name: "a", endpoint: "unix:///a" } }],
      })),
      true,
    ],
  ])("refuse an encryption configuration with %s in the same words", async (_, given, reload = false) => {
    const file = fileOf(given);
    const [theirs] = await askGo([{ file, reload }]);
    expect(theirs?.error).not.toBe("");
    const ours = await load(file, reload).then(
      () => "",
      (error: unknown) => (error as Error).message,
    );
    expect(comparable(ours.replace(` (in ${JSON.stringify(file)})`, ""))).toBe(comparable(theirs?.error ?? ""));
  });
});
