import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import { type EncryptionConfiguration, type Kv, registerStorage } from "../../../src/cluster/server.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { asUser } from "../../helpers/as-user.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { startKmsPlugin } from "../../helpers/kms-plugin.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { replaceFile } from "../../helpers/replace-file.js";
import { lend } from "../../model/lent-kv.js";

/** A store of the memory that outlives servers, and shows what they stored. */
const shelf = new Map<string, Kv>();
registerStorage("encrypted-shelf", {
  isShared: true,
  open: async (url, { clock, timers }) => {
    const kept = shelf.get(url) ?? openMemoryKv({ clock, timers });
    shelf.set(url, kept);
    return lend(kept);
  },
});

const secretOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");
const aesgcm = (...names: readonly string[]) => ({
  aesgcm: { keys: names.map((name) => ({ name, secret: secretOf(name.charCodeAt(name.length - 1)) })) },
});
const encrypts = (
  providers: EncryptionConfiguration["resources"][number]["providers"],
  resources: readonly string[] = ["secrets"],
): EncryptionConfiguration => ({ resources: [{ resources, providers }] });

const SECRETS = "/api/v1/namespaces/default/secrets";
const KEY = "/registry/secrets/default/";
const secret = (name: string, text = "a text that nobody may read") => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  stringData: { text },
});

let folder: string;
let url: `encrypted-shelf:${string}`;
const clusters: Cluster[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "encryption-"));
  url = `encrypted-shelf:${folder}`;
});
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.close()));
  rmSync(folder, { recursive: true });
});

async function start(options: ClusterOptions): Promise<Cluster> {
  const cluster = await startCluster({ controllers: false, scheduler: false, port: false, storage: url, ...options });
  clusters.push(cluster);
  return cluster;
}

async function close(cluster: Cluster): Promise<void> {
  clusters.splice(clusters.indexOf(cluster), 1);
  await cluster.close();
}

const requests = (cluster: Cluster) => {
  const transport = cluster.transport();
  return (method: string, path: string, body?: unknown, type?: string): Promise<Answer> =>
    call(transport, method, path, body, type === undefined ? {} : { type });
};

const messageOf = (answer: Answer): string => answer.at("message") as string;

const kvOf = (): Kv => {
  const kv = shelf.get(url);
  if (kv === undefined) throw new Error("nothing was opened");
  return kv;
};
const storedText = async (name: string): Promise<string> =>
  Buffer.from((await kvOf().get(KEY + name)).kv?.value ?? []).toString("latin1");

async function put(key: string, value: string | Uint8Array): Promise<void> {
  const { kv } = await kvOf().get(key);
  const bytes = Buffer.from(value as string);
  if (kv === undefined) await kvOf().create(key, bytes);
  else await kvOf().update(key, bytes, kv.revision);
}

