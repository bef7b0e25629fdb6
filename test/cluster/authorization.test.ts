import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AuthorizationOptions, authorizationProblems } from "../../src/cluster/options/authorization-options.js";
import type { RunningServer } from "../../src/cluster/running-server.js";
import { startCluster } from "../../src/cluster/start-cluster.js";
import { manualClock } from "../../src/base/time/manual-clock.js";
import { text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { replaceFile } from "../helpers/replace-file.js";
import { review, ReviewWebhook } from "../server/authz/webhook/review-webhook.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "authz-cluster-"))));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(text: string): string {
  const file = join(folder, `file-${files++}`);
  writeFileSync(file, text);
  return file;
}

const started = (authorization: AuthorizationOptions, more: object = {}) =>
  startCluster({ port: false, controllers: false, scheduler: false, authorization, ...more });

/** Asks as another user. */
async function as(server: RunningServer, who: string, method: string, path: string, body?: object) {
  const [name = "", ...groups] = who.split("+");
  const headers = { "impersonate-user": name };
  const repeatedHeaders = groups.length > 0 ? { "impersonate-group": groups } : {};
  const answer = await call(server.transport(), method, path, body, { headers, repeatedHeaders });
  return { status: answer.status, message: answer.status < 400 ? "" : text(answer.at("message")), answer };
}

const PODS = "/api/v1/namespaces/default/pods";

/** AUZ-2 of the source code book, AUTHZ-3 of the API server book, C-CFG-08. */
describe("validation of authorization options returns kube-apiserver's errors", () => {
  const rows: readonly (readonly [name: string, options: object, problems: readonly string[]])[] = [
    ["none are needed", {}, []],
    [
      "every mode",
      {
        modes: ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"],
        policyFile: "p",
        webhook: { kubeconfig: "k" },
      },
      [],
    ],
    ["a configuration file with a policy file", { configFile: "c", policyFile: "p" }, []],
    ["no mode", { modes: [] }, ["at least one authorization-mode must be passed"]],
    ["an unknown mode", { modes: ["RBAC", "Magic"] }, ['authorization-mode "Magic" is not a valid mode']],
    [
      "a mode twice",
      { modes: ["RBAC", "RBAC"] },
      ['authorization-mode ["RBAC" "RBAC"] has mode specified more than once'],
    ],
    ["ABAC without its file", { modes: ["ABAC"] }, ["authorization-mode ABAC's authorization policy file not passed"]],
    [
      "ABAC's file without ABAC",
      { modes: ["RBAC"], policyFile: "p" },
      ["cannot specify --authorization-policy-file without mode ABAC"],
    ],
    [
      "Webhook without its file",
      { modes: ["Webhook"] },
      ["authorization-mode Webhook's authorization config file not passed"],
    ],
    [
      "Webhook's file without Webhook",
      { modes: ["RBAC"], webhook: { kubeconfig: "k" } },
      ["cannot specify --authorization-webhook-config-file without mode Webhook"],
    ],
    [
      "another version of reviews",
      { modes: ["Webhook"], webhook: { kubeconfig: "k", version: "v2" } },
      ['unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"'],
    ],
    [
      "a configuration file beside modes",
      { configFile: "c", modes: ["RBAC"] },
      [
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
      ],
    ],
    [
      "a configuration file beside a webhook",
      { configFile: "c", webhook: { kubeconfig: "k" } },
      [
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
      ],
    ],
    [
      "several at once",
      { modes: ["Magic", "ABAC"] },
      [
        'authorization-mode "Magic" is not a valid mode',
        "authorization-mode ABAC's authorization policy file not passed",
      ],
    ],
  ];
  test.each(rows)("%s", (_, options, problems) => {
    expect(authorizationProblems(options as AuthorizationOptions)).toEqual(problems);
  });

  test("happens before the server opens anything", async () => {
    await expect(started({ modes: ["ABAC"], policyFile: "/no/such" })).rejects.toThrow(
      "open /no/such: no such file or directory",
    );
    await expect(started({ modes: ["ABAC"], policyFile: fileOf("{}\n{") })).rejects.toThrow(
      /error reading policy file .*, line 2: \{: /,
    );
    await expect(started({ configFile: fileOf("{") })).rejects.toThrow(
      /^authorization config file .*: failed to load AuthorizationConfiguration/,
    );
    await expect(started({ modes: ["Webhook"], webhook: { kubeconfig: "/no/such" } })).rejects.toThrow("/no/such");
    const abac = JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "AuthorizationConfiguration",
      authorizers: [{ type: "ABAC", name: "abac" }],
    });
    await expect(started({ configFile: fileOf(abac) })).rejects.toThrow(
      "authorization-mode ABAC's authorization policy file not passed",
    );
  });
});

