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

describe("the kubeconfig file that kubectl config writes to", () => {
  test("is for a changed entry the file it came from, for a new one the first file that exists", async () => {
    writeFileSync(join(folder, "b.yaml"), "clusters: [{name: b, cluster: {server: x}}]\n");
    await config("set-cluster b --server=https://y", "none.yaml:a.yaml:b.yaml");
    await config("set-context new --cluster=b", "none.yaml:a.yaml:b.yaml");
    expect(read("b.yaml")).toContain("    server: https://y\n");
    expect(read("a.yaml")).toContain('- context:\n    cluster: b\n    user: ""\n  name: new\n');
    expect(existsSync(join(folder, "none.yaml"))).toBe(false);
  });

  test("is the last one of the list when none exists, created for its owner only, folders too", async () => {
    expect((await config("set-cluster x --server=https://x", "no.yaml:deep/new.yaml")).stdout).toBe(
      'Cluster "x" set.\n',
    );
    expect(statSync(join(folder, "deep/new.yaml")).mode & 0o777).toBe(0o600);
    expect(read("deep/new.yaml")).toBe(
      'apiVersion: v1\nclusters:\n- cluster:\n    server: https://x\n  name: x\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n',
    );
  });

  test("gets paths below its folder in relative form, others absolute", async () => {
    await config("set-cluster near --certificate-authority=sub/ca.crt");
    await config("set-cluster far --certificate-authority=/elsewhere/ca.crt");
    expect(read("a.yaml")).toContain('certificate-authority: sub/ca.crt\n    server: ""\n  name: near\n');
    expect(read("a.yaml")).toContain("certificate-authority: /elsewhere/ca.crt\n");
  });

  test("is not changed while another process has locked it", async () => {
    writeFileSync(join(folder, "a.yaml.lock"), "");
    expect(await config("use-context a")).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: open a.yaml.lock: file exists\n",
    });
    expect(read("a.yaml")).toBe(A);
  });

  test("is unlocked afterwards, also after an error", async () => {
    await config("use-context a");
    await config("delete-cluster nope");
    expect(existsSync(join(folder, "a.yaml.lock"))).toBe(false);
  });

  test("is not touched by a change that changes nothing", async () => {
    chmodSync(join(folder, "a.yaml"), 0o444);
    const before = statSync(join(folder, "a.yaml")).mtimeMs;
    expect((await config("set-context a --cluster=a")).stdout).toBe('Context "a" modified.\n');
    expect(statSync(join(folder, "a.yaml")).mtimeMs).toBe(before);
  });

  test("is, where the current context is cleared, the file that has set it", async () => {
    writeFileSync(join(folder, "b.yaml"), "current-context: b\n");
    await config("unset current-context", "a.yaml:b.yaml");
    expect(read("b.yaml")).toContain('current-context: ""\n');
    expect(read("a.yaml")).toBe(A);
  });
});

describe("kubectl config set and unset of one property", () => {
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
  ])("refuse %s", async (line, stderr) => {
    expect(await config(line)).toEqual({ code: 1, stdout: "", stderr });
    expect(read("a.yaml")).toBe(A);
  });
});

describe("kubectl config view and get-contexts", () => {
  test("hide secrets unless asked for", async () => {
    expect((await config("view")).stdout).toContain("token: REDACTED\n");
    expect((await config("view --raw")).stdout).toContain("token: secret\n");
  });

  test("include with --flatten the contents of files", async () => {
    expect((await config("view --flatten")).stdout).toContain("certificate-authority-data: Y2VydAo=\n");
  });

  test("keep with --minify only what the current context uses", async () => {
    await config("set-cluster other --server=x");
    expect((await config("view --minify --context=a -o jsonpath={.clusters[*].name}")).stdout).toBe("a");
  });

  test("print JSON with fields in Go's order", async () => {
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

  test("print the contexts that exist and an error for those that do not", async () => {
    expect(await config("get-contexts a x y")).toEqual({
      code: 1,
      stdout: "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n          a      a         u          \n",
      stderr: "context x not found\ncontext y not found\n",
    });
  });

  test("print help before they complain about operands", async () => {
    const { code, stdout, stderr } = await config("use-context");
    expect([code, stderr]).toEqual([1, "error: Unexpected args: []\n"]);
    expect(stdout).toContain("Usage:\n  kubectl config use-context CONTEXT_NAME [options]\n");
  });
});

describe("kubectl config set-credentials", () => {
  test("removes basic authentication for a token, and the reverse", async () => {
    await config("set-credentials u --username=joe --password=pw");
    expect(read("a.yaml")).not.toContain("token:");
    await config("set-credentials u --token=t");
    expect(read("a.yaml")).toContain("    token: t\n");
    expect(read("a.yaml")).not.toContain("username:");
  });

  test("drops the arguments of an old exec command and keeps its environment", async () => {
    await config("set-credentials p --exec-command=one --exec-arg=a,b --exec-env=K=V");
    await config("set-credentials p --exec-command=two --exec-env=L=W");
    expect(read("a.yaml")).toContain(
      "      args: null\n      command: two\n      env:\n      - name: K\n        value: V\n      - name: L\n        value: W\n",
    );
  });
});
