import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { basicAuthenticator, type Cluster, startCluster } from "../../src/cluster/index.js";
import { issueCertificate, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";
import { createClusterPki } from "../../src/cluster/pki/cluster-pki.js";
import { call } from "../helpers/api-caller.js";
import { type OidcIssuer, startOidcIssuer } from "../helpers/oidc-issuer.js";
import { replaceFile } from "../helpers/replace-file.js";
import { startWebhookServer, type WebhookServer } from "../helpers/webhook-server.js";

const DAY = 86_400_000;
const clients = createClusterPki(systemClock, systemRandom, systemClock);
const proxies = createClusterPki(systemClock, systemRandom, systemClock);

function certificateOf(ca: KeyPair, commonName: string, organizations: readonly string[] = []): KeyPair {
  const validity = { notBefore: Date.now() - DAY, notAfter: Date.now() + DAY };
  const serial = systemRandom.bytes(16);
  return issueCertificate(
    { commonName, organizations, ...validity, serial, usage: "client" },
    issuerOf(ca, "kubernetes"),
  );
}

const pairs = {
  proxy: certificateOf(proxies.ca, "front-proxy"),
  stranger: certificateOf(proxies.ca, "stranger"),
  client: certificateOf(clients.ca, "carol", ["dev"]),
  unknown: certificateOf(createClusterPki(systemClock, systemRandom, systemClock).ca, "mallory", ["system:masters"]),
};

let folder: string;
let cluster: Cluster;
let issuer: OidcIssuer;
let webhook: WebhookServer;
let webhookAnswer: object = {};
const reports: string[] = [];
const file = (name: string): string => join(folder, name);

const configuration = (audience: string): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: issuer.url, audiences: [audience], certificateAuthority: issuer.certificateAuthority },
        claimMappings: { username: { claim: "sub", prefix: "" } },
      },
    ],
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-authn-"));
  issuer = await startOidcIssuer();
  webhook = await startWebhookServer();
  const { url, caBundle } = webhook.on("/authenticate", () => webhookAnswer);
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "w", cluster: { server: url, "certificate-authority-data": caBundle } }],
    users: [{ name: "w", user: {} }],
    contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
    "current-context": "w",
  };
  await writeFile(file("tokens.csv"), 'file-token,bob,7,"dev,ops"\n');
  await writeFile(file("clients.pem"), clients.ca.certificate);
  await writeFile(file("proxies.pem"), proxies.ca.certificate);
  await writeFile(file("config.yaml"), configuration("kubets"));
  await writeFile(file("webhook.yaml"), JSON.stringify(kubeconfig));
  cluster = await startCluster({
    authenticators: [basicAuthenticator({ dora: { password: "pass:word", groups: ["old"] } })],
    onError: (error) => reports.push(String(error)),
    authentication: {
      tokenFile: file("tokens.csv"),
      bootstrapTokens: true,
      clientCaFiles: [file("clients.pem")],
      requestHeader: { clientCaFile: file("proxies.pem"), allowedNames: ["front-proxy"] },
      configFile: file("config.yaml"),
      webhook: { configFile: file("webhook.yaml"), version: "v1" },
    },
  });
});

afterAll(async () => {
  await cluster.close();
  await Promise.all([issuer[Symbol.asyncDispose](), webhook[Symbol.asyncDispose](), rm(folder, { recursive: true })]);
});

interface Asked {
  readonly status: number;
  readonly body: string;
  readonly warnings: readonly string[];
  readonly user: Readonly<Record<string, unknown>> | undefined;
}

const BODY = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
const PATH = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

type Headers = Readonly<Record<string, string | readonly string[]>>;

function whoAmI(headers: Headers, pair?: KeyPair): Promise<Asked> {
  const agent = new Agent({ ca: cluster.caCertificate, ...(pair && { cert: pair.certificate, key: pair.key }) });
  return new Promise((resolve, reject) => {
    const sent = { "content-type": "application/json", ...headers } as Record<string, string | string[]>;
    const outgoing = request(`${cluster.url}${PATH}`, { agent, method: "POST", headers: sent }, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => {
        agent.destroy();
        const { status } = JSON.parse(body) as { status?: { userInfo?: Asked["user"] } };
        const warnings = answer.headersDistinct["warning"] ?? [];
        resolve({ status: answer.statusCode ?? 0, body, warnings, user: status?.userInfo });
      });
    });
    outgoing.on("error", reject).end(BODY);
  });
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const UNAUTHORIZED =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n';
const FORBIDDEN = `${JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message:
    'selfsubjectreviews.authentication.k8s.io is forbidden: User "system:anonymous" cannot create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
  reason: "Forbidden",
  details: { group: "authentication.k8s.io", kind: "selfsubjectreviews" },
  code: 403,
})}\n`;