describe("C-STO-07, UND-6: a server with an EncryptionConfiguration", () => {
  test("encrypts the configured resources in its storage, and reads them as before", async () => {
    const cluster = await start({ encryption: encrypts([aesgcm("key1"), { identity: {} }]) });
    const send = requests(cluster);
    expect((await send("POST", SECRETS, secret("a"))).status).toBe(201);
    await send("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "open" }, data: { a: "b" } });
    expect(await storedText("a")).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    expect(await storedText("a")).not.toContain("nobody");
    const { kv: open } = await kvOf().get("/registry/configmaps/default/open");
    expect(Buffer.from(open?.value ?? []).toString()).toContain('"a":"b"');
    expect((await send("GET", `${SECRETS}/a`)).at("data.text")).toBe(
      Buffer.from(secret("a").stringData.text).toString("base64"),
    );
    expect((await send("GET", SECRETS)).at("items.0.metadata.name")).toBe("a");
  });

  test.each([{ watchCache: true }, { watchCache: false }])(
    "sends watches decrypted objects and changes (%j)",
    async (options) => {
      const cluster = await start({ ...options, encryption: encrypts([{ secretbox: aesgcm("key1").aesgcm }]) });
      const send = requests(cluster);
      const version = (await send("GET", SECRETS)).at("metadata.resourceVersion");
      await send("POST", SECRETS, secret("a"));
      await send("PATCH", `${SECRETS}/a`, { metadata: { labels: { a: "b" } } }, "application/merge-patch+json");
      await send("DELETE", `${SECRETS}/a`);
      const watch = await send("GET", `${SECRETS}?watch=true&timeoutSeconds=1&resourceVersion=${version as string}`);
      const types = watch.text
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { type: string }).type);
      expect(types).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    },
  );

  test("encrypts by wildcards custom resources too, but none of its internal keys", async () => {
    const cluster = await start({ encryption: encrypts([aesgcm("key1")], ["*.*"]) });
    const send = requests(cluster);
    const names = { plural: "pandas", singular: "panda", kind: "Panda", listKind: "PandaList" };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "pandas.bears.example" },
      spec: {
        group: "bears.example",
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const pandas = "/apis/bears.example/v1/namespaces/default/pandas";
    await eventually(async () => {
      const panda = { apiVersion: "bears.example/v1", kind: "Panda", metadata: { name: "bao" } };
      expect((await send("POST", pandas, panda)).status).toBe(201);
    });
    expect((await send("GET", `${pandas}/bao`)).status).toBe(200);
    const { items } = await kvOf().list("");
    const plain = items.filter(
      ({ value }) => !Buffer.from(value).toString("latin1").startsWith("k8s:enc:aesgcm:v1:key1:"),
    );
    expect(plain.map(({ key }) => key.split("/")[2]).filter((part) => part !== "ranges")).toEqual([
      "kubets-schema-epochs",
    ]);
    expect(items.some(({ key }) => key === "/registry/bears.example/pandas/default/bao")).toBe(true);
  });
});

describe("UND-6: changing the encryption keys of a server", () => {
  test("stores an object with the first key at a write that changes nothing", async () => {
    const first = await start({ encryption: encrypts([aesgcm("key1")]) });
    await requests(first)("POST", SECRETS, secret("a"));
    await close(first);
    const second = await start({ encryption: encrypts([aesgcm("key2", "key1")]) });
    const send = requests(second);
    const read = await send("GET", `${SECRETS}/a`);
    const written = await send("PUT", `${SECRETS}/a`, JSON.parse(read.text));
    expect(written.status).toBe(200);
    expect(written.at("metadata.resourceVersion")).not.toBe(read.at("metadata.resourceVersion"));
    expect(await storedText("a")).toMatch(/^k8s:enc:aesgcm:v1:key2:/);
    const again = await send("PUT", `${SECRETS}/a`, JSON.parse(written.text));
    expect(again.at("metadata.resourceVersion")).toBe(written.at("metadata.resourceVersion"));
  });

  test("by a file that it follows causes no errors under load", async () => {
    const file = join(folder, "encryption.yaml");
    const write = (...names: readonly string[]): void =>
      replaceFile(
        file,
        JSON.stringify({
          kind: "EncryptionConfiguration",
          apiVersion: "apiserver.config.k8s.io/v1",
          ...encrypts([aesgcm(...names), { identity: {} }]),
        }),
      );
    write("key1");
    const errors: unknown[] = [];
    const cluster = await start({ encryption: file, encryptionReload: true, onError: (error) => errors.push(error) });
    const send = requests(cluster);
    let isOver = false;
    const answers = new Map<number, number>();
    const load = async (worker: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const name = `w${worker}-${n % 5}`;
        for (const answer of [
          await send("POST", SECRETS, secret(name)),
          await send("GET", `${SECRETS}/${name}`),
          await send("GET", SECRETS),
          await send(
            "PATCH",
            `${SECRETS}/${name}`,
            { metadata: { labels: { n: String(n) } } },
            "application/merge-patch+json",
          ),
        ]) {
          answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
        }
      }
    };
    const workers = [0, 1, 2, 3].map(load);
    for (const [names, first] of [
      [["key1", "key2"], "key1"],
      [["key2", "key1"], "key2"],
      [["key3", "key2", "key1"], "key3"],
    ] as const) {
      write(...names);
      await eventually(async () => {
        await send(
          "PATCH",
          `${SECRETS}/w0-0`,
          { metadata: { annotations: { first } } },
          "application/merge-patch+json",
        );
        expect(await storedText("w0-0")).toContain(`:${first}:`);
      });
    }
    isOver = true;
    await Promise.all(workers);
    expect([...answers.keys()].filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    expect(errors).toEqual([]);
  });
});

