import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFromText, kubernetesClient } from "../../src/client/index.js";
import { startCluster } from "../../src/cluster/index.js";
import { type CliResult, runCli } from "../helpers/run-cli.js";
import { Arena, JEWEL, jewel } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** From here on bodies are shown, as kubectl shows them: docs/logging.md. */
const BODIES = 8;

let folder: string;
let arena: Arena;
/** What proves who a client is, by what it is. No output holds one, at any level. */
const credentials = new Map<string, string>();
/** What objects hold. Bodies are shown from level 8 on; what a command is for is on its stdout. */
const values = new Map<string, string>();

const PLUGIN_TOKEN = "plugin-token-3f9c51";
const WRONG_TOKEN = "wrong-token-8a17c2";
const PASSWORD = "basic-password-77de10";

const kubeconfig = (user: object): string => {
  const own = JSON.parse(arena.cluster.kubeconfig()) as { users: { user: object }[] };
  for (const entry of own.users) entry.user = user;
  return JSON.stringify(own);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-output-"));
  arena = await Arena.open({
    filters: [
      {
        name: "faulty",
        before: "authorization",
        filter: (next) => (request) => {
          if (request.exchange.query.has("boom"))
            throw new Error(`a filter of the test failed for ${request.user.name}`);
          return next(request);
        },
      },
    ],
  });
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "robot" } });
  await arena.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "robot" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
  });
  const token = await arena.token("default", "robot");
  const { certificate, key } = arena.certificateOf("mary");
  const plugin = join(folder, "plugin.sh");
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: PLUGIN_TOKEN },
  };
  await writeFile(plugin, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
  await chmod(plugin, 0o755);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const configs: Readonly<Record<string, object>> = {
    token: { token },
    certificate: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
    plugin: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: plugin, interactiveMode: "Never" } },
    wrong: { token: WRONG_TOKEN },
    basic: { username: "mary", password: PASSWORD },
  };
  for (const [name, user] of Object.entries(configs)) await writeFile(join(folder, name), kubeconfig(user));
  await writeFile(
    join(folder, "secret.yaml"),
    JSON.stringify({ apiVersion: "v1", kind: "Secret", ...jewel("applied") }),
  );
  credentials.set("the token", token);
  credentials.set("the signature of the token", token.split(".")[2] ?? "");
  credentials.set("the key", key.split("\n")[1] ?? "");
  credentials.set("the key in base64", base64(key).slice(0, 60));
  credentials.set("the plugin's token", PLUGIN_TOKEN);
  credentials.set("the wrong token", WRONG_TOKEN);
  credentials.set("the password", PASSWORD);
  credentials.set("the password in base64", base64(`mary:${PASSWORD}`));
  credentials.set("the administrator's token", arena.cluster.token);
  values.set("the secret's value", JEWEL);
  values.set("the secret's value in base64", base64(JEWEL));
});

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const run = (config: string, argv: string, level: number): Promise<CliResult> =>
  runCli([...argv.split(" "), `-v=${level}`], {
    env: { HOME: folder, KUBECONFIG: join(folder, config), PATH: process.env.PATH ?? "" },
    cwd: folder,
  });

function expectNone(text: string, secrets: ReadonlyMap<string, string>, where: string): void {
  for (const [name, secret] of secrets) expect(text.includes(secret), `${where} holds ${name}:\n${text}`).toBe(false);
}

