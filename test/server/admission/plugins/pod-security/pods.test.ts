import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMemoryKv } from "../../../../../src/server/storage/memory/memory-kv.js";
import { type AdmittingServer, admittingServer, done } from "../../../../helpers/admitting-server.js";
import { call } from "../../../../helpers/api-caller.js";
import { MERGE, namespace, notes, pod, podsOf, STRATEGIC, warnings } from "./requests.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
  await namespace(server, "plain");
  await namespace(server, "base", { enforce: "baseline" });
  await namespace(server, "strict", { enforce: "restricted" });
  await namespace(server, "pinned", { enforce: "restricted", "enforce-version": "v1.18" });
  await namespace(server, "noted", { audit: "baseline", warn: "restricted", "warn-version": "v1.21" });
});

afterAll(() => server[Symbol.asyncDispose]());

const RESTRICTED =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

describe("Pod Security in a namespace without labels", () => {
  test("accepts every pod without warnings, which the audit log shows", async () => {
    const answer = await done(server.api, "POST", podsOf("plain"), pod("p", { hostNetwork: true, hostPID: true }));
    expect([warnings(answer), notes(server)]).toEqual([[], { "enforce-policy": "privileged:latest" }]);
  });
});

describe("Pod Security in a namespace that enforces a level", () => {
  const refusals: readonly (readonly [where: string, spec: object, policy: string, violations: string])[] = [
    ["base", { hostPID: true }, "baseline:latest", "host namespaces (hostPID=true)"],
    [
      "base",
      { hostIPC: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 8080 }] }] },
      "baseline:latest",
      'host namespaces (hostIPC=true), hostPort (container "c" uses hostPort 8080)',
    ],
    ["strict", {}, "restricted:latest", RESTRICTED],
    [
      "pinned",
      {},
      "restricted:v1.18",
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    ],
  ];
  test.each(refusals)("%s: refuses a pod with %j", async (where, spec, policy, violations) => {
    const answer = await call(server.api, "POST", podsOf(where), pod("p", spec));
    expect([answer.status, answer.at("reason"), answer.at("details")]).toEqual([
      403,
      "Forbidden",
      { name: "p", kind: "pods" },
    ]);
    expect(answer.at("message")).toBe(`pods "p" is forbidden: violates PodSecurity "${policy}": ${violations}`);
    expect([warnings(answer), notes(server)]).toEqual([[], { "enforce-policy": policy }]);
  });

  test("names a generated name, and refuses in a dry run too", async () => {
    const body = { ...pod("", {}), metadata: { generateName: "web-" } };
    const answer = await call(server.api, "POST", `${podsOf("strict")}?dryRun=All`, body);
    expect(answer.at("message")).toMatch(/^pods "web-.{5}" is forbidden: violates PodSecurity "restricted:latest": /);
  });

  test("accepts a pod that conforms", async () => {
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    const spec = {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ name: "c", image: "i", securityContext }],
    };
    const answer = await done(server.api, "POST", podsOf("strict"), pod("good", spec));
    expect([warnings(answer), notes(server)]).toEqual([[], { "enforce-policy": "restricted:latest" }]);
  });
});