describe("UND-6: an invalid EncryptionConfiguration file", () => {
  const write = (text: string): string => {
    const file = join(folder, "encryption.yaml");
    replaceFile(file, text);
    return file;
  };
  const document = (configuration: EncryptionConfiguration): string =>
    JSON.stringify({ kind: "EncryptionConfiguration", apiVersion: "apiserver.config.k8s.io/v1", ...configuration });

  test.each<[string, string, string]>([
    ["is empty", "", "error while parsing file: error while loading file: encryption provider configuration file "],
    ["is no document", "{", "error while parsing file: error decoding encryption provider configuration file "],
    ["is of another kind", '{"kind":"Secret","apiVersion":"v1"}', 'no kind "Secret" is registered for version "v1"'],
    [
      "has a key that is too short",
      document(encrypts([{ aescbc: { keys: [{ name: "key1", secret: "c2hvcnQ=" }] } }])),
      'error while parsing file: resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 5, expected one of [16 24 32] (in ',
    ],
    [
      "hides an entry",
      document({
        resources: [
          { resources: ["*."], providers: [{ identity: {} }] },
          { resources: ["secrets"], providers: [{ identity: {} }] },
        ],
      }),
      'error while building transformers: resource "secrets" is masked by earlier rule "*." (in ',
    ],
  ])("stops the start when it %s", async (_, text, problem) => {
    const file = write(text);
    const started = start({ encryption: file });
    await expect(started).rejects.toThrow(problem);
    await expect(started).rejects.toThrow(file);
  });

  test("stops the start when it does not exist", async () => {
    await expect(start({ encryption: join(folder, "none") })).rejects.toThrow("no such file or directory");
  });

  test("does not change a running server that follows it, and is reported once", async () => {
    const errors: string[] = [];
    const file = write(document(encrypts([aesgcm("key1")])));
    const cluster = await start({
      encryption: file,
      encryptionReload: true,
      onError: (error) => errors.push(String(error)),
    });
    const send = requests(cluster);
    await send("POST", SECRETS, secret("a"));
    write(document(encrypts([])));
    await eventually(() => expect(errors).toHaveLength(1));
    expect(errors[0]).toContain(
      `error processing encryption config file ${file}: error while parsing file: resources[0].providers: Required value`,
    );
    write(document(encrypts([aesgcm("key9")])));
    await eventually(() => expect(errors).toHaveLength(2));
    expect(errors[1]).toContain(
      `none of the providers of secrets reads the value of "${KEY}a", which provider aesgcm (v1) has encrypted with key "key1"`,
    );
    expect((await send("GET", `${SECRETS}/a`)).status).toBe(200);
    await send("POST", SECRETS, secret("b"));
    expect(await storedText("b")).toContain("aesgcm:v1:key1:");
  });
});

