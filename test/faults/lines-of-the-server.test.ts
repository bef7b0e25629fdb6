import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { turn } from "../../src/base/async/turns.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { call } from "../helpers/api-caller.js";
import { configure } from "../helpers/configured-webhooks.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../helpers/custom-definitions.js";
import { asUser } from "../helpers/as-user.js";
import { rawRequest } from "../helpers/raw-request.js";
import { certificates } from "../helpers/webhook-server.js";
import { halfRecord, type Line, type LinePeer, noSyn, resets, tarpit } from "./lines.js";

// What a server asks others for while a caller waits, where their line is at fault.

const LINES: readonly (readonly [string, Line])[] = [
  ["accepts and says nothing", tarpit],
  ["sends half a record of TLS", halfRecord],
  ["answers no SYN", noSyn],
  ["resets what it hears", resets],
];

let folder: string;
const caBundle = Buffer.from(certificates(["127.0.0.1"]).authority.certificate).toString("base64");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const portOf = ({ address }: LinePeer): number => Number(address.split(":")[1]);
const urlOf = (peer: LinePeer): string => `https://${peer.address}`;
const kubeconfigOf = (peer: LinePeer): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "w", cluster: { server: `${urlOf(peer)}/ask`, "certificate-authority-data": caBundle } }],
    users: [{ name: "w", user: {} }],
    contexts: [{ name: "w", context: { cluster: "w", user: "w" } }],
    "current-context": "w",
  });

/** A message without the ports that it names. */
const plain = (message: unknown): string => String(message).replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS");

/** What Go's errors say of a dial, per line, where nothing else ends it first. */
const OWN_LIMIT: Readonly<Record<string, RegExp>> = {
  "accepts and says nothing": /net\/http: TLS handshake timeout/,
  "sends half a record of TLS": /net\/http: TLS handshake timeout/,
  "answers no SYN": /dial tcp ADDRESS: (?:i\/o timeout|connect: connection timed out)/,
  "resets what it hears": /read tcp ADDRESS-(?:>|&gt;)ADDRESS: read: connection reset by peer/,
};
const CALLERS_LIMIT = /context deadline exceeded/;
/** Of a webhook with a client of its own, whose requests have 30 s. */
const CLIENTS_LIMIT = /\(Client\.Timeout exceeded while awaiting headers\)/;

