import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type CliResult, runCli } from "../../helpers/run-cli.js";

const A = `apiVersion: v1
clusters:
- cluster:
    certificate-authority: sub/ca.crt
    server: https://127.0.0.1:1
  name: a
contexts:
- context:
    cluster: a
    user: u
  name: a
kind: Config
users:
- name: u
  user:
    token: secret
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-config-"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "sub/ca.crt"), "cert\n");
  writeFileSync(join(folder, "a.yaml"), A);
});

const config = (line: string, kubeconfig = "a.yaml"): Promise<CliResult> =>
  runCli(["config", ...line.split(" ")], { cwd: folder, env: { HOME: folder, KUBECONFIG: kubeconfig } });

const read = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("the file that a command writes", () => {
  test("an entry is changed in the file it came from, a new one goes to the first file that exists", async () => {
    writeFileSync(join(folder, "b.yaml"), "clusters: [{name: b, cluster: {server: x}}]\n");
    await config("set-cluster b --server=https://y", "none.yaml:a.yaml:b.yaml");
    await config("set-context new --cluster=b", "none.yaml:a.yaml:b.yaml");
    expect(read("b.yaml")).toContain("    server: https://y\n");
    expect(read("a.yaml")).toContain('- context:\n    cluster: b\n    user: ""\n  name: new\n');
    expect(existsSync(join(folder, "none.yaml"))).toBe(false);
  });

  test("the last file of a list is made when none exists, for its owner only, folders too", async () => {
    expect((await config("set-cluster x --server=https://x", "no.yaml:deep/new.yaml")).stdout).toBe(
      'Cluster "x" set.\n',
    );
    expect(statSync(join(folder, "deep/new.yaml")).mode & 0o777).toBe(0o600);
    expect(read("deep/new.yaml")).toBe(
      'apiVersion: v1\nclusters:\n- cluster:\n    server: https://x\n  name: x\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n',
    );
  });

  test("a path below the file's folder is written relative to it, another one absolute", async () => {
    await config("set-cluster near --certificate-authority=sub/ca.crt");
    await config("set-cluster far --certificate-authority=/elsewhere/ca.crt");
    expect(read("a.yaml")).toContain('certificate-authority: sub/ca.crt\n    server: ""\n  name: near\n');
    expect(read("a.yaml")).toContain("certificate-authority: /elsewhere/ca.crt\n");
  });

  test("a file that another process has locked is not changed", async () => {
    writeFileSync(join(folder, "a.yaml.lock"), "");
    expect(await config("use-context a")).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: open a.yaml.lock: file exists\n",
    });
    expect(read("a.yaml")).toBe(A);
  });

  test("the lock is removed afterwards, also after an error", async () => {
    await config("use-context a");
    await config("delete-cluster nope");
    expect(existsSync(join(folder, "a.yaml.lock"))).toBe(false);
  });

  test("a change that changes nothing does not touch the file", async () => {
    chmodSync(join(folder, "a.yaml"), 0o444);
    const before = statSync(join(folder, "a.yaml")).mtimeMs;
    expect((await config("set-context a --cluster=a")).stdout).toBe('Context "a" modified.\n');
    expect(statSync(join(folder, "a.yaml")).mtimeMs).toBe(before);
  });

  test("clearing the current context clears it in the file that sets it", async () => {
    writeFileSync(join(folder, "b.yaml"), "current-context: b\n");
    await config("unset current-context", "a.yaml:b.yaml");
    expect(read("b.yaml")).toContain('current-context: ""\n');
    expect(read("a.yaml")).toBe(A);
  });
});

describe("single properties", () => {
  test.each([
    [
      "a name with dots",
      "set contexts.10.0.0.1.namespace n",
      'Property "contexts.10.0.0.1.namespace" set.\n',
      "  name: 10.0.0.1\n",
    ],
    [
      "a switch",
      "set clusters.a.insecure-skip-tls-verify true",
      'Property "clusters.a.insecure-skip-tls-verify" set.\n',
      "insecure-skip-tls-verify: true\n",
    ],
    [
      "base64 as it is",
      "set clusters.a.certificate-authority-data YWJj",
      'Property "clusters.a.certificate-authority-data" set.\n',
      "certificate-authority-data: YWJj\n",
    ],
    [
      "raw bytes",
      "set clusters.a.certificate-authority-data abc --set-raw-bytes",
      'Property "clusters.a.certificate-authority-data" set.\n',
      "certificate-authority-data: YWJj\n",
    ],
    ["impersonation by its inner name", "set users.u.act-as me", 'Property "users.u.act-as" set.\n', "    as: me\n"],
  ])("%s", async (_name, line, stdout, written) => {
    expect(await config(line)).toEqual({ code: 0, stdout, stderr: "" });
    expect(read("a.yaml")).toContain(written);
  });

  test.each([
    ["set foo x", "error: unable to parse foo after [] at api.Config\n"],
    ["set users.u.token.x y", "error: unable to parse one or more field values of users.u.token.x\n"],
    ["set clusters.a.insecure-skip-tls-verify x", 'error: strconv.ParseBool: parsing "x": invalid syntax\n'],
    [
      "set clusters.a.certificate-authority-data !",
      "error: error decoding input value: illegal base64 data at input byte 0\n",
    ],
    ["set users.u.act-as-groups x", "error: unrecognized slice type. string\n"],
    ["unset users.zz.token", "error: current map key `zz` is invalid\n"],
  ])("%s is refused", async (line, stderr) => {
    expect(await config(line)).toEqual({ code: 1, stdout: "", stderr });
    expect(read("a.yaml")).toBe(A);
  });
});

describe("config view and get-contexts", () => {
  test("secrets are hidden unless asked for", async () => {
    expect((await config("view")).stdout).toContain("token: REDACTED\n");
    expect((await config("view --raw")).stdout).toContain("token: secret\n");
  });

  test("--flatten inlines the files", async () => {
    expect((await config("view --flatten")).stdout).toContain("certificate-authority-data: Y2VydAo=\n");
  });

  test("--minify keeps what the context uses", async () => {
    await config("set-cluster other --server=x");
    expect((await config("view --minify --context=a -o jsonpath={.clusters[*].name}")).stdout).toBe("a");
  });

  test("JSON has Go's field order", async () => {
    const { stdout } = await config("view -o json");
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      "kind",
      "apiVersion",
      "clusters",
      "users",
      "contexts",
      "current-context",
    ]);
  });

  test("contexts that are missing are errors, those found are shown", async () => {
    expect(await config("get-contexts a x y")).toEqual({
      code: 1,
      stdout: "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n          a      a         u          \n",
      stderr: "context x not found\ncontext y not found\n",
    });
  });

  test("help comes before the complaint about operands", async () => {
    const { code, stdout, stderr } = await config("use-context");
    expect([code, stderr]).toEqual([1, "error: Unexpected args: []\n"]);
    expect(stdout).toContain("Usage:\n  kubectl config use-context CONTEXT_NAME [options]\n");
  });
});

describe("credentials", () => {
  test("a token takes basic authentication away, and the reverse", async () => {
    await config("set-credentials u --username=joe --password=pw");
    expect(read("a.yaml")).not.toContain("token:");
    await config("set-credentials u --token=t");
    expect(read("a.yaml")).toContain("    token: t\n");
    expect(read("a.yaml")).not.toContain("username:");
  });

  test("a new command forgets the old one's arguments and keeps its environment", async () => {
    await config("set-credentials p --exec-command=one --exec-arg=a,b --exec-env=K=V");
    await config("set-credentials p --exec-command=two --exec-env=L=W");
    expect(read("a.yaml")).toContain(
      "      args: null\n      command: two\n      env:\n      - name: K\n        value: V\n      - name: L\n        value: W\n",
    );
  });
});
