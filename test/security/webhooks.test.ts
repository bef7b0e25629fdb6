import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhookServer, type WebhookServer } from "../helpers/webhook-server.js";
import { Arena, JEWEL, jewel, MERGE, type Try, tryAll } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const HOOKS = "/apis/admissionregistration.k8s.io/v1";
const REFUSED = "403 Forbidden";
const INVALID = "422 Invalid";

let arena: Arena;
let hook: WebhookServer;
/** Where redirects lead: it keeps what it was sent, and must not be sent anything. */
let elsewhere: Server;
const sent: IncomingHttpHeaders[] = [];
let robot: string;
let folder: string;

const configuration = (name: string, clientConfig: object, more: object = {}) => ({
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig,
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 5,
      ...more,
    },
  ],
});

beforeAll(async () => {
  hook = await startWebhookServer();
  elsewhere = createServer((request, response) => {
    sent.push(request.headers);
    response.end("{}");
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  const { port } = elsewhere.address() as AddressInfo;
  hook.on("/allow", ({ request }) => ({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: request["uid"], allowed: true },
  }));
  hook.on(
    "/away",
    (_, response) => void response.writeHead(307, { location: `http://127.0.0.1:${port}/stolen` }).end(),
  );
  const authorize = hook.on("/authorize", ({ body }) => ({
    ...(JSON.parse(body) as object),
    status: { allowed: false },
  }));
  hook.on(
    "/review",
    (_, response) => void response.writeHead(307, { location: `http://127.0.0.1:${port}/stolen` }).end(),
  );
  folder = await mkdtemp(join(tmpdir(), "kubets-webhook-"));
  const kubeconfig = (url: string): string =>
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": authorize.caBundle } }],
      users: [{ name: "u", user: { token: `${JEWEL}-of-the-webhook` } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  await writeFile(join(folder, "authorize.yaml"), kubeconfig(authorize.url));
  await writeFile(join(folder, "review.yaml"), kubeconfig(`${hook.url}/review`));
  arena = await Arena.open({
    authorization: {
      modes: ["RBAC", "Webhook"],
      webhook: { kubeconfig: join(folder, "authorize.yaml"), version: "v1" },
    },
    authentication: { webhook: { configFile: join(folder, "review.yaml"), version: "v1" } },
  });
  for (const name of ["default", "robot"]) await arena.create(`${CORE}/serviceaccounts`, { metadata: { name } });
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/configmaps`, { metadata: { name: "mine" } });
  await arena.allow("jane,system:serviceaccount:default:robot", "get,create,update,patch configmaps");
  await arena.allow(
    "reader",
    "get,list admissionregistration.k8s.io:validatingwebhookconfigurations,mutatingwebhookconfigurations",
  );
  robot = await arena.token("default", "robot");
});

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  elsewhere.closeAllConnections();
  await new Promise((resolve) => elsewhere.close(resolve));
  await rm(folder, { recursive: true });
});

describe("only users with the right may name a server that this server calls:", () => {
  const url = { url: "https://169.254.169.254/latest" };
  const rows: readonly Try[] = [
    ["a webhook of anybody", "jane", `POST ${HOOKS}/validatingwebhookconfigurations`, REFUSED, configuration("x", url)],
    [
      "a mutating webhook of anybody",
      "jane",
      `POST ${HOOKS}/mutatingwebhookconfigurations`,
      REFUSED,
      configuration("x", url),
    ],
    [
      "a webhook by who may read them",
      "reader",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      REFUSED,
      configuration("x", url),
    ],
    [
      "a webhook in dry run",
      "reader",
      `POST ${HOOKS}/validatingwebhookconfigurations?dryRun=All`,
      REFUSED,
      configuration("x", url),
    ],
    [
      "a policy of anybody",
      "jane",
      `POST ${HOOKS}/validatingadmissionpolicies`,
      REFUSED,
      { metadata: { name: "x" }, spec: {} },
    ],
    [
      "a conversion's webhook of anybody",
      "jane",
      "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      REFUSED,
      { metadata: { name: "xs.example.com" } },
    ],
    [
      "an API service of anybody",
      "jane",
      "POST /apis/apiregistration.k8s.io/v1/apiservices",
      REFUSED,
      { metadata: { name: "v1.example.com" } },
    ],
    [
      "an ExternalName of anybody",
      "jane",
      `POST ${CORE}/services`,
      REFUSED,
      { metadata: { name: "x" }, spec: { type: "ExternalName", externalName: "localhost" } },
    ],
    [
      "an address in clear, by an administrator",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "http://127.0.0.1/" }),
    ],
    [
      "an address with a user in it",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "https://a:b@127.0.0.1/" }),
    ],
    [
      "an address with a query",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "https://127.0.0.1/?a=b" }),
    ],
    [
      "an address with a fragment",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "https://127.0.0.1/#a" }),
    ],
    [
      "an address of a file",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "file:///etc/passwd" }),
    ],
    [
      "an address and a service",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { url: "https://127.0.0.1/", service: { namespace: "default", name: "x" } }),
    ],
    [
      "a service's path with dots",
      "x,system:masters",
      `POST ${HOOKS}/validatingwebhookconfigurations`,
      INVALID,
      configuration("x", { service: { namespace: "default", name: "x", path: "/a//b" } }),
    ],
  ];
  tryAll(rows, () => arena);
});

describe("an admission webhook", () => {
  test("receives the sender's name, but no token, header or certificate", async () => {
    const { url, caBundle } = { url: `${hook.url}/allow`, caBundle: hook.caBundle };
    await arena.create(`${HOOKS}/validatingwebhookconfigurations`, configuration("allow", { url, caBundle }));
    hook.calls.length = 0;
    const answer = await arena.send(`bearer ${robot}`, {
      method: "PATCH",
      path: `${CORE}/configmaps/mine`,
      body: { data: { a: "b" } },
      type: MERGE,
      headers: { cookie: "session=secret-of-the-client", "x-own": "secret-of-the-client" },
    });
    expect(answer.status, answer.text).toBe(200);
    const seen = hook.calls.filter(({ path }) => path.startsWith("/allow"));
    expect(seen.length).toBeGreaterThan(0);
    for (const { headers, body } of seen) {
      expect(headers).not.toHaveProperty("authorization");
      expect(headers).not.toHaveProperty("cookie");
      for (const secret of [robot, robot.split(".")[2] ?? "-", "secret-of-the-client", JEWEL]) {
        expect(JSON.stringify(headers) + body).not.toContain(secret);
      }
    }
    await arena.make("DELETE", `${HOOKS}/validatingwebhookconfigurations/allow`);
  });

  test("that redirects is not followed", async () => {
    const url = `${hook.url}/away`;
    await arena.create(
      `${HOOKS}/validatingwebhookconfigurations`,
      configuration("away", { url, caBundle: hook.caBundle }),
    );
    await arena.attempt([
      "away",
      "jane",
      `PATCH ${CORE}/configmaps/mine`,
      "500 InternalError",
      { data: { a: "c" } },
      { type: MERGE },
    ]);
    expect(sent).toEqual([]);
    await arena.make("DELETE", `${HOOKS}/validatingwebhookconfigurations/away`);
  });

  test("with a certificate of another authority is not called", async () => {
    const url = `${hook.url}/allow`;
    const stranger = Buffer.from(arena.cluster.caCertificate).toString("base64");
    await arena.create(
      `${HOOKS}/validatingwebhookconfigurations`,
      configuration("stranger", { url, caBundle: stranger }),
    );
    hook.calls.length = 0;
    await arena.attempt([
      "stranger",
      "jane",
      `PATCH ${CORE}/configmaps/mine`,
      "500 InternalError",
      { data: { a: "c" } },
      { type: MERGE },
    ]);
    expect(hook.calls.filter(({ path }) => path.startsWith("/allow"))).toEqual([]);
    await arena.make("DELETE", `${HOOKS}/validatingwebhookconfigurations/stranger`);
  });

  test("that refuses everything cannot keep an administrator from deleting it", async () => {
    const more = { rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }] };
    await arena.create(
      `${HOOKS}/validatingwebhookconfigurations`,
      configuration("all", { url: "https://127.0.0.1:1/" }, more),
    );
    await arena.make("DELETE", `${HOOKS}/validatingwebhookconfigurations/all`);
  });
});

describe("a webhook for authorization or authentication", () => {
  test("receives its own credentials, and not the user's", async () => {
    hook.calls.length = 0;
    await arena.attempt(["secret", `bearer ${robot}`, `GET ${CORE}/secrets/jewel`, REFUSED]);
    const [asked] = hook.calls.filter(({ path }) => path.startsWith("/authorize"));
    expect(asked?.headers.authorization).toBe(`Bearer ${JEWEL}-of-the-webhook`);
    expect(JSON.stringify(asked)).not.toContain(robot.split(".")[2]);
  });

  test("that redirects is not followed, and neither its credentials nor the token reach the target", async () => {
    const answer = await arena.send("bearer a-token-that-nobody-knows", {
      method: "GET",
      path: `${CORE}/secrets/jewel`,
    });
    expect(answer.status).toBe(401);
    expect(hook.calls.filter(({ path }) => path.startsWith("/review"))).not.toEqual([]);
    arena.holdsNoSecret(answer);
    expect(sent).toEqual([]);
    expect(String(arena.faults.map((fault) => (fault instanceof Error ? fault.stack : fault)))).not.toMatch(
      /a-token-that-nobody-knows|crown-jewel/,
    );
  });
});
