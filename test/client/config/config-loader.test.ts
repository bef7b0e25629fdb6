import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isConfigurationInvalid } from "../../../src/client/config/config-errors.js";
import { createConfigLoader } from "../../../src/client/config/config-loader.js";
import { type ConfigOverrides, noOverrides } from "../../../src/client/config/config-overrides.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-config-"));
let count = 0;

function file(text: string): string {
  const path = join(folder, `config-${count++}`);
  writeFileSync(path, text);
  return path;
}

function loader(overrides: Partial<ConfigOverrides>, env: Record<string, string> = {}, prompt?: () => Promise<never>) {
  return createConfigLoader({
    overrides: { ...noOverrides, ...overrides },
    env: { HOME: folder, ...env },
    cwd: folder,
    userAgent: "test",
    ...(prompt && { prompt }),
  });
}

const twoContexts = file(`apiVersion: v1
kind: Config
current-context: a
contexts:
- {name: a, context: {cluster: c, user: u, namespace: ns}}
- {name: b, context: {cluster: gone}}
clusters:
- {name: c, cluster: {server: "https://1.2.3.4:6443/", tls-server-name: kube}}
- {name: p, cluster: {server: "http://h", proxy-url: "foo://x"}}
- {name: p2, cluster: {server: "http://h", proxy-url: "127.0.0.1:33"}}
users:
- {name: u, user: {token: secret}}
- {name: e, user: {exec: {}}}
`);

describe("a configuration merged from a kubeconfig and flags", () => {
  test.each<[string, Partial<ConfigOverrides>, object]>([
    ["no file at all is localhost", {}, { server: "http://localhost:8080", namespace: "default", auth: {} }],
    [
      "the current context",
      { kubeconfig: twoContexts },
      { server: "https://1.2.3.4:6443", namespace: "ns", namespaceEnforced: false, auth: { token: "secret" } },
    ],
    ["a relative --cache-dir is below the working folder", { cacheDir: "cache" }, { cacheDir: join(folder, "cache") }],
    ["-n is enforced", { kubeconfig: twoContexts, namespace: "x" }, { namespace: "x", namespaceEnforced: true }],
    [
      "a cluster that is missing falls back to localhost, without credentials",
      { kubeconfig: twoContexts, context: "b" },
      { server: "http://localhost:8080", auth: {} },
    ],
    [
      "--server clears the file's server name",
      { kubeconfig: twoContexts, server: "https://other" },
      { server: "https://other", tls: { insecureSkipVerify: false }, auth: { token: "secret" } },
    ],
    ["credentials are not sent over plain http", { server: "http://h", token: "x" }, { auth: {} }],
    [
      "impersonation is",
      { server: "http://h", as: "me", asGroups: ["g", "h"], asUserExtra: ["k=1", "k=2", "bad"] },
      { auth: { impersonate: { user: "me", groups: ["g", "h"], extra: { k: ["1", "2"] } } } },
    ],
    ["a bare number of seconds", { requestTimeout: "90" }, { timeout: 90_000 }],
    ["a duration", { requestTimeout: "1m30s" }, { timeout: 90_000 }],
  ])("follows client-go's precedence: %s", async (_, overrides, expected) => {
    expect(await loader(overrides).clientConfig()).toMatchObject(expected);
    const { auth } = expected as { auth?: object };
    if (auth) expect((await loader(overrides).clientConfig()).auth).toEqual(auth);
  });

  test("takes each entry as a whole from the first file in KUBECONFIG that has it, and skips missing files", async () => {
    const first = file(`{"clusters":[{"name":"c","cluster":{"server":"https://first"}}]}`);
    const second = file(
      `{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"https://second","tls-server-name":"n"}}]}`,
    );
    const config = await loader({}, { KUBECONFIG: `/missing:${first}:${second}` }).clientConfig();
    expect(config.server).toBe("https://first");
    expect(config.tls.serverName).toBeUndefined();
  });

  test("resolves relative paths from the folder of their file", async () => {
    mkdirSync(join(folder, "sub"), { recursive: true });
    writeFileSync(join(folder, "sub", "ca.crt"), "");
    writeFileSync(
      join(folder, "sub", "config"),
      `{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"https://h","certificate-authority":"ca.crt"}}]}`,
    );
    const config = await loader({ kubeconfig: "sub/config" }).clientConfig();
    expect(config.tls.caFile).toBe(join(folder, "sub", "ca.crt"));
  });

  test("prompts for user and password when an https server has no credentials", async () => {
    const prompt = () => Promise.reject(new Error("EOF"));
    await expect(loader({ server: "https://h" }, {}, prompt).clientConfig()).rejects.toThrow("EOF");
  });
});

