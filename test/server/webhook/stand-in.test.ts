import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { boxDefinition, boxesOf, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { certificates } from "../../helpers/webhook-server.js";

const DEFAULT = "/api/v1/namespaces/default";
const MAPS = `${DEFAULT}/configmaps`;
/** What a chart writes before a program of its own puts an authority in its place: a line without one. */
const NO_AUTHORITY = "Cg==";
const AUTHORITY = Buffer.from(certificates(["localhost"]).authority.certificate).toString("base64");
const STANDS_IN =
  /container c of pod default\/hooks stands in for image "example\.com\/hooks"; would have run: its entrypoint/;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, nodes: 1 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200));
  const ports = [{ port: 443, targetPort: 8443 }];
  await call(api, "POST", `${DEFAULT}/services`, {
    metadata: { name: "hooks" },
    spec: { selector: { a: "b" }, ports },
  });
});
afterAll(() => cluster.close());

const service = { namespace: "default", name: "hooks", path: "/review" };

describe("a webhook whose pod runs a stand-in", () => {
  test("fails a write by its failurePolicy before the pod is ready", async () => {
    await using _ = await configure(api, "validating", [{ clientConfig: { service, caBundle: AUTHORITY } }]);
    const answer = await call(api, "POST", MAPS, { metadata: { name: "early" } });
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("no endpoints available for service")]);
  });

  test.each([
    ["mutating", AUTHORITY],
    ["mutating", NO_AUTHORITY],
    ["validating", AUTHORITY],
    ["validating", NO_AUTHORITY],
    ["validating", undefined],
  ] as const)("counts as allowing and is not called: %s, with the CA bundle %s", async (phase, caBundle) => {
    const containers = [{ name: "c", image: "example.com/hooks" }];
    await call(api, "POST", `${DEFAULT}/pods`, {
      metadata: { name: "hooks", labels: { a: "b" } },
      spec: { containers },
    });
    await eventually(async () => {
      expect((await call(api, "GET", `${DEFAULT}/endpoints/hooks`)).at("subsets.0.addresses")).toHaveLength(1);
    });
    await using _ = await configure(api, phase, [{ clientConfig: { service, ...(caBundle && { caBundle }) } }]);
    const answer = await call(api, "POST", `${MAPS}?dryRun=All`, { metadata: { name: "later" }, data: { a: "b" } });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.at("data")).toEqual({ a: "b" });
    const warning = String(answer.headers["warning"]).replaceAll("\\", "");
    expect(warning).toContain('webhook "one.webhook.test" counts as allowed and was not called: ');
    expect(warning).toMatch(STANDS_IN);
  });

  test("for conversion serves the stored version, and explains why no other", async () => {
    const group = "stand-in.example.com";
    const clientConfig = { service, caBundle: AUTHORITY };
    const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
    const versions = [versionOf("v1", {}), versionOf("v2", {}, { storage: false })];
    await install(api, boxDefinition(group, versions, { conversion }));
    const box = { apiVersion: `${group}/v1`, kind: "Box", metadata: { name: "b" } };
    expect((await call(api, "POST", boxesOf(group), box)).status).toBe(201);
    expect((await call(api, "GET", `${boxesOf(group)}/b`)).status).toBe(200);
    const other = await call(api, "GET", `${boxesOf(group, "v2")}/b`);
    expect([other.status, other.at("message")]).toEqual([500, expect.stringMatching(STANDS_IN)]);
  });
});