/** `shows` says that showing the value is what the command is for: its stdout is left out. */
const commands: readonly (readonly [title: string, config: string, argv: string, shows?: "shows"])[] = [
  ["a table of secrets", "token", "get secrets"],
  ["a secret with its labels", "token", "get secret jewel -o wide --show-labels"],
  ["a description of a secret", "token", "describe secret jewel"],
  ["a secret as YAML", "token", "get secret jewel -o yaml", "shows"],
  ["a secret as JSON", "token", "get secret jewel -o json", "shows"],
  ["a name of a secret", "token", "get secret jewel -o name"],
  [
    "a secret that is created",
    "token",
    "create secret generic made --dry-run=server --from-literal=password=crown-jewel-5d1e77",
  ],
  ["a secret that is applied", "token", "apply -f secret.yaml --dry-run=server"],
  ["the difference of a secret", "token", "diff -f secret.yaml"],
  ["a secret that is labelled", "token", "label secret jewel a=b --overwrite --dry-run=server"],
  [
    "a secret that is patched",
    "token",
    `patch secret jewel --dry-run=server -p {"stringData":{"password":"crown-jewel-5d1e77"}}`,
  ],
  [
    "a secret that is refused",
    "token",
    `patch secret jewel --dry-run=server -p {"stringData":{"pass/word":"crown-jewel-5d1e77"}}`,
  ],
  ["who one is, by a token", "token", "auth whoami"],
  ["who one is, by a certificate", "certificate", "auth whoami"],
  ["what one may do", "certificate", "auth can-i get secrets"],
  ["a refusal, by a certificate", "certificate", "get secret jewel"],
  ["a wrong token", "wrong", "get secrets"],
  ["a wrong token on the command line", "certificate", `get secrets --token=${WRONG_TOKEN}`],
  ["a plugin's token, which is wrong", "plugin", "get secrets"],
  ["a name and a password", "basic", "get secrets"],
  ["a name and a password on the command line", "certificate", `get pods --username=mary --password=${PASSWORD}`],
  ["what is not there", "token", "get secret ghost"],
  ["a raw path", "token", "get --raw /version"],
  ["a server that is not there", "token", "get pods --server=https://127.0.0.1:1"],
  ["a server that does not speak TLS", "token", "get pods --server=http://127.0.0.1:1"],
  ["a kubeconfig that is shown", "token", "config view"],
  ["a kubeconfig of a certificate that is shown", "certificate", "config view"],
  ["a kubeconfig of a password that is shown", "basic", "config view"],
  ["users of a kubeconfig", "token", "config get-users"],
  ["the cluster's addresses", "token", "cluster-info"],
  ["versions", "token", "version"],
  ["resources", "token", "api-resources"],
];

describe("kubets prints with any -v no credential, and below 8 no value of a Secret", () => {
  test.each(commands.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [title, config, argv, shows] = row;
    for (const level of LEVELS) {
      const { stdout, stderr } = await run(config, argv, level);
      const where = `${title} at -v=${level}`;
      expectNone(stdout + stderr, credentials, where);
      if (level < BODIES) expectNone(shows === undefined ? stdout + stderr : stderr, values, where);
    }
  });

  test("but prints a new token on stdout, and below 8 nowhere else", async () => {
    for (const level of LEVELS) {
      const { stdout, stderr } = await run("token", "create token robot", level);
      expect(stdout.trim().split(".")).toHaveLength(3);
      expectNone(stdout + stderr, credentials, `create token at -v=${level}`);
      if (level < BODIES) expect(stderr).not.toContain(stdout.trim().split(".")[2] ?? "no signature");
    }
  });

  test("and masks at the highest levels what it sends, after the scheme's name", async () => {
    const { stderr } = await run("token", "get secrets", 9);
    expect(stderr).toContain("Authorization: Bearer <masked>");
    expect((await run("token", "get secret jewel -o yaml", BODIES)).stderr).toContain(
      values.get("the secret's value in base64"),
    );
  });
});

describe("the error about a damaged kubeconfig does not print its secret", () => {
  const files: readonly (readonly [title: string, text: (secret: string) => string])[] = [
    ["cut off in the token", (secret) => `{"users": [{"name": "u", "user": {"token": "${secret}`],
    ["with a tab behind the token", (secret) => `users:\n- name: u\n  user:\n    token: ${secret}\n\t- x: [\n`],
    ["with a token that is a list", (secret) => `users:\n- name: u\n  user:\n    token: ["${secret}"]\n`],
    ["with a token that is an object", (secret) => `users:\n- name: u\n  user:\n    token: {a: ${secret}}\n`],
    ["with a user that is the token", (secret) => `users:\n- name: u\n  user: ${secret}\n`],
    ["with users that are the token", (secret) => `users: ${secret}\n`],
    [
      "with a key that is no base64",
      (secret) => withUser(`client-certificate-data: "!"\n    client-key-data: "${secret}!"`),
    ],
    [
      "with a key that is none",
      (secret) =>
        withUser(
          `client-certificate-data: ${Buffer.from("none").toString("base64")}\n    client-key-data: ${Buffer.from(secret).toString("base64")}`,
        ),
    ],
    ["with a token and a line's end in it", (secret) => withUser(`token: "${secret}\\n${secret}"`)],
    ["with the token twice", (secret) => withUser(`token: ${secret}\n    token: ${secret}`)],
    ["with a plugin and a token", (secret) => withUser(`token: ${secret}\n    exec: {command: "", apiVersion: x}`)],
    ["with a password alone", (secret) => withUser(`password: ${secret}`)],
    [
      "with an environment of a plugin that is not there",
      (secret) =>
        withUser(
          `exec: {command: /nonexistent/plugin, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, env: [{name: TOKEN, value: ${secret}}]}`,
        ),
    ],
  ];
  const withUser = (user: string): string =>
    `clusters:\n- name: c\n  cluster: {server: "https://127.0.0.1:1"}\ncontexts:\n- name: x\n  context: {cluster: c, user: u}\ncurrent-context: x\nusers:\n- name: u\n  user:\n    ${user}\n`;

  test.each(files)("%s", async (title, text) => {
    const secret = "faulty-secret-e1f02b";
    const secrets = new Map([
      ["the secret", secret],
      ["the secret in base64", Buffer.from(secret).toString("base64")],
    ]);
    await writeFile(join(folder, "faulty"), text(secret));
    for (const level of [0, 6, 10]) {
      const { stdout, stderr } = await run("faulty", "get pods", level);
      expectNone(stdout + stderr, secrets, `${title} at -v=${level}`);
    }
    try {
      const client = kubernetesClient(await configFromText(text(secret)));
      try {
        await client.of("v1", "Pod").list();
      } finally {
        await client.close();
      }
    } catch (error) {
      expectNone(inspect(error, { depth: 20 }), secrets, `the library's error ${title}`);
    }
  });
});