describe("UND-6: a stored object that the server cannot decrypt or decode", () => {
  test("because no provider has its key stops the start with an error that names resource, key and key name", async () => {
    const first = await start({ encryption: encrypts([aesgcm("key1")]) });
    await requests(first)("POST", SECRETS, secret("a"));
    await close(first);
    await expect(start({ encryption: encrypts([aesgcm("key2"), { identity: {} }]) })).rejects.toThrow(
      `none of the providers of secrets reads the value of "${KEY}a", which provider aesgcm (v1) has encrypted with key "key1": no matching key was found for the provided AES transformer`,
    );
    const sameName = { aesgcm: { keys: [{ name: "key1", secret: secretOf(0) }] } };
    await expect(start({ encryption: encrypts([sameName]) })).rejects.toThrow(
      'with key "key1": cipher: message authentication failed',
    );
    await expect(
      start({ encryption: encrypts([aesgcm("key1"), { identity: {} }], ["configmaps"]) }),
    ).resolves.toBeDefined();
  });

  test("because it is not encrypted stops the start when there is no identity provider", async () => {
    const first = await start({});
    await requests(first)("POST", SECRETS, secret("a"));
    await close(first);
    await expect(start({ encryption: encrypts([aesgcm("key1")]) })).rejects.toThrow(
      `none of the providers of secrets reads the value of "${KEY}a", which is stored as it is (provider identity): no matching prefix found`,
    );
  });

  test("when encryption is not configured is an error that names the key", async () => {
    const first = await start({ encryption: encrypts([aesgcm("key1")]) });
    await requests(first)("POST", SECRETS, secret("a"));
    await close(first);
    const send = requests(await start({}));
    const problem = `Internal error occurred: unable to transform key "${KEY}a": identity transformer tried to read encrypted data`;
    for (const path of [`${SECRETS}/a`, SECRETS]) {
      const answer = await send("GET", path);
      expect([answer.status, answer.at("message")]).toEqual([500, problem]);
    }
    expect((await send("PUT", `${SECRETS}/a`, secret("a"))).status).toBe(500);
    expect((await send("DELETE", `${SECRETS}/a`)).status).toBe(500);
    expect(await storedText("a")).toContain("k8s:enc:aesgcm:v1:key1:");
  });

  test.each([{ watchCache: true }, { watchCache: false }])(
    "makes requests for it fail, and is never overwritten (%j)",
    async (options) => {
      const gates = { AllowUnsafeMalformedObjectDeletion: false };
      const cluster = await start({ ...options, featureGates: gates, encryption: encrypts([aesgcm("key1")]) });
      const send = requests(cluster);
      await send("POST", SECRETS, secret("a"));
      await send("POST", SECRETS, secret("b"));
      const damaged = Buffer.from((await kvOf().get(`${KEY}a`)).kv?.value ?? []);
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
      await put(`${KEY}a`, damaged);
      const problem = `Internal error occurred: unable to transform key "${KEY}a": cipher: message authentication failed`;
      for (const [method, path, body] of [
        ["GET", `${SECRETS}/a`],
        ["GET", SECRETS],
        ["GET", `${SECRETS}?limit=1`],
        ["GET", "/api/v1/secrets"],
        ["PUT", `${SECRETS}/a`, secret("a")],
        ["PATCH", `${SECRETS}/a`, { metadata: { labels: { a: "b" } } }],
        ["DELETE", `${SECRETS}/a`],
        ["DELETE", SECRETS],
        ["DELETE", `${SECRETS}/a?ignoreStoreReadErrorWithClusterBreakingPotential=true`],
      ] as const) {
        const answer = await send(method, path, body, method === "PATCH" ? "application/merge-patch+json" : undefined);
        expect([method, path, answer.status, answer.at("message")]).toEqual([method, path, 500, problem]);
      }
      expect((await send("POST", SECRETS, secret("a"))).status).toBe(409);
      expect((await send("GET", `${SECRETS}/b`)).status).toBe(200);
      expect(Buffer.from((await kvOf().get(`${KEY}a`)).kv?.value ?? []).equals(damaged)).toBe(true);
    },
  );

  test("holds up the deletion of its namespace", async () => {
    const cluster = await start({ ...quietCluster, encryption: encrypts([aesgcm("key1")]) });
    const send = requests(cluster);
    await send("POST", "/api/v1/namespaces", { metadata: { name: "going" } });
    await send("POST", "/api/v1/namespaces/going/secrets", secret("a"));
    await put("/registry/secrets/going/a", "k8s:enc:aesgcm:v1:key1:nothing of it");
    await send("DELETE", "/api/v1/namespaces/going");
    await eventually(async () => {
      const { text } = await send("GET", "/api/v1/namespaces/going");
      expect(text).toContain("unable to transform key");
    });
    expect((await kvOf().get("/registry/secrets/going/a")).kv).toBeDefined();
  });

  test("because it is not an object is an error that names the key", async () => {
    const cluster = await start({});
    const send = requests(cluster);
    await send("POST", SECRETS, secret("a"));
    await put(`${KEY}a`, '{"kind":"Secret","apiVersion":"v1","metadata":{"name":');
    for (const path of [`${SECRETS}/a`, SECRETS]) {
      const answer = await send("GET", path);
      expect([answer.status, messageOf(answer)]).toEqual([
        500,
        expect.stringContaining(`unable to decode key "${KEY}a": `),
      ]);
    }
  });
});