describe("errors in a kubeconfig have kubectl's words", () => {
  test.each<[string, Partial<ConfigOverrides>, string]>([
    ["a missing --kubeconfig", { kubeconfig: "/nope" }, "stat /nope: no such file or directory"],
    ["a folder", { kubeconfig: folder }, `error loading config file "${folder}": read ${folder}: is a directory`],
    ["an unknown context", { kubeconfig: twoContexts, context: "zz" }, 'context "zz" does not exist'],
    ["an unknown cluster", { kubeconfig: twoContexts, cluster: "zz" }, 'cluster "zz" does not exist'],
    ["an unknown user", { kubeconfig: twoContexts, user: "zz" }, 'auth info "zz" does not exist'],
    [
      "a proxy of another scheme",
      { kubeconfig: twoContexts, cluster: "p" },
      `invalid configuration: invalid 'proxy-url' "foo://x" for cluster "p": unsupported scheme "foo", must be http, https, or socks5`,
    ],
    [
      "a proxy that is no URL",
      { kubeconfig: twoContexts, cluster: "p2" },
      `invalid configuration: invalid 'proxy-url' "127.0.0.1:33" for cluster "p2": could not parse: 127.0.0.1:33`,
    ],
    [
      "an empty exec plugin",
      { kubeconfig: twoContexts, user: "e" },
      "invalid configuration: [command must be specified for e to use exec authentication plugin, apiVersion must be specified for e to use exec authentication plugin, interactiveMode must be specified for e to use exec authentication plugin]",
    ],
    [
      "two ways to log in",
      { token: "a", username: "b" },
      "invalid configuration: more than one authentication method found for ; found [token basicAuth], only one is allowed",
    ],
    [
      "groups without a user",
      { asGroups: ["g"] },
      "invalid configuration: requesting uid, groups or user-extra for  without impersonating a user",
    ],
    [
      "an authority that cannot be read",
      { certificateAuthority: "/nope" },
      "invalid configuration: unable to read certificate-authority /nope for  due to open /nope: no such file or directory",
    ],
    ["a path without a scheme", { server: "127.0.0.1:1/x" }, 'host must be a URL or a host:port pair: "127.0.0.1:1/x"'],
    [
      "a timeout that is none",
      { requestTimeout: "x" },
      "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
    ],
  ])("for %s", async (_, overrides, message) => {
    await expect(loader(overrides).clientConfig()).rejects.toHaveProperty("message", message);
  });

  test("when reading the namespace first, a missing context is reported as an invalid configuration", async () => {
    const error: unknown = await loader({ kubeconfig: twoContexts, context: "zz" })
      .namespace()
      .catch((thrown: unknown) => thrown);
    expect(isConfigurationInvalid(error) && error.errors.map((each) => each.message)).toEqual([
      "context was not found for specified context: zz",
    ]);
  });

  test.each<[string, string]>([
    [
      "kind: Foo",
      `no kind "Foo" is registered for version "v1" in scheme "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50"`,
    ],
    ["clusters: 3", "json: cannot unmarshal number into Go struct field Config.clusters of type []v1.NamedCluster"],
    [
      "clusters: [{name: a, cluster: {server: 3}}]",
      "json: cannot unmarshal number into Go struct field Cluster.clusters.cluster.server of type string",
    ],
    [
      "users: [{user: {exec: {args: [3]}}}]",
      "json: cannot unmarshal number into Go struct field ExecConfig.users.user.exec.args of type string",
    ],
    ['users: [{user: {client-key-data: "%%"}}]', "illegal base64 data at input byte 0"],
    ['users: [{user: {client-key-data: "YQ="}}]', "illegal base64 data at input byte 3"],
    [
      "just text",
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
  ])("when decoding the file: %s", async (text, message) => {
    const kubeconfig = file(text);
    await expect(loader({ kubeconfig }).rawConfig()).rejects.toHaveProperty(
      "message",
      `error loading config file "${kubeconfig}": ${message}`,
    );
  });
});