describe("the server does not print secrets in its own errors", () => {
  test("about a failed request, whose credentials they leave out", async () => {
    for (const config of ["token", "wrong"]) {
      const text = await run(config, "get --raw /api/v1/namespaces/default/secrets/jewel?boom", 6);
      expectNone(text.stdout + text.stderr, credentials, "the answer");
    }
    expect(arena.faults).not.toEqual([]);
    expectNone(inspect(arena.faults, { depth: 20 }), new Map([...credentials, ...values]), "the fault");
  });

  const secret = "server-secret-4be9d0";
  const starts: readonly (readonly [title: string, files: Readonly<Record<string, string>>, options: () => object])[] =
    [
      [
        "a token file with a line of two columns",
        { tokens: `${secret},jane\n` },
        () => ({ authentication: { tokenFile: join(folder, "tokens") } }),
      ],
      [
        "a token file with an open quotation",
        { tokens: `"${secret},jane,1\n` },
        () => ({ authentication: { tokenFile: join(folder, "tokens") } }),
      ],
      [
        "an authority that is a key",
        { ca: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n` },
        () => ({ authentication: { clientCaFiles: [join(folder, "ca")] } }),
      ],
      [
        "a webhook's kubeconfig cut off in its token",
        { hook: `{"users":[{"name":"u","user":{"token":"${secret}` },
        () => ({ authentication: { webhook: { configFile: join(folder, "hook"), version: "v1" } } }),
      ],
      [
        "a webhook's kubeconfig with a token that is a list",
        { hook: `users: [{name: u, user: {token: [${secret}]}}]` },
        () => ({ authentication: { webhook: { configFile: join(folder, "hook"), version: "v1" } } }),
      ],
      [
        "an authorizer's kubeconfig of no context",
        { hook: `users: [{name: u, user: {token: ${secret}}}]` },
        () => ({ authorization: { modes: ["Webhook"], webhook: { kubeconfig: join(folder, "hook"), version: "v1" } } }),
      ],
      [
        "a key of service accounts that is cut off",
        { key: `-----BEGIN EC PRIVATE KEY-----\n${secret}\n` },
        () => ({ authentication: { serviceAccounts: { keyFiles: [join(folder, "key")] } } }),
      ],
      [
        "secrets of the cluster that are cut off",
        { "pki.json": `{"ca":{"certificate":"","key":"${secret}` },
        () => ({ storage: "disk", dataDir: folder }),
      ],
    ];
  test.each(starts)("about %s, with which it does not start", async (title, files, options) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const faults: unknown[] = [];
    const starting = startCluster({
      port: false,
      controllers: false,
      ...options(),
      onError: (error) => void faults.push(error),
    });
    const error: unknown = await starting.then(
      (cluster) => cluster.close().then(() => undefined),
      (reason: unknown) => reason,
    );
    expect(error, title).toBeInstanceOf(Error);
    expectNone(inspect([error, faults], { depth: 20 }), new Map([["the secret", secret]]), title);
  });
});
