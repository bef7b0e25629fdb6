import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { protobufSerializer } from "../../../src/server/endpoints/serializers/protobuf/serializer.js";
import { aesGcm } from "../../../src/server/storage/encryption/aes.js";
import { runCli } from "../../helpers/run-cli.js";

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "nginx", resources: {} }] },
  status: {},
};
const YAML = `apiVersion: v1
kind: Pod
metadata:
  labels:
    app: web
  name: web
  namespace: default
spec:
  containers:
  - image: nginx
    name: web
    resources: {}
status: {}
`;
const schema = allScheme().kind({ group: "", version: "v1", kind: "Pod" }).schema;
const protobuf = Buffer.from(protobufSerializer.storage?.encode(POD, schema) ?? []);
const json = Buffer.from(JSON.stringify(POD));

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "decode-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Decodes a file with these bytes. */
const decode = (bytes: string | Uint8Array, ...args: string[]) => {
  writeFileSync(join(folder, "value"), bytes);
  return runCli(["decode", "value", ...args], { program: "kubets", cwd: folder });
};

describe("COD-11: kubets decode prints a stored value", () => {
  const NAMED = "/registry/pods/default/web\n";
  test.each<[string, string | Uint8Array]>([
    ["protobuf", protobuf],
    ["protobuf with the newline of etcdctl", Buffer.concat([protobuf, Buffer.from("\n")])],
    ["protobuf below its key", Buffer.concat([Buffer.from(NAMED), protobuf, Buffer.from("\n")])],
    ["JSON", json],
    ["JSON below its key", NAMED + json.toString()],
    ["protobuf in base64", `${protobuf.toString("base64")}\n`],
    ["protobuf as psql prints it", `\\x${protobuf.toString("hex")}\n`],
    ["JSON as sqlite3 quotes it", `X'${json.toString("hex").toUpperCase()}'\n`],
    ["the YAML of a file", `# kubets: expires 2030-01-01T00:00:00Z\n${YAML}`],
  ])("of %s as YAML", async (_, bytes) => {
    const { code, stdout, stderr } = await decode(bytes);
    expect(stderr).toBe("");
    expect(stdout).toBe(YAML);
    expect(code).toBe(0);
  });

  test("from stdin as JSON", async () => {
    const { stdout } = await runCli(["decode", "-o", "json"], { program: "kubets", stdin: json.toString() });
    expect(stdout).toMatch(/^\{\n {4}"apiVersion": "v1",\n/);
    expect(JSON.parse(stdout)).toEqual(POD);
  });

  test("of a custom kind with the fields that it has", async () => {
    const crontab = { apiVersion: "stable.example.com/v1", kind: "CronTab", metadata: { name: "a" }, spec: { big: 1 } };
    const { stdout } = await decode(JSON.stringify(crontab), "-ojson");
    expect(JSON.parse(stdout)).toEqual(crontab);
  });
});

describe("kubets decode refuses, with exit code 1,", () => {
  const widget = Buffer.concat([
    Buffer.from("k8s\0"),
    Buffer.from([0x0a, 0x10, 0x0a, 0x06]),
    Buffer.from("a.b/v1"),
    Buffer.from([0x12, 0x06]),
    Buffer.from("Widget"),
    Buffer.from([0x12, 0x00]),
  ]);
  test.each<[string, string | Uint8Array, string]>([
    ["an empty value", "", "the value is empty"],
    ["bytes", Buffer.from([1, 2, 0xff, 0xfe]), "4 bytes that begin with 01 02 ff fe"],
    ["a word", "hello", 'the value is no object: it is 5 bytes that begin with "hello"'],
    [
      "JSON that ends early",
      '{"apiVersion":"v1","kind":"Pod"',
      "the value is JSON that cannot be read: unexpected end of JSON input",
    ],
    ["JSON without a kind", '{"apiVersion":"v1"}', "the value is JSON without kind; a stored object says its kind"],
    ["protobuf that ends early", protobuf.subarray(0, -20), "the value is protobuf that cannot be read: "],
    [
      "protobuf of an unknown kind",
      widget,
      "the value is protobuf of a.b/v1 Widget, which is no kind of Kubernetes 1.36: the names of its fields are not known",
    ],
    [
      "an encrypted value",
      "k8s:enc:aescbc:v1:key1:\u0001\u0002",
      "the value is encrypted (aescbc:v1:key1): give the file with its key by --encryption-provider-config",
    ],
  ])("%s", async (_, bytes, message) => {
    const { code, stdout, stderr } = await decode(bytes);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  test("a file that does not exist, and an unknown format", async () => {
    const missing = await runCli(["decode", "missing"], { program: "kubets", cwd: folder });
    expect(missing).toMatchObject({ code: 1, stderr: "error: open missing: no such file or directory\n" });
    const format = await decode(json, "-otable");
    expect(format.stderr).toContain('error: invalid value "table" for --output: use yaml, json, protobuf\n');
    expect(format.code).toBe(1);
  });
});

describe("UND-6: kubets decode and an encrypted value", () => {
  const secret = Buffer.alloc(32, 7).toString("base64");
  const resources = [{ resources: ["pods"], providers: [{ aesgcm: { keys: [{ name: "key1", secret }] } }] }];
  const configuration = { kind: "EncryptionConfiguration", apiVersion: "apiserver.config.k8s.io/v1", resources };
  const KEY = "/registry/pods/default/web";
  const WITH = "--encryption-provider-config=encryption.json";
  const stored = aesGcm(Buffer.from(secret, "base64"), systemRandom).toStorage(protobuf, KEY);
  const encrypted = Buffer.concat([Buffer.from("k8s:enc:aesgcm:v1:key1:"), stored]);
  beforeAll(() => writeFileSync(join(folder, "encryption.json"), JSON.stringify(configuration)));

  test.each<[string, string | Uint8Array, readonly string[]]>([
    ["below its key", Buffer.concat([Buffer.from(`${KEY}\n`), encrypted, Buffer.from("\n")]), []],
    ["beside its key", encrypted, [`--key=${KEY}`]],
    ["in base64", encrypted.toString("base64"), [`--key=${KEY}`]],
    ["that is not encrypted after all", protobuf, []],
  ])("decrypts one %s", async (_, bytes, more) => {
    const { code, stdout, stderr } = await decode(bytes, WITH, ...more);
    expect([stderr, stdout, code]).toEqual(["", YAML, 0]);
  });

  test.each<[string, readonly string[], string]>([
    [
      "without its key",
      [WITH],
      "the value cannot be decrypted: cipher: message authentication failed; the key that it was stored under may be missing: give it by --key",
    ],
    [
      "with another key",
      [WITH, "--key=/registry/pods/default/other"],
      "the value cannot be decrypted: cipher: message authentication failed",
    ],
    [
      "with a file that is not there",
      ["--encryption-provider-config=none"],
      "error while loading file: error reading encryption provider configuration file",
    ],
  ])("refuses one %s", async (_, more, message) => {
    const { code, stdout, stderr } = await decode(encrypted, ...more);
    expect(stderr).toContain(message);
    expect([stdout, code]).toEqual(["", 1]);
  });
});
