import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdmittingServer, admittingServer, done } from "../../../../helpers/admitting-server.js";
import { call } from "../../../../helpers/api-caller.js";
import { full, label, type Labels, namespace, notes, pod, podsOf, warnings } from "./requests.js";

const RUNTIME_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";
const host = (name: string, spec: object = {}): object => pod(name, { hostPID: true, ...spec });
const deployment = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: { hostPID: true, containers: [{ name: "c", image: "i" }], ...spec },
    },
  },
});
const deploymentsOf = (name: string): string => `/apis/apps/v1/namespaces/${name}/deployments`;

describe("Pod Security exempts", () => {
  let server: AdmittingServer;

  beforeAll(async () => {
    const exemptions = { namespaces: ["free"], runtimeClasses: ["sandbox"] };
    server = await admittingServer({
      configuration: { PodSecurity: { defaults: { enforce: "baseline", warn: "baseline" }, exemptions } },
    });
    await namespace(server, "free", { enforce: "restricted" });
    await namespace(server, "bound");
    await done(server.api, "POST", RUNTIME_CLASSES, { metadata: { name: "sandbox" }, handler: "h" });
    await done(server.api, "POST", RUNTIME_CLASSES, { metadata: { name: "other" }, handler: "h" });
  });

  afterAll(() => server[Symbol.asyncDispose]());

  test("a namespace: its pods and templates are accepted, and marked as exempt in the audit log", async () => {
    expect(warnings(await done(server.api, "POST", podsOf("free"), host("p")))).toEqual([]);
    expect(notes(server)).toEqual({ exempt: "namespace" });
    expect(warnings(await done(server.api, "POST", deploymentsOf("free"), deployment("d")))).toEqual([]);
    expect(notes(server)).toEqual({ exempt: "namespace" });
  });

  test("a runtime class: pods and templates that name it are accepted", async () => {
    const spec = { runtimeClassName: "sandbox" };
    await done(server.api, "POST", podsOf("bound"), host("p", spec));
    expect(notes(server)).toEqual({ exempt: "runtimeClass" });
    expect(warnings(await done(server.api, "POST", deploymentsOf("bound"), deployment("d", spec)))).toEqual([]);
    expect(notes(server)).toEqual({ exempt: "runtimeClass" });
    expect((await call(server.api, "POST", podsOf("bound"), host("q", { runtimeClassName: "other" }))).status).toBe(
      403,
    );
  });

  test("a user, whose pods are accepted in every namespace", async () => {
    const PodSecurity = { defaults: { enforce: "restricted" }, exemptions: { usernames: ["admin"] } };
    await using own = await admittingServer({ configuration: { PodSecurity } });
    await done(own.api, "POST", podsOf("default"), host("p"));
    expect(notes(own)).toEqual({ exempt: "user" });
    const others = { defaults: { enforce: "restricted" }, exemptions: { usernames: ["admins"] } };
    await using strict = await admittingServer({ configuration: { PodSecurity: others } });
    expect((await call(strict.api, "POST", podsOf("default"), host("p"))).status).toBe(403);
  });

  const ignored = (policy: string): string =>
    `namespace "free" is exempt from Pod Security, and the policy (${policy}) will be ignored`;
  const changes: readonly (readonly [labels: Labels, warning: string | undefined])[] = [
    [{ "enforce-version": "v1.20" }, ignored("enforce=restricted:v1.20")],
    [{ audit: "restricted", enforce: "privileged" }, undefined],
    [
      { enforce: "restricted", audit: "restricted", warn: "baseline", "warn-version": "v1.5" },
      ignored("enforce=restricted:v1.20, audit=restricted:latest, warn=baseline:v1.5"),
    ],
    // The same as the default policy.
    [{ enforce: "privileged", "enforce-version": null, audit: null, warn: null, "warn-version": null }, undefined],
    [{ enforce: "baseline" }, undefined],
  ];
  test("a namespace whose new labels it ignores with a warning", async () => {
    const pods = await done(server.api, "POST", "/api/v1/namespaces?dryRun=All", {
      metadata: { name: "bound2", labels: full({ enforce: "restricted" }) },
    });
    expect(warnings(pods)).toEqual([]);
    for (const [labels, warning] of changes) {
      expect([labels, warnings(await label(server, "free", labels))]).toEqual([
        labels,
        warning === undefined ? [] : [warning],
      ]);
    }
    await using fresh = await admittingServer({
      configuration: { PodSecurity: { exemptions: { namespaces: ["free"] } } },
    });
    const made = await namespace(fresh, "free", { enforce: "baseline" });
    // Warnings are at the level that is enforced; only what a label says is named.
    expect(warnings(made)).toEqual([ignored("enforce=baseline:latest")]);
  });
});

describe("Pod Security's configured defaults", () => {
  test("apply where labels are missing, and labels override them", async () => {
    const PodSecurity = { defaults: { enforce: "restricted", "enforce-version": "v1.18", audit: "baseline" } };
    await using server = await admittingServer({ configuration: { PodSecurity } });
    const answer = await call(server.api, "POST", podsOf("default"), host("p"));
    expect(answer.at("message")).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:v1.18": host namespaces (hostPID=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    );
    expect(warnings(await done(server.api, "POST", deploymentsOf("default"), deployment("d")))).toEqual([]);
    expect(notes(server)).toEqual({
      "audit-violations": 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    });
    await namespace(server, "own", { enforce: "privileged", audit: "privileged" });
    await done(server.api, "POST", podsOf("own"), host("p"));
    expect(notes(server)).toEqual({ "enforce-policy": "privileged:latest" });
  });
});
