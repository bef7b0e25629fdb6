import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openMemoryKv } from "../../../../../src/server/storage/memory/memory-kv.js";
import { type AdmittingServer, admittingServer, done } from "../../../../helpers/admitting-server.js";
import { call } from "../../../../helpers/api-caller.js";
import { full, label, type Labels, MERGE, namespace, pod, podsOf, warnings } from "./requests.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(() => server[Symbol.asyncDispose]());

describe("Pod Security labels of a namespace", () => {
  const level = "must be one of privileged, baseline, restricted";
  const version = 'must be "latest" or "v1.x"';
  const invalid: readonly (readonly [labels: Labels, errors: readonly (readonly [string, string])[]])[] = [
    [{ enforce: "strong" }, [["enforce", `"strong": ${level}`]]],
    [{ enforce: "" }, [["enforce", `"": ${level}`]]],
    [{ audit: "Baseline" }, [["audit", `"Baseline": ${level}`]]],
    [{ warn: "none" }, [["warn", `"none": ${level}`]]],
    ...["v1", "1.20", "v1.020", "v2.0", "v1.20.1", "v1.99999999999999999999", "Latest", ""].map(
      (text) => [{ "enforce-version": text }, [["enforce-version", `"${text}": ${version}`]]] as const,
    ),
    [{ "audit-version": "x" }, [["audit-version", `"x": ${version}`]]],
    [
      { "warn-version": "y", warn: "z", enforce: "restricted" },
      [
        ["warn", `"z": ${level}`],
        ["warn-version", `"y": ${version}`],
      ],
    ],
  ];
  test.each(invalid)("are refused: %j", async (labels, errors) => {
    const answer = await call(server.api, "POST", "/api/v1/namespaces", {
      metadata: { name: "n", labels: full(labels) },
    });
    const texts = errors.map(
      ([name, text]) => `metadata.labels[pod-security.kubernetes.io/${name}]: Invalid value: ${text}`,
    );
    const all = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
    expect([answer.status, answer.at("message")]).toEqual([422, `Namespace "n" is invalid: ${all}`]);
    expect(answer.at("details.causes.0.field")).toBe(`metadata.labels[pod-security.kubernetes.io/${errors[0]?.[0]}]`);
    const changed = await label(server, "default", labels);
    expect([changed.status, changed.at("message")]).toEqual([422, `Namespace "default" is invalid: ${all}`]);
  });

  const valid: readonly Labels[] = [
    { enforce: "restricted", audit: "baseline", warn: "privileged" },
    { "enforce-version": "v1.0", "audit-version": "latest", "warn-version": "v1.1000" },
    { other: "anything" },
  ];
  test.each(valid)("are accepted: %j", async (labels) => {
    const body = { metadata: { name: "n", labels: full(labels) } };
    expect(warnings(await done(server.api, "POST", "/api/v1/namespaces?dryRun=All", body))).toEqual([]);
  });

  test("may stay invalid in an update, and be corrected, but not become invalid in another way", async () => {
    const kv = openMemoryKv();
    await using lax = await admittingServer({ disable: ["PodSecurity"] }, kv);
    await namespace(lax, "odd", { enforce: "strong" });
    await using own = await admittingServer({}, kv);
    await done(own.api, "PATCH", "/api/v1/namespaces/odd", { metadata: { annotations: { a: "b" } } }, MERGE);
    expect((await label(own, "odd", { enforce: "stronger" })).status).toBe(422);
    expect((await label(own, "odd", { warn: "x" })).status).toBe(422);
    expect((await label(own, "odd", { enforce: "restricted" })).status).toBe(200);
  });
});

describe("a namespace whose enforced Pod Security level changes", () => {
  const host = (name: string): object => pod(name, { hostNetwork: true });

  beforeAll(async () => {
    await namespace(server, "old");
    for (const body of [host("b"), host("a"), host("c"), pod("plain"), pod("pid", { hostPID: true, hostIPC: true })]) {
      await done(server.api, "POST", podsOf("old"), body);
    }
    await done(
      server.api,
      "POST",
      podsOf("old"),
      pod("ports", { containers: [{ name: "c", image: "i", ports: [{ containerPort: 1, hostPort: 1 }] }] }),
    );
  });

  const change = async (labels: Labels) => warnings(await label(server, "old", labels));

  test("is answered with warnings about its pods, those with the same faults together under the first name", async () => {
    expect(await change({ enforce: "baseline" })).toEqual([
      'existing pods in namespace "old" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 3 other pods): host namespaces",
      "ports: hostPort",
    ]);
    expect(await change({ enforce: "restricted" })).toEqual([
      'existing pods in namespace "old" violate the new PodSecurity enforce level "restricted:latest"',
      "a (and 3 other pods): host namespaces, allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
      "plain: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
      "ports: hostPort, allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
    ]);
  });

  test("is answered so when only the version changes, and in a dry run", async () => {
    const answer = await call(
      server.api,
      "PATCH",
      "/api/v1/namespaces/old?dryRun=All",
      { metadata: { labels: full({ "enforce-version": "v1.0" }) } },
      { type: MERGE },
    );
    expect(warnings(answer)).toEqual([
      'existing pods in namespace "old" violate the new PodSecurity enforce level "restricted:v1.0"',
      "a (and 3 other pods): host namespaces, runAsNonRoot != true",
      "plain: runAsNonRoot != true",
      "ports: hostPort, runAsNonRoot != true",
    ]);
  });

  test("is answered without warnings when the level is the same, lower or privileged, or only audit and warn change", async () => {
    expect(await change({ other: "x" })).toEqual([]);
    expect(await change({ audit: "restricted", warn: "restricted" })).toEqual([]);
    expect(await change({ enforce: "baseline" })).toEqual([]);
    expect(await change({ enforce: "privileged", "enforce-version": "v1.5" })).toEqual([]);
  });

  test("counts in a warning one other pod of two", async () => {
    await done(server.api, "DELETE", `${podsOf("old")}/b?gracePeriodSeconds=0`);
    await done(server.api, "DELETE", `${podsOf("old")}/pid?gracePeriodSeconds=0`);
    expect(await change({ enforce: "baseline", "enforce-version": null })).toContain(
      "a (and 1 other pod): host namespaces",
    );
  });

  test("is answered without warnings for pods that conform", async () => {
    await namespace(server, "clean");
    await done(server.api, "POST", podsOf("clean"), pod("p"));
    expect(warnings(await label(server, "clean", { enforce: "baseline" }))).toEqual([]);
  });
});