describe("UND-6: deleting with ignoreStoreReadErrorWithClusterBreakingPotential", () => {
  const OPTIONS = { kind: "DeleteOptions", apiVersion: "v1", ignoreStoreReadErrorWithClusterBreakingPotential: true };
  const open = async () => {
    const cluster = await start({
      encryption: encrypts([aesgcm("key1")]),
      featureGates: { AllowUnsafeMalformedObjectDeletion: true },
    });
    const send = requests(cluster);
    await send("POST", SECRETS, { ...secret("a"), metadata: { name: "a", finalizers: ["example.com/keep"] } });
    await send("POST", SECRETS, secret("b"));
    return { cluster, send };
  };
  const damage = () => put(`${KEY}a`, "k8s:enc:aesgcm:v1:key1:nothing of it");

  test("removes an unreadable object in spite of its finalizers, and watches get the deletion", async () => {
    const { send } = await open();
    const version = (await send("GET", SECRETS)).at("metadata.resourceVersion") as string;
    await damage();
    const list = await send("GET", SECRETS);
    expect(list.at("reason")).toBe("StoreReadError");
    expect(list.at("message")).toMatch(
      /^failed to read one or more secrets from the storage: StorageError: corrupt object, Code: 7, Key: \/registry\/secrets\/default\/a, /,
    );
    expect(list.at("details.causes.0.field")).toBe(`${KEY}a`);
    const dryRun = await send("DELETE", `${SECRETS}/a`, { ...OPTIONS, dryRun: ["All"] });
    expect(dryRun.status).toBe(200);
    expect((await kvOf().get(`${KEY}a`)).kv).toBeDefined();
    const deleted = await send("DELETE", `${SECRETS}/a`, OPTIONS);
    expect([deleted.status, deleted.at("status"), deleted.at("details.kind")]).toEqual([200, "Success", "Secret"]);
    expect((await send("GET", SECRETS)).at("items.0.metadata.name")).toBe("b");
    expect((await send("GET", `${SECRETS}/a`)).status).toBe(404);
    const watch = await send("GET", `${SECRETS}?watch=true&timeoutSeconds=1&resourceVersion=${version}`);
    expect(watch.text).toMatch(/^\{"type":"DELETED"/);
  });

  test("never removes an object that can be read", async () => {
    const { send } = await open();
    const refused = await send("DELETE", `${SECRETS}/a`, OPTIONS);
    expect([refused.status, messageOf(refused)]).toEqual([
      409,
      expect.stringContaining("unsafe deletion is not allowed because the object is decodable from storage"),
    ]);
    expect((await send("DELETE", `${SECRETS}/none`, OPTIONS)).status).toBe(404);
  });

  test.each([
    ["1.36", undefined, 500],
    ["1.37", undefined, 200],
    ["1.37", false, 500],
  ] as const)("K37-107: in %s with the feature gate set to %s answers %i", async (kubernetesVersion, gate, status) => {
    const featureGates = gate === undefined ? {} : { featureGates: { AllowUnsafeMalformedObjectDeletion: gate } };
    const cluster = await start({ kubernetesVersion, ...featureGates, encryption: encrypts([aesgcm("key1")]) });
    const send = requests(cluster);
    await send("POST", SECRETS, secret("a"));
    await damage();
    const dryRun = await send("DELETE", `${SECRETS}/a`, { ...OPTIONS, dryRun: ["All"] });
    expect(dryRun.status).toBe(status);
    const deleted = await send("DELETE", `${SECRETS}/a`, OPTIONS);
    expect(deleted.status, deleted.text).toBe(status);
  });

  test("needs a special right of the user", async () => {
    const { cluster, send } = await open();
    await damage();
    const rule = (verbs: readonly string[]) => ({
      metadata: { name: "jane", namespace: "default" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs }],
    });
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await send("POST", `${roles}/roles`, rule(["delete", "get", "list"]));
    await send("POST", `${roles}/rolebindings`, {
      metadata: { name: "jane" },
      subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
      roleRef: { kind: "Role", name: "jane", apiGroup: "rbac.authorization.k8s.io" },
    });
    const jane = asUser(cluster.transport(), "jane");
    await eventually(async () => {
      const refused = await jane("DELETE", `${SECRETS}/a`, OPTIONS);
      expect(refused.status).toBe(403);
      expect(messageOf(refused)).toContain('not permitted to do "unsafe-delete-ignore-read-errors", reason: ');
    });
    await send("PUT", `${roles}/roles/jane`, rule(["delete", "unsafe-delete-ignore-read-errors"]));
    await eventually(async () => expect((await jane("DELETE", `${SECRETS}/a`, OPTIONS)).status).toBe(200));
  });

  test("cannot be combined with other options, nor used for a collection", async () => {
    const { send } = await open();
    const both = await send("DELETE", `${SECRETS}/a`, {
      ...OPTIONS,
      gracePeriodSeconds: 1,
      propagationPolicy: "Orphan",
    });
    expect(both.status).toBe(422);
    expect(messageOf(both)).toContain("cannot be set together with .propagationPolicy");
    const all = await send("DELETE", SECRETS, OPTIONS);
    expect([all.status, messageOf(all)]).toEqual([
      422,
      expect.stringContaining("is not allowed with DELETECOLLECTION, try again after removing the option"),
    ]);
  });
});