describe.concurrent.each(LINES)("a server whose connection to a webhook, kubelet or issuer %s", (title, line) => {
  const own = OWN_LIMIT[title] ?? /^$/;
  const limited = title === "resets what it hears" ? own : CALLERS_LIMIT;
  const reviewed = title === "answers no SYN" ? CLIENTS_LIMIT : own;
  let cluster: Cluster;
  let api: Transport;
  let peer: LinePeer;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    api = cluster.transport();
    peer = await line();
  });
  afterAll(async () => {
    await peer?.close();
    await cluster?.close();
  });

  const maps = "/api/v1/namespaces/default/configmaps";
  let created = 0;

  /** Creates a config map that these webhooks are asked about. */
  async function create(phase: "mutating" | "validating", webhooks: readonly object[]) {
    const name = `c${++created}`;
    const selected = webhooks.map((webhook, index) => ({
      name: `w${index}.webhook.test`,
      clientConfig: { url: `${urlOf(peer)}/hook`, caBundle },
      objectSelector: { matchLabels: { name } },
      ...webhook,
    }));
    await using _ = await configure(api, phase, selected, name);
    return call(api, "POST", `${maps}?dryRun=All`, { metadata: { name, labels: { name } } });
  }

  test.each(["mutating", "validating"] as const)(
    "accepts a write when the %s webhook may be skipped",
    async (phase) => {
      const answer = await create(phase, [{ timeoutSeconds: 2, failurePolicy: "Ignore" }]);
      expect(answer.status, answer.text).toBe(201);
    },
  );

  test.each(["mutating", "validating"] as const)(
    "refuses a write, with the reason, when the %s webhook is required",
    async (phase) => {
      const answer = await create(phase, [{ timeoutSeconds: 2, failurePolicy: "Fail" }]);
      expect(answer.status, answer.text).toBe(500);
      const message = plain(answer.at("message"));
      expect(message).toMatch(
        /^Internal error occurred: failed calling webhook "w0\.webhook\.test": failed to call webhook: Post "https:\/\/ADDRESS\/hook\?timeout=2s": /,
      );
      expect(message).toMatch(limited);
    },
  );

  test.each(["mutating", "validating"] as const)(
    "skips several %s webhooks, each after its own time limit",
    async (phase) => {
      const one = { timeoutSeconds: 1, failurePolicy: "Ignore" };
      const answer = await create(phase, [one, one, one]);
      expect(answer.status, answer.text).toBe(201);
    },
  );

  test("answers with an error to a read that needs a conversion webhook", async () => {
    const group = "lines.example.com";
    const clientConfig = { url: `${urlOf(peer)}/convert`, caBundle };
    const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
    const versions = [versionOf("v1", {}), versionOf("v2", {}, { storage: false })];
    await install(api, boxDefinition(group, versions, { conversion }));
    const box = { apiVersion: `${group}/v1`, kind: "Box", metadata: { name: "b" } };
    expect((await call(api, "POST", boxesOf(group), box)).status).toBe(201);
    const answer = await call(api, "GET", `${boxesOf(group, "v2")}/b`);
    expect(answer.status, answer.text).toBe(500);
    const message = plain(answer.at("message"));
    expect(message).toMatch(
      /^conversion webhook for lines\.example\.com\/v1, Kind=Box failed: Post "https:\/\/ADDRESS\/convert\?timeout=30s": /,
    );
    expect(message).toMatch(reviewed);
    await call(api, "DELETE", `${DEFINITIONS}/boxes.${group}`);
  });

  test("answers with an error to a request for a log from the kubelet", async () => {
    const node = { metadata: { name: "far" } };
    expect((await call(api, "POST", "/api/v1/nodes", node)).status).toBe(201);
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: portOf(peer) } },
    };
    expect((await call(api, "PUT", "/api/v1/nodes/far/status", { ...node, status })).status).toBe(200);
    const spec = { nodeName: "far", containers: [{ name: "c", image: "i" }] };
    const pods = "/api/v1/namespaces/default/pods";
    await call(api, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const made = await call(api, "POST", pods, { metadata: { name: "p" }, spec });
    expect(made.status, made.text).toBe(201);
    const answer = await call(api, "GET", `${pods}/p/log`);
    expect(answer.status, answer.text).toBe(500);
    expect(plain(answer.at("message"))).toMatch(/^Get "https:\/\/ADDRESS\/containerLogs\/default\/p\/c": /);
    expect(plain(answer.at("message"))).toMatch(own);
  });

  test("survives when its caller disconnects meanwhile", async () => {
    const unstarted = await startCluster({ controllers: false });
    const own = unstarted.transport();
    const far = await line();
    try {
      const status = {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: portOf(far) } },
      };
      const node = { metadata: { name: "far" } };
      await call(own, "POST", "/api/v1/nodes", node);
      expect((await call(own, "PUT", "/api/v1/nodes/far/status", { ...node, status })).status).toBe(200);
      for (const path of ["/api/v1/nodes/far/proxy/healthz", "/api/v1/nodes/far/proxy/metrics"]) {
        const going = new AbortController();
        const answer = own.send({ method: "GET", path, headers: {}, signal: going.signal });
        await turn();
        going.abort();
        await answer.catch(() => {});
      }
      expect((await call(own, "GET", "/api/v1/nodes/far")).status).toBe(200);
    } finally {
      await far.close();
      await unstarted.close();
    }
  });

  test("rejects tokens of the webhook and of an OIDC issuer, and answers other callers meanwhile", async () => {
    const configFile = join(folder, `tokens-${portOf(peer)}`);
    writeFileSync(configFile, kubeconfigOf(peer));
    const reported: string[] = [];
    const asking = await startCluster({
      controllers: false,
      authorization: { modes: ["RBAC"] },
      authentication: {
        webhook: { configFile, version: "v1" },
        oidc: { issuerUrl: urlOf(peer), clientId: "kubets" },
      },
      onError: (error) => void reported.push(plain(error instanceof Error ? error.message : error)),
    });
    try {
      const asked = rawRequest(asking, maps, { token: "of-nobody" });
      expect((await rawRequest(asking, maps, { token: asking.token })).status).toBe(200);
      const { status, body } = await asked;
      expect(status, body).toBe(401);
      expect(reported.join("\n")).toMatch(title === "answers no SYN" ? CALLERS_LIMIT : own);
    } finally {
      await asking.close();
    }
  });

  test("allows nothing by an authorization webhook", async () => {
    const kubeconfig = join(folder, `reviews-${portOf(peer)}`);
    writeFileSync(kubeconfig, kubeconfigOf(peer));
    const asking = await startCluster({
      controllers: false,
      authorization: { modes: ["Webhook", "RBAC"], webhook: { kubeconfig, version: "v1" } },
      onError: () => {},
    });
    try {
      const answer = await asUser(asking.transport(), "eve")("GET", maps);
      expect(answer.status, answer.text).toBe(500);
      expect(plain(answer.text)).toMatch(reviewed);
    } finally {
      await asking.close();
    }
  });
});
