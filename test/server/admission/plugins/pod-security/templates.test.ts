import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdmittingServer, admittingServer, done } from "../../../../helpers/admitting-server.js";
import { MERGE, namespace, notes, warnings } from "./requests.js";

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
  await namespace(server, "base", { enforce: "baseline" });
  await namespace(server, "audited", { audit: "baseline", "audit-version": "v1.30" });
  await namespace(server, "quiet", { enforce: "baseline", warn: "privileged" });
  await namespace(server, "older", { enforce: "baseline", "enforce-version": "v1.30", "warn-version": "v1.20" });
});

afterAll(() => server[Symbol.asyncDispose]());

const labels = { a: "b" };
const pods = { metadata: { labels }, spec: { hostNetwork: true, containers: [{ name: "c", image: "i" }] } };
const once = { ...pods, spec: { ...pods.spec, restartPolicy: "Never" } };
const selector = { matchLabels: labels };
const metadata = { name: "x" };

const kinds: readonly (readonly [resource: string, api: string, body: object])[] = [
  ["deployments", "apis/apps/v1", { metadata, spec: { selector, template: pods } }],
  ["replicasets", "apis/apps/v1", { metadata, spec: { selector, template: pods } }],
  ["daemonsets", "apis/apps/v1", { metadata, spec: { selector, template: pods } }],
  ["statefulsets", "apis/apps/v1", { metadata, spec: { selector, serviceName: "s", template: pods } }],
  ["jobs", "apis/batch/v1", { metadata, spec: { template: once } }],
  [
    "cronjobs",
    "apis/batch/v1",
    { metadata, spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } },
  ],
  ["replicationcontrollers", "api/v1", { metadata, spec: { selector: labels, template: pods } }],
  ["podtemplates", "api/v1", { metadata, template: pods }],
];
const VIOLATION = "host namespaces (hostNetwork=true)";

describe.each(kinds)("Pod Security, for the pod template of %s,", (resource, api, body) => {
  const path = (where: string): string => `/${api}/namespaces/${where}/${resource}`;

  test("warns by the enforced level, and never refuses", async () => {
    const answer = await done(server.api, "POST", path("base"), body);
    expect(warnings(answer)).toEqual([`would violate PodSecurity "baseline:latest": ${VIOLATION}`]);
    expect(notes(server)).toEqual({});
  });

  test("warns again at any update, but not for the status or scale", async () => {
    const change = { metadata: { annotations: { x: "y" } } };
    const updated = await done(server.api, "PATCH", `${path("base")}/x`, change, MERGE);
    expect(warnings(updated)).toEqual([`would violate PodSecurity "baseline:latest": ${VIOLATION}`]);
    if (resource === "podtemplates") return;
    const status = await done(server.api, "PATCH", `${path("base")}/x/status`, { status: {} }, MERGE);
    expect(warnings(status)).toEqual([]);
  });

  test("adds an audit annotation", async () => {
    const answer = await done(server.api, "POST", path("audited"), body);
    expect(warnings(answer)).toEqual([]);
    expect(notes(server)).toEqual({ "audit-violations": `would violate PodSecurity "baseline:v1.30": ${VIOLATION}` });
  });

  test("does not check it where only pods are refused", async () => {
    expect(warnings(await done(server.api, "POST", path("quiet"), body))).toEqual([]);
    expect(notes(server)).toEqual({});
  });
});

test("Pod Security warns by the enforced version, unless a label names another", async () => {
  const body = kinds[0]?.[2];
  const answer = await done(server.api, "POST", "/apis/apps/v1/namespaces/older/deployments", body);
  expect(warnings(answer)).toEqual([`would violate PodSecurity "baseline:v1.20": ${VIOLATION}`]);
});

test("Pod Security checks Deployments while a namespace has labels", async () => {
  await using own = await admittingServer({});
  const make = async (name: string) => {
    const body = { ...kinds[0]?.[2], metadata: { name } };
    return warnings(await done(own.api, "POST", "/apis/apps/v1/namespaces/default/deployments", body));
  };
  const warn = (level: string | null) =>
    done(
      own.api,
      "PATCH",
      "/api/v1/namespaces/default",
      { metadata: { labels: { "pod-security.kubernetes.io/warn": level } } },
      MERGE,
    );
  expect(await make("a")).toEqual([]);
  await warn("baseline");
  expect(await make("b")).toEqual([`would violate PodSecurity "baseline:latest": ${VIOLATION}`]);
  await warn(null);
  expect(await make("c")).toEqual([]);
});