describe("Pod Security in a namespace that audits and warns", () => {
  test("accepts a pod with a warning and an audit annotation, each by its own level and version", async () => {
    const answer = await done(server.api, "POST", podsOf("noted"), pod("p", { hostNetwork: true }));
    expect(warnings(answer)).toEqual([
      'would violate PodSecurity "restricted:v1.21": host namespaces (hostNetwork=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ]);
    expect(notes(server)).toEqual({
      "enforce-policy": "privileged:latest",
      "audit-violations": 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
  });
});

describe("Pod Security, for an update of a pod,", () => {
  const path = `${podsOf("later")}/p`;
  beforeAll(async () => {
    await namespace(server, "later");
    await done(server.api, "POST", podsOf("later"), pod("p", { initContainers: [{ name: "i", image: "i" }] }));
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await done(server.api, "PATCH", "/api/v1/namespaces/later", { metadata: { labels } }, MERGE);
  });

  test("accepts one that changes no image, without an audit annotation", async () => {
    const answer = await done(server.api, "PATCH", path, { metadata: { labels: { a: "b" } } }, MERGE);
    expect([warnings(answer), notes(server)]).toEqual([[], {}]);
  });

  const images: readonly (readonly [string, object])[] = [
    ["an image", { containers: [{ name: "c", image: "other" }] }],
    ["the image of an init container", { initContainers: [{ name: "i", image: "other" }] }],
  ];
  test.each(images)("refuses one that changes %s", async (_name, spec) => {
    const answer = await call(server.api, "PATCH", path, { spec }, { type: STRATEGIC });
    expect([answer.status, answer.at("message")]).toEqual([
      403,
      expect.stringMatching(/^pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscal/),
    ]);
  });

  test("refuses one that adds an ephemeral container, and names it", async () => {
    const spec = { ephemeralContainers: [{ name: "look", image: "i" }] };
    const answer = await call(server.api, "PATCH", `${path}/ephemeralcontainers`, { spec }, { type: STRATEGIC });
    expect([answer.status, answer.at("message")]).toEqual([
      403,
      expect.stringContaining('containers "i", "c", "look" must'),
    ]);
  });

  test("accepts one of a subresource that changes no container: status, resize, binding, eviction", async () => {
    await done(server.api, "PATCH", `${path}/status`, { status: { message: "m" } }, MERGE);
    await done(server.api, "PATCH", `${path}/resize`, { metadata: { labels: { x: "y" } } }, STRATEGIC);
    await done(server.api, "POST", `${path}/binding`, { metadata: { name: "p" }, target: { name: "n" } });
    expect(notes(server)).toEqual({});
    await done(server.api, "POST", `${path}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p" },
    });
  });
});

describe("Pod Security, for stored invalid labels,", () => {
  test("enforces the restricted level of the latest version without warnings, which the audit log shows", async () => {
    const kv = openMemoryKv();
    await using lax = await admittingServer({ disable: ["PodSecurity"] }, kv);
    await namespace(lax, "odd", { enforce: "strong", "enforce-version": "1.20", warn: "some", audit: "x" });
    await using own = await admittingServer({}, kv);
    const answer = await call(own.api, "POST", podsOf("odd"), pod("p"));
    expect(answer.at("message")).toBe(`pods "p" is forbidden: violates PodSecurity "restricted:latest": ${RESTRICTED}`);
    const level = "must be one of privileged, baseline, restricted";
    const field = (name: string): string => `metadata.labels[pod-security.kubernetes.io/${name}]: Invalid value: `;
    expect(notes(own)).toEqual({
      "enforce-policy": "restricted:latest",
      error: `Failed to parse policy: [${field("enforce")}"strong": ${level}, ${field("enforce-version")}"1.20": must be "latest" or "v1.x", ${field("audit")}"x": ${level}, ${field("warn")}"some": ${level}]`,
    });
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const deployment = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
    await done(own.api, "POST", "/apis/apps/v1/namespaces/odd/deployments", deployment);
    expect(Object.keys(notes(own))).toEqual(["error"]);
  });
});

test("Pod Security answers an internal error for a pod in a missing namespace, as kube-apiserver does", async () => {
  const disable = ["NamespaceLifecycle", "ServiceAccount"];
  await using lax = await admittingServer({ disable });
  const answer = await call(lax.api, "POST", podsOf("nowhere"), pod("p"));
  expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([
    500,
    "InternalError",
    'Internal error occurred: failed to lookup namespace "nowhere"',
  ]);
  expect(notes(lax)).toEqual({
    error: 'Internal error occurred: failed to lookup namespace "nowhere": namespaces "nowhere" not found',
  });
});
