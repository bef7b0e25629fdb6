import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  configFromFile,
  configFromText,
  inClusterConfig,
  isKubeconfigError,
  kubernetesClient,
  loadConfig,
  type LoadConfigOptions,
} from "../../../src/client/index.js";
import { startCluster } from "../../../src/cluster/index.js";
import { authority } from "../transport/certificates.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-load-config-"));
const home: LoadConfigOptions = { env: { HOME: folder }, cwd: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A kubeconfig of one context whose cluster and user hold these fields. */
function config({ cluster = {}, user = {} }: { readonly cluster?: object; readonly user?: object }): string {
  return JSON.stringify({
    clusters: [{ name: "spare" }, { name: "c", cluster: { server: "https://h:6443", ...cluster } }],
    users: [{ name: "spare" }, { name: "viewer" }, { name: "admin", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "admin" } }],
    "current-context": "x",
  });
}

const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "plugin", interactiveMode: "Never" };
const ca = await authority("kubets");
const client = await ca.issue([]);
const other = await ca.issue([]);

describe("an error in a kubeconfig names file, entry and field", () => {
  test.each<[title: string, text: string, message: string, options?: LoadConfigOptions]>([
    ["no YAML", "a: [", "kubeconfig: not YAML: line 1: did not find expected node content"],
    ["a list", "[]", "kubeconfig: must be a kubeconfig (kind: Config), is a list"],
    ["another kind", '{"kind":"Pod","apiVersion":"v1"}', 'kubeconfig: kind: must be "Config", is "Pod"'],
    ["another version", '{"apiVersion":"v2"}', 'kubeconfig: apiVersion: must be "v1", is "v2"'],
    ["entries that are no list", '{"users":{}}', "kubeconfig: users: must be a list, is an object"],
    [
      "an entry that is no object",
      '{"users":["a"]}',
      "kubeconfig: users[0]: must be an object with name and user, is a string",
    ],
    [
      "a token that is a number",
      config({ user: { token: 12 } }),
      'kubeconfig: users[2] "admin": token: must be a string, is a number: put it in quotes',
    ],
    [
      "a flag that is a text",
      config({ cluster: { "insecure-skip-tls-verify": "yes" } }),
      'kubeconfig: clusters[1] "c": insecure-skip-tls-verify: must be true or false, is a string',
    ],
    [
      "arguments that are no texts",
      config({ user: { exec: { ...exec, args: [1] } } }),
      'kubeconfig: users[2] "admin": exec.args: must hold strings and nothing else',
    ],
    [
      "two entries of a name",
      '{"users":[{"name":"a"},{"name":"a"}]}',
      'kubeconfig: users[1] "a": has the same name as an earlier entry',
    ],
    [
      "data that is not base64",
      config({ user: { "client-certificate-data": "a-b" } }),
      'kubeconfig: users[2] "admin": client-certificate-data: not base64',
    ],
    [
      "a context that is missing",
      '{"current-context":"x","contexts":[{"name":"y"}]}',
      'kubeconfig: current-context: there is no context "x": contexts are "y"',
    ],
    [
      "a context that an option names",
      config({}),
      'kubeconfig: there is no context "z": contexts are "x"',
      { context: "z" },
    ],
    [
      "a cluster that is missing",
      '{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c"}}]}',
      'kubeconfig: contexts[0] "x": cluster: there is no cluster "c": no clusters are defined',
    ],
    [
      "a user that is missing",
      '{"current-context":"x","contexts":[{"name":"x","context":{"user":"u"}}],"users":[{"name":"v"}]}',
      'kubeconfig: contexts[0] "x": user: there is no user "u": users are "v"',
    ],
    [
      "no current context",
      '{"contexts":[]}',
      "kubeconfig: current-context: names no context with a cluster: set it, or give a context or a server",
    ],
    [
      "no server",
      config({ cluster: { server: "" } }),
      'kubeconfig: clusters[1] "c": server: missing: the URL of the API server, as https://HOST:PORT',
    ],
    [
      "a server of another scheme",
      config({ cluster: { server: "ftp://h" } }),
      'kubeconfig: clusters[1] "c": server: "ftp://h" is not the URL of an API server: it must begin with https:// or http://',
    ],
    [
      "a server that is no URL",
      config({ cluster: { server: "h/path" } }),
      'kubeconfig: clusters[1] "c": server: host must be a URL or a host:port pair: "h/path"',
    ],
    [
      "a port that is no number",
      config({ cluster: { server: "h:port" } }),
      'kubeconfig: clusters[1] "c": server: parse "http://h:port": invalid port ":port" after host',
    ],
    [
      "a proxy of another scheme",
      config({ cluster: { "proxy-url": "foo://x" } }),
      'kubeconfig: clusters[1] "c": proxy-url: unsupported scheme "foo", must be http, https, or socks5',
    ],
    [
      "an authority that cannot be read",
      config({ cluster: { "certificate-authority": "no.crt" } }),
      'kubeconfig: clusters[1] "c": certificate-authority: no.crt cannot be read: no such file or directory',
    ],
    [
      "an authority that is no PEM",
      config({ cluster: { "certificate-authority-data": base64("x") } }),
      'kubeconfig: clusters[1] "c": certificate-authority-data: holds no certificate: PEM with "-----BEGIN CERTIFICATE-----" is expected',
    ],
    [
      "an authority beside its absence",
      config({ cluster: { "certificate-authority-data": base64(ca.pem), "insecure-skip-tls-verify": true } }),
      'kubeconfig: clusters[1] "c": insecure-skip-tls-verify: cannot be combined with certificate-authority-data: remove one of them',
    ],
    [
      "a certificate without its key",
      config({ user: { "client-certificate-data": base64(client.cert) } }),
      'kubeconfig: users[2] "admin": client-certificate-data: needs its key in client-key-data or client-key',
    ],
    [
      "a key in the place of the certificate",
      config({ user: { "client-certificate-data": base64(client.key), "client-key-data": base64(client.key) } }),
      'kubeconfig: users[2] "admin": client-certificate-data: holds no certificate: PEM with "-----BEGIN CERTIFICATE-----" is expected',
    ],
    [
      "a key of another certificate",
      config({ user: { "client-certificate-data": base64(client.cert), "client-key-data": base64(other.key) } }),
      'kubeconfig: users[2] "admin": client-key-data: is not the key of the certificate in client-certificate-data',
    ],
    [
      "two ways to log in",
      config({ user: { token: "t", username: "u" } }),
      'kubeconfig: users[2] "admin": token: cannot be combined with username and password: remove one of them',
    ],
    [
      "a token file that cannot be read",
      config({ user: { tokenFile: "no" } }),
      'kubeconfig: users[2] "admin": tokenFile: no cannot be read: no such file or directory',
    ],
    [
      "groups without a user",
      config({ user: { "as-groups": ["g"] } }),
      'kubeconfig: users[2] "admin": as-groups: needs the user to impersonate in as',
    ],
    [
      "a plugin without apiVersion",
      config({ user: { exec: { command: "plugin" } } }),
      'kubeconfig: users[2] "admin": exec.apiVersion: missing: one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1',
    ],
    [
      "a plugin without command and mode",
      config({ user: { exec: { apiVersion: exec.apiVersion } } }),
      'kubeconfig: users[2] "admin": exec.command: missing: the program that prints credentials\nkubeconfig: users[2] "admin": exec.interactiveMode: missing: one of Never, IfAvailable, Always',
    ],
    [
      "a variable without a name",
      config({ user: { exec: { ...exec, env: [{ value: "v" }] } } }),
      'kubeconfig: users[2] "admin": exec.env[0].name: missing',
    ],
    [
      "an auth provider",
      config({ user: { "auth-provider": { name: "gcp" } } }),
      'kubeconfig: users[2] "admin": auth-provider: is no longer supported: use exec with the credential plugin of your provider',
    ],
  ])("for %s", async (_, text, message, options = {}) => {
    const error: unknown = await configFromText(text, { ...home, ...options }).catch((reason: unknown) => reason);
    expect(error).toSatisfy(isKubeconfigError);
    expect((error as Error).message).toBe(message);
  });

  test("in a file, and the error object has each part", async () => {
    const file = join(folder, "wrong");
    writeFileSync(file, config({ user: { "client-key-data": "%" } }));
    await expect(configFromFile(file, home)).rejects.toMatchObject({
      faults: [{ file, entry: 'users[2] "admin"', field: "client-key-data", problem: "not base64" }],
    });
  });

  test("in the one of several files that has the entry", async () => {
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    writeFileSync(first, '{"current-context":"x"}');
    writeFileSync(second, config({ cluster: { server: "ftp://h" } }));
    const env = { KUBECONFIG: `${first}:${second}:${join(folder, "missing")}` };
    await expect(loadConfig({ ...home, env })).rejects.toThrow(`${second}: clusters[1] "c": server: `);
  });
});