describe("C-CFG-07: the server takes a request as one of", () => {
  test.each<[string, Headers, KeyPair | undefined, object]>([
    [
      "the user of a file's token",
      bearer("file-token"),
      undefined,
      { username: "bob", uid: "7", groups: ["dev", "ops", "system:authenticated"] },
    ],
    [
      "the holder of a certificate of another authority",
      {},
      pairs.client,
      { username: "carol", groups: ["dev", "system:authenticated"] },
    ],
    [
      "the user whom a front proxy names",
      { "X-Remote-User": "eve", "X-Remote-Uid": "9", "X-Remote-Extra-Acme.io%2Fproject": "p" },
      pairs.proxy,
      { username: "eve", uid: "9", groups: ["system:authenticated"], extra: { "acme.io/project": ["p"] } },
    ],
    [
      "a user of several groups",
      { "X-Remote-User": "eve", "X-Remote-Group": ["cn=a, ou=b", "c"] },
      pairs.proxy,
      { username: "eve", groups: ["cn=a, ou=b", "c", "system:authenticated"] },
    ],
    ["a user whose name has a comma", { "X-Remote-User": "eve, admin" }, pairs.proxy, { username: "eve, admin" }],
    [
      "the client, whatever front-proxy headers it sends",
      { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" },
      pairs.client,
      { username: "carol", groups: ["dev", "system:authenticated"] },
    ],
    [
      "the bearer, whatever front-proxy headers it sends",
      { ...bearer("file-token"), "X-Remote-User": "admin" },
      undefined,
      { username: "bob" },
    ],
    ["the bearer, where its certificate is no one's", bearer("file-token"), pairs.unknown, { username: "bob" }],
    ["the certificate, where the token is no one's", bearer("nonsense"), pairs.client, { username: "carol" }],
    [
      "whom a password proves",
      { authorization: `Basic ${Buffer.from("dora:pass:word").toString("base64")}` },
      undefined,
      { username: "dora", groups: ["old", "system:authenticated"] },
    ],
  ])("%s", async (_, headers, pair, expected) => {
    const answer = await whoAmI(headers, pair);
    expect([answer.status, answer.body]).toEqual([201, expect.any(String)]);
    expect(answer.user).toMatchObject(expected);
  });

  test("the user of an OpenID Connect issuer's token", async () => {
    expect((await whoAmI(bearer(issuer.token()))).user).toMatchObject({ username: "alice" });
  });

  test("a bootstrap token's user, while its secret exists", async () => {
    const secrets = "/api/v1/namespaces/kube-system/secrets";
    const api = cluster.transport();
    await call(api, "POST", secrets, {
      metadata: { name: "bootstrap-token-abcdef" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
      },
    });
    expect((await whoAmI(bearer("abcdef.0123456789abcdef"))).user).toMatchObject({
      username: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:authenticated"],
    });
    await call(api, "DELETE", `${secrets}/bootstrap-token-abcdef`);
    expect((await whoAmI(bearer("abcdef.0123456789abcdef"))).status).toBe(401);
  });

  test("a user whom the webhook names, and asks the webhook once", async () => {
    const user = { username: "frank", uid: "5", groups: ["w"], extra: { k: ["v"] } };
    webhookAnswer = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      status: { authenticated: true, user },
    };
    const before = webhook.calls.length;
    for (let turn = 0; turn < 2; turn++) {
      expect((await whoAmI(bearer("webhook-token"))).user).toMatchObject({
        username: "frank",
        uid: "5",
        extra: { k: ["v"] },
      });
    }
    expect(webhook.calls.length - before).toBe(1);
    expect(JSON.parse(webhook.calls.at(-1)?.body ?? "")).toMatchObject({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: "webhook-token" },
    });
  });

  test("the same users over HTTP/2", async () => {
    const session = connect(cluster.url, {
      ca: cluster.caCertificate,
      cert: pairs.proxy.certificate,
      key: pairs.proxy.key,
    });
    const stream = session.request({
      ":method": "POST",
      ":path": PATH,
      "content-type": "application/json",
      "x-remote-user": "eve",
      "x-remote-group": ["a, b", "c"],
    });
    let body = "";
    stream.on("data", (chunk: Buffer) => (body += chunk.toString()));
    stream.end(BODY);
    await new Promise((resolve) => stream.on("end", resolve));
    session.close();
    expect(JSON.parse(body)).toMatchObject({
      status: { userInfo: { username: "eve", groups: ["a, b", "c", "system:authenticated"] } },
    });
  });
});

