import { describe, expect, test } from "vitest";
import { runCli } from "../../helpers/run-cli.js";

const apiserver = (...argv: string[]) => runCli(["apiserver", ...argv], { cwd: "/nonexistent" });

/** The message of the line that ends a log, and those before it; without times and process ids. */
function logOf(stderr: string): { readonly lines: readonly string[]; readonly failure: unknown } {
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^([IWEF])\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] /, "$1 "));
  const [, quoted] = /^E "command failed" err=(.*)$/.exec(lines.at(-1) ?? "") ?? [];
  return { lines: lines.slice(0, -1), failure: quoted === undefined ? undefined : JSON.parse(quoted) };
}

describe("kubets apiserver refuses a command line with", () => {
  test.each([
    ["START-1: a stray argument", ["x", "y"], '"kube-apiserver" does not take any arguments, got ["x" "y"]'],
    ["an unknown flag", ["--bogus"], "unknown flag: --bogus"],
    [
      "an address that is none",
      ["--bind-address=x"],
      'invalid argument "x" for "--bind-address" flag: failed to parse IP: "x"',
    ],
    [
      "a port range that is none",
      ["--service-node-port-range=x"],
      'invalid argument "x" for "--service-node-port-range" flag: unable to parse port range: x',
    ],
    [
      "a port range that ends before it begins",
      ["--service-node-port-range=20-10"],
      'invalid argument "20-10" for "--service-node-port-range" flag: end port cannot be less than start port: 20-10',
    ],
    [
      "a claim without a value",
      ["--oidc-required-claim=x"],
      'invalid argument "x" for "--oidc-required-claim" flag: malformed pair, expect string=string',
    ],
  ])("%s", async (_, argv, message) => {
    expect(await apiserver(...argv)).toEqual({ code: 1, stdout: "", stderr: `Error: ${message}\n` });
  });
});

test("START-3: kubets apiserver --version prints the version and ignores all other flags", async () => {
  const answer = { code: 0, stdout: "Kubernetes v1.37.1\n", stderr: "" };
  expect(await apiserver("--version", "--secure-port=0")).toEqual(answer);
});

test("START-8: kubets apiserver --help has kube-apiserver's sections, without flags that Kubernetes has dropped", async () => {
  const { code, stdout, stderr } = await apiserver("--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect([...stdout.matchAll(/^(\S.*) flags:$/gm)].map(([, name]) => name)).toEqual([
    "Generic",
    "Etcd",
    "Secure serving",
    "Auditing",
    "Features",
    "Authentication",
    "Authorization",
    "API enablement",
    "Egress selector",
    "Admission",
    "Metrics",
    "Logs",
    "Traces",
    "Misc",
    "Kubets",
    "Global",
  ]);
  expect(stdout).toContain("\nUsage:\n  kubets apiserver [flags]\n");
  expect(stdout).toMatch(/^ {6}--bind-address ip +The address to listen on.* \(default 0\.0\.0\.0\)$/m);
  expect(stdout).toMatch(
    /^ {6}--etcd-servers-overrides strings +.* Refused here: all objects are kept in the etcd of /m,
  );
  expect(stdout).toMatch(/^ {2}-v, --v Level /m);
  expect(stdout).not.toContain("--cloud-provider");
});

test("START-3: kubets apiserver -v=1 logs the value of each flag before any fault", async () => {
  const { code, stderr } = await apiserver(
    "-v=1",
    "--secure-port=0",
    "--runtime-config=api/beta=true",
    "--runtime-config=api/alpha=false",
  );
  expect(code).toBe(1);
  const { lines } = logOf(stderr);
  expect(lines).toEqual(
    expect.arrayContaining([
      'I FLAG: --advertise-address="<nil>"',
      'I FLAG: --bind-address="0.0.0.0"',
      'I FLAG: --runtime-config="api/beta=true,api/alpha=false"',
      'I FLAG: --secure-port="0"',
      'I FLAG: --storage-media-type="application/vnd.kubernetes.protobuf"',
      'I FLAG: --v="1"',
    ]),
  );
  expect((await apiserver("--secure-port=0")).stderr).not.toContain("FLAG:");
});

test("START-3, START-4: kubets apiserver reports all faults in one message, refused flags among them", async () => {
  const { code, stderr } = await apiserver(
    "--etcd-servers-overrides=/events#http://127.0.0.1:2",
    "--tls-curve-preferences=23",
    "--basic-auth-file=passwords.csv",
    "--secure-port=0",
    "--etcd-servers=http://127.0.0.1:1",
    "--service-account-issuer=https://x",
    "--service-account-key-file=sa.pub",
    "--service-account-signing-key-file=sa.key",
  );
  expect(code).toBe(1);
  expect(logOf(stderr).failure).toBe(
    "[--etcd-servers-overrides is not supported: all objects are kept in the etcd of --etcd-servers, " +
      "--tls-curve-preferences is not supported: the key exchanges are those of OpenSSL, " +
      "--basic-auth-file is not supported: Kubernetes has dropped it, passwords are not checked, " +
      "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0]",
  );
});

test("kubets apiserver accepts a refused flag with its default, or with the value that the server uses anyway", async () => {
  const { stderr } = await apiserver("--emulated-version=kube=1.36");
  expect(stderr).not.toContain("is not supported");
});

test("kubets apiserver warns about each given flag that has no effect, or that Kubernetes has dropped or deprecated", async () => {
  const { stderr } = await apiserver(
    "--contention-profiling",
    "--insecure-port=0",
    "--kubelet-https=true",
    "--default-watch-cache-size=10",
  );
  expect(logOf(stderr).lines).toEqual([
    "Flag --default-watch-cache-size has been deprecated, watch caches are sized automatically and this flag will be removed in a future version",
    "W --default-watch-cache-size has no effect: Kubernetes 1.37 does not read it, and the history of watches is limited by bytes",
    "W --contention-profiling has no effect: one thread waits for no other",
    "W --insecure-port has no effect: Kubernetes has dropped it, the one port is --secure-port",
    "W --kubelet-https has no effect: Kubernetes has dropped it, kubelets are always asked over TLS",
  ]);
});