describe("UND-6: a KMS v2 plugin", () => {
  test("encrypts for a server, whose health check fails while the plugin is away", async () => {
    const plugin = await startKmsPlugin(join(folder, "kms.sock"));
    try {
      const kms = { apiVersion: "v2", name: "test", endpoint: plugin.endpoint, timeout: "1s" };
      const cluster = await start({ encryption: encrypts([{ kms }]) });
      const send = requests(cluster);
      expect((await send("POST", SECRETS, secret("a"))).status).toBe(201);
      expect(await storedText("a")).toMatch(/^k8s:enc:kms:v2:test:/);
      for (const root of ["healthz", "readyz"]) expect((await send("GET", `/${root}/kms-providers`)).status).toBe(200);
      expect((await send("GET", "/livez/kms-providers")).status).toBe(404);
      await close(cluster);
      await plugin.stop();
      // The seed of the next start is not there, and what is stored cannot be decrypted: the server starts, and waits.
      const later = requests(await start({ encryption: encrypts([{ kms }]) }));
      expect((await later("GET", "/healthz/kms-providers")).status).toBe(500);
      expect((await later("GET", `${SECRETS}/a`)).status).toBe(500);
      expect((await later("POST", SECRETS, secret("b"))).status).toBe(500);
      expect((await later("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } })).status).toBe(
        201,
      );
    } finally {
      await plugin.stop();
    }
  });
});

test("a running server does not read its EncryptionConfiguration again unless it was told to follow the file", async () => {
  const file = join(folder, "encryption.json");
  const write = (name: string): void =>
    writeFileSync(
      file,
      JSON.stringify({
        kind: "EncryptionConfiguration",
        apiVersion: "apiserver.config.k8s.io/v1",
        ...encrypts([aesgcm(name)]),
      }),
    );
  write("key1");
  const send = requests(await start({ encryption: file }));
  write("key2");
  await send("POST", SECRETS, secret("a"));
  expect(await storedText("a")).toContain(":key1:");
  expect(readFileSync(file, "utf8")).toContain("key2");
});