/** AUZ-1, AUZ-3, AUZ-5 of the source code book; AUTHZ-4 of the API server book for the reviews. */
describe("a cluster with the authorization mode", () => {
  test("AlwaysDeny serves only its administrator", async () => {
    const server = await started({ modes: ["AlwaysDeny"] });
    expect((await call(server.transport(), "GET", PODS)).status).toBe(200);
    expect(await as(server, "jane", "GET", PODS)).toMatchObject({
      status: 403,
      message:
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default": Everything is forbidden.',
    });
    await server.close();
  });

  test("AlwaysAllow serves everyone", async () => {
    const server = await started({ modes: ["AlwaysAllow"] });
    expect((await as(server, "jane", "GET", PODS)).status).toBe(200);
    await server.close();
  });

  test("ABAC serves the users of its policy file, and access reviews agree", async () => {
    const policyFile = fileOf('{"user":"jane","readonly":true,"namespace":"default"}\n');
    const server = await started({ modes: ["ABAC"], policyFile });
    expect((await as(server, "jane", "GET", PODS)).status).toBe(200);
    expect(await as(server, "jane", "DELETE", PODS)).toMatchObject({
      status: 403,
      message: expect.stringMatching(/: No policy matched\.$/) as string,
    });
    expect((await as(server, "jane", "GET", "/api/v1/namespaces/kube-system/pods")).status).toBe(403);
    const asked = {
      spec: { user: "jane", resourceAttributes: { verb: "list", resource: "pods", namespace: "default" } },
    };
    const reviewed = await call(
      server.transport(),
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      asked,
    );
    expect(reviewed.at("status")).toEqual({ allowed: true });
    await server.close();
  });

  test("Webhook asks the webhook each question once, and shows its failures in access reviews", async () => {
    await using webhook = await ReviewWebhook.start();
    const faults: unknown[] = [];
    const server = await started(
      { modes: ["Webhook"], webhook: { kubeconfig: webhook.kubeconfig({ token: "servers-own" }), version: "v1" } },
      { onError: (error: Error) => faults.push(error.message) },
    );
    webhook.answers = [review({ allowed: true })];
    expect((await as(server, "jane", "GET", PODS)).status).toBe(200);
    expect((await as(server, "jane", "GET", PODS)).status).toBe(200);
    expect(webhook.reviews).toHaveLength(1);
    expect(webhook.reviews[0]?.headers.authorization).toBe("Bearer servers-own");
    expect(webhook.reviews[0]?.body.spec).toMatchObject({
      user: "jane",
      resourceAttributes: { verb: "list", resource: "pods", namespace: "default" },
    });
    webhook.answers = [review({ allowed: false, denied: true, reason: "not today" })];
    expect((await as(server, "carol", "GET", PODS)).message).toMatch(/: not today$/);
    webhook.answers = [{ code: 404 }];
    const headers = { "impersonate-user": "dave" };
    const failed = await call(server.transport(), "GET", `${PODS}?limit=1&fieldSelector=a<b`, undefined, { headers });
    expect([failed.status, failed.headers["content-type"], failed.headers["x-content-type-options"]]).toEqual([
      500,
      "text/plain; charset=utf-8",
      "nosniff",
    ]);
    expect(failed.text).toBe(
      `Internal Server Error: "${PODS}?limit=1&amp;fieldSelector=a&lt;b": the server could not find the requested resource\n`,
    );
    const asked = { spec: { user: "dave", resourceAttributes: { verb: "get", resource: "pods" } } };
    const reviewed = await call(
      server.transport(),
      "POST",
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      asked,
    );
    expect(reviewed.at("status")).toMatchObject({
      allowed: false,
      evaluationError: expect.stringContaining("could not find the requested resource") as string,
    });
    expect(faults).toHaveLength(2);
    webhook.answers = [review({ allowed: true })];
    const rules = await as(server, "erin", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      spec: { namespace: "default" },
    });
    expect(rules.answer.at("status")).toMatchObject({
      incomplete: true,
      evaluationError: "webhook authorizer does not support user rule resolution",
    });
    await server.close();
  });

  test("Node allows a kubelet to read what its pods use", async () => {
    const server = await started({ modes: ["Node"] }, { admission: { disable: ["ServiceAccount"] } });
    const api = server.transport();
    for (const name of ["used", "unused"]) {
      await call(api, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name } });
    }
    const pod = (name: string, nodeName: string, secretName: string) => ({
      metadata: { name },
      spec: { nodeName, containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", secret: { secretName } }] },
    });
    const kubelet = "system:node:n1+system:nodes";
    const secret = (name: string) => as(server, kubelet, "GET", `/api/v1/namespaces/default/secrets/${name}`);
    expect((await secret("used")).status).toBe(403);
    expect((await call(api, "POST", PODS, pod("mine", "n1", "used"))).status).toBe(201);
    expect((await call(api, "POST", PODS, pod("theirs", "n2", "unused"))).status).toBe(201);
    expect((await secret("used")).status).toBe(200);
    expect((await secret("unused")).message).toBe(
      `secrets "unused" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "default": no relationship found between node 'n1' and this object`,
    );
    expect((await as(server, kubelet, "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")).status).toBe(200);
    expect((await as(server, kubelet, "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn2")).message).toMatch(
      /: can only list\/watch pods with spec.nodeName field selector$/,
    );
    expect((await as(server, kubelet, "GET", "/api/v1/pods")).status).toBe(403);
    expect((await as(server, kubelet, "GET", `${PODS}/mine`)).status).toBe(200);
    expect((await as(server, kubelet, "GET", `${PODS}/theirs`)).status).toBe(403);
    expect((await call(api, "DELETE", `${PODS}/mine?gracePeriodSeconds=0`)).status).toBe(200);
    expect((await secret("used")).status).toBe(403);
    await server.close();
  });

  test("of a configuration file follows changes of the file, and is unhealthy while the file is invalid", async () => {
    const configuration = (...authorizers: object[]) =>
      JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration", authorizers });
    const deny = { type: "AlwaysDeny", name: "alwaysdeny" };
    await using webhook = await ReviewWebhook.start();
    const hook = {
      type: "Webhook",
      name: "hook",
      webhook: {
        timeout: "3s",
        subjectAccessReviewVersion: "v1",
        failurePolicy: "Deny",
        connectionInfo: { type: "KubeConfigFile", kubeConfigFile: webhook.kubeconfig() },
      },
    };
    const configFile = fileOf(configuration(deny));
    const faults: string[] = [];
    const server = await started({ configFile }, { onError: (error: Error) => faults.push(error.message) });
    const health = async () => (await call(server.transport(), "GET", "/readyz/authorization-config")).status;
    expect((await as(server, "jane", "GET", PODS)).status).toBe(403);
    expect(await health()).toBe(200);
    replaceFile(configFile, configuration(hook, deny));
    await expect.poll(async () => (await as(server, "jane", "GET", PODS)).status).toBe(200);
    replaceFile(configFile, configuration(hook));
    await expect.poll(health).toBe(500);
    expect((await as(server, "jane", "GET", PODS)).status).toBe(200);
    expect(faults.at(-1)).toBe(
      `reloading authorization config file ${configFile}: missing required types: [AlwaysDeny]`,
    );
    replaceFile(configFile, configuration(deny));
    await expect.poll(health).toBe(200);
    expect((await as(server, "jane", "GET", PODS)).status).toBe(403);
    expect((await call(server.transport(), "GET", PODS)).status).toBe(200);
    await server.close();
  });

  test("of a configuration file starts and ends on a manual clock", async () => {
    const text =
      "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthorizationConfiguration\nauthorizers: [{type: AlwaysDeny, name: alwaysdeny}]\n";
    const cluster = await startCluster({
      port: false,
      clock: manualClock(),
      authorization: { configFile: fileOf(text) },
    });
    await cluster.clock.advance(180_000);
    expect((await as(cluster, "jane", "GET", PODS)).status).toBe(403);
    await cluster.close();
  });
});