describe("a kubeconfig file that does not exist", () => {
  test.each([
    ["is named", () => configFromFile("/nope", home), "/nope: no such file"],
    ["is named where it is a folder", () => configFromFile(folder, home), `${folder}: cannot be read: is a directory`],
    [
      "is named where nothing is configured",
      () => loadConfig(home),
      `${folder}/.kube/config: no such file, and this process is not in a pod: set KUBECONFIG, or give a kubeconfig or a server`,
    ],
    ["needs a name", () => configFromFile("", home), 'kubeconfig: the name of the file is ""'],
  ])("%s", async (_, load, message) => {
    await expect(load()).rejects.toThrow(message);
  });

  // Root may read every file.
  test.skipIf(process.getuid?.() === 0)(
    "is not confused with a file that may not be read, which is an error",
    async () => {
      const file = join(folder, "secret");
      writeFileSync(file, "");
      chmodSync(file, 0);
      await expect(configFromFile(file, home)).rejects.toThrow(`${file}: cannot be read: permission denied`);
    },
  );
});

test("invalid values are ignored in an entry that no context uses, and in one that an option overrides", async () => {
  const text = config({ cluster: { server: "ftp://h" }, user: { exec: {} } });
  const spare = { server: "https://other", token: "t" };
  await expect(configFromText(text, { ...home, ...spare })).rejects.toThrow("exec.apiVersion");
  const alone = await configFromText('{"users":[{"name":"u","user":{"exec":{}}}]}', { ...home, ...spare });
  expect(alone).toMatchObject({ server: "https://other", auth: { token: "t" } });
});