describe("the server answers 401 without further information to a request", () => {
  test.each<[string, Headers, KeyPair | undefined]>([
    ["with a token that no one knows", bearer("nonsense"), undefined],
    ["with the beginning of a token", bearer("file-toke"), undefined],
    ["with a token and something behind it, which is its token", bearer("file-token2 x"), undefined],
    ["with a wrong password", { authorization: `Basic ${Buffer.from("dora:pass").toString("base64")}` }, undefined],
    [
      "with an unknown name",
      { authorization: `Basic ${Buffer.from("doris:pass:word").toString("base64")}` },
      undefined,
    ],
    ["with a name and no password", { authorization: `Basic ${Buffer.from("dora").toString("base64")}` }, undefined],
    [
      "with front-proxy headers and a proxy's certificate of another name",
      { "X-Remote-User": "admin" },
      pairs.stranger,
    ],
    ["with front-proxy headers and a certificate of no authority", { "X-Remote-User": "admin" }, pairs.unknown],
    ["with a certificate of no authority, though it says system:masters", {}, pairs.unknown],
    ["with a proxy's certificate that names no user", {}, pairs.proxy],
    ["with a proxy's certificate and an empty name", { "X-Remote-User": "" }, pairs.proxy],
  ])("%s", async (_, headers, pair) => {
    webhookAnswer = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      status: { authenticated: false, error: "no" },
    };
    const answer = await whoAmI(headers, pair);
    expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED]);
  });
});