test("file paths in a kubeconfig text are relative to cwd, those in a file to its folder", async () => {
  mkdirSync(join(folder, "sub"), { recursive: true });
  writeFileSync(join(folder, "sub", "ca.crt"), ca.pem);
  const text = config({ cluster: { "certificate-authority": "ca.crt" } });
  writeFileSync(join(folder, "sub", "config"), text);
  const caFile = join(folder, "sub", "ca.crt");
  expect((await configFromText(text, { ...home, cwd: join(folder, "sub") })).tls.caFile).toBe(caFile);
  expect((await configFromFile("sub/config", home)).tls.caFile).toBe(caFile);
});

describe("loading the configuration in a pod", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

  test("takes token, authority and namespace of the service account", async () => {
    const mounted = join(folder, "mounted");
    mkdirSync(mounted);
    for (const [name, text] of Object.entries({ token: "abc", "ca.crt": ca.pem, namespace: "shop" })) {
      writeFileSync(join(mounted, name), text);
    }
    expect(await inClusterConfig({ env: pod, serviceAccountFolder: mounted })).toMatchObject({
      server: "https://10.96.0.1:443",
      auth: { token: "abc", tokenFile: join(mounted, "token") },
      tls: { caFile: join(mounted, "ca.crt") },
      namespace: "shop",
    });
  });

  test.each([
    ["outside of a pod", {}, "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined"],
    ["in a pod without a token", pod, `open ${join(folder, "none", "token")}: no such file or directory`],
  ])("finds none %s", async (_, env, message) => {
    await expect(inClusterConfig({ env, serviceAccountFolder: join(folder, "none") })).rejects.toThrow(message);
  });
});

test("a client can be made from a cluster's kubeconfig, or from the cluster itself without a socket", async () => {
  await using cluster = await startCluster();
  await using overSocket = kubernetesClient(await configFromText(cluster.kubeconfig(), home));
  await using inProcess = kubernetesClient(cluster);
  const namespaces = { group: "", version: "v1", resource: "namespaces" };
  for (const one of [overSocket, inProcess]) {
    const { items } = await one.resource(namespaces).list();
    expect(items.map(({ metadata }) => metadata?.name)).toContain("kube-system");
  }
});