describe("the server takes a request as anonymous, and forbids it to ask who it is,", () => {
  const SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored";
  test.each<[string, Headers, readonly string[]]>([
    ["without credentials", {}, []],
    ["with another scheme", { authorization: "Token file-token" }, []],
    ["with two spaces before the token", { authorization: "Bearer  file-token" }, [`299 - "${SPACE}"`]],
    [
      "with front-proxy headers and no certificate",
      { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" },
      [],
    ],
  ])("%s", async (_, headers, warnings) => {
    const answer = await whoAmI(headers);
    expect([answer.status, answer.body, answer.warnings]).toEqual([403, FORBIDDEN, warnings]);
  });
});

describe("when authentication files change while the server runs, it", () => {
  const health = () => call(cluster.transport(), "GET", "/readyz?verbose");

  test("applies a new audience of an issuer, and keeps the former configuration for an invalid file", async () => {
    replaceFile(file("config.yaml"), "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfig");
    await expect.poll(async () => (await health()).status).toBe(500);
    expect((await health()).text).toContain("[-]authentication-files failed");
    expect(reports.at(-1)).toContain(
      `failed to reload authentication configuration from file "${file("config.yaml")}": no kind`,
    );
    expect((await whoAmI(bearer(issuer.token({ n: 1 })))).status).toBe(201);
    replaceFile(file("config.yaml"), configuration("other"));
    await expect.poll(async () => (await whoAmI(bearer(issuer.token({ aud: "other" })))).status).toBe(201);
    expect((await whoAmI(bearer(issuer.token({ n: 2 })))).status).toBe(401);
    await expect.poll(async () => (await health()).status).toBe(200);
  });

  test("refuses certificates of a removed authority, on open connections too, and publishes the new one", async () => {
    const next = createClusterPki(systemClock, systemRandom, systemClock);
    replaceFile(file("clients.pem"), next.ca.certificate);
    await expect.poll(async () => (await whoAmI({}, pairs.client)).status).toBe(401);
    expect((await whoAmI({}, certificateOf(next.ca, "nina"))).user).toMatchObject({ username: "nina" });
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const published = async () => (await call(cluster.transport(), "GET", path)).at("data.client-ca-file");
    await expect.poll(published).toContain(next.ca.certificate.trim());
  });
});

test("MAIN-6, A-AUTHN-04: the server publishes for extension servers how it authenticates, and restores the ConfigMap", async () => {
  const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  const data = async () => (await call(cluster.transport(), "GET", path)).at("data");
  const expected = {
    "client-ca-file": expect.stringContaining(cluster.caCertificate.trim()) as string,
    "requestheader-allowed-names": '["front-proxy"]',
    "requestheader-client-ca-file": proxies.ca.certificate,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-uid-headers": '["X-Remote-Uid"]',
    "requestheader-username-headers": '["X-Remote-User"]',
  };
  expect(await data()).toEqual(expected);
  await call(cluster.transport(), "DELETE", path);
  await expect.poll(data).toEqual(expected);
});

describe("a cluster refuses to start", () => {
  const ca = (): string => file("proxies.pem");
  test.each<[string, () => Parameters<typeof startCluster>[0], string | RegExp]>([
    [
      "with a file of tokens that is not there",
      () => ({ authentication: { tokenFile: "/nowhere.csv" } }),
      "open /nowhere.csv: no such file or directory",
    ],
    [
      "with an authority that is none",
      () => ({ authentication: { clientCaFiles: [file("tokens.csv")] } }),
      /^unable to load client CA provider: error loading CA file ".*tokens.csv": data does not contain any valid RSA or ECDSA certificates$/,
    ],
    [
      "with a configuration and an issuer",
      () => ({ authentication: { configFile: "x", oidc: { issuerUrl: "https://i", clientId: "c" } } }),
      "authentication-config file and oidc-* flags are mutually exclusive",
    ],
    [
      "with an issuer without an audience",
      () => ({ authentication: { oidc: { issuerUrl: "https://i", clientId: "" } } }),
      "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
    ],
    [
      "with an algorithm that proves nothing",
      () => ({ authentication: { oidc: { issuerUrl: "https://i", clientId: "c", signingAlgorithms: ["HS256"] } } }),
      'oidc: unsupported signing alg: "HS256"',
    ],
    [
      "with an issuer by http",
      () => ({ authentication: { oidc: { issuerUrl: "http://i", clientId: "c" } } }),
      'invalid authentication configuration: jwt[0].issuer.url: Invalid value: "http://i": URL scheme must be https',
    ],
    [
      "with an issuer that is its own",
      () => ({
        authentication: { oidc: { issuerUrl: "https://kubernetes.default.svc.cluster.local", clientId: "c" } },
      }),
      /URL must not overlap with disallowed issuers/,
    ],
    [
      "with a configuration that is wrong",
      () => ({ authentication: { configFile: file("tokens.csv") } }),
      /^failed to load authentication configuration from file ".*tokens.csv": /,
    ],
    [
      "with anonymous requests said twice",
      () => ({ authentication: { anonymous: false, configuration: { anonymous: { enabled: true } } } }),
      "invalid authentication configuration: anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file",
    ],
    [
      "with a webhook of a version that there is not",
      () => ({ authentication: { webhook: { configFile: "x", version: "v2" } } }),
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
    ],
    [
      "with a header without a name",
      () => ({ authentication: { requestHeader: { clientCaFile: ca(), usernameHeaders: [" "] } } }),
      'empty value in "requestheader-username-headers"',
    ],
    [
      "with other headers for uids alone",
      () => ({ authentication: { requestHeader: { clientCaFile: ca(), uidHeaders: ["X-Uid"] } } }),
      "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work",
    ],
    [
      "with clients that could be proxies",
      () => ({ authentication: { clientCaFiles: [ca()], requestHeader: { clientCaFile: ca() } } }),
      /^--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified/,
    ],
    [
      "with an issuer of service accounts twice",
      () => ({ authentication: { serviceAccounts: { issuers: ["a", "a"] } } }),
      'service-account-issuer "a" is already specified',
    ],
    [
      "with tokens that live too short",
      () => ({ authentication: { serviceAccounts: { maxTokenExpirationSeconds: 60 } } }),
      "the service-account-max-token-expiration must be between 1 hour and 2^32 seconds",
    ],
    [
      "with keys by http",
      () => ({ authentication: { serviceAccounts: { keysUrl: "http://k" } } }),
      "service-account-jwks-uri requires https scheme, parsed as: http://k",
    ],
    [
      "with a file of keys that holds none",
      () => ({ authentication: { serviceAccounts: { keyFiles: [file("tokens.csv")] } } }),
      /^error reading public key file .*tokens.csv: data does not contain any valid RSA or ECDSA public keys$/,
    ],
  ])("%s", async (_, options, message) => {
    const failure = await startCluster({ port: false, ...options() }).then(
      async (started) => {
        await started.close();
        return "it started";
      },
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (typeof message === "string") expect(failure).toBe(message);
    else expect(failure).toMatch(message);
    expect(failure).not.toContain("file-token");
  });
});

test("no error about authentication options contains a token", () => {
  expect(reports.filter((report) => /file-token|webhook-token|eyJ/.test(report))).toEqual([]);
});
