import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { startCluster } from "../../../src/cluster/index.js";
import type { AuditEvent } from "../../../src/server/audit/audit-event.js";
import { call } from "../../helpers/api-caller.js";
import { auditRequests } from "../../helpers/audit-requests.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { kubernetesFolder, kubernetesMissing, startKubernetes } from "../../helpers/kubernetes-1.20.js";

const missing = etcdMissing ?? kubernetesMissing;
if (missing !== undefined) process.stdout.write(`audit events beside kube-apiserver 1.20 are skipped: ${missing}\n`);

const POLICY = JSON.stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "RequestResponse" }],
});

describe.skipIf(missing !== undefined)("the audit log of kubets beside kube-apiserver 1.20's", () => {
  let folder: string;
  let etcd: EtcdServer;
  let theirs: ReadonlyMap<string, AuditEvent>;
  let ours: ReadonlyMap<string, AuditEvent>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubets-audit-"));
    writeFileSync(join(folder, "policy.yaml"), POLICY);
    etcd = await startEtcd();
    theirs = await eventsOfKubernetes();
    ours = await eventsOfOurs();
  }, 120_000);

  afterAll(async () => {
    await etcd?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function eventsOfKubernetes(): Promise<ReadonlyMap<string, AuditEvent>> {
    const log = join(folder, "theirs.log");
    const flags = [`--audit-policy-file=${join(folder, "policy.yaml")}`, `--audit-log-path=${log}`];
    const server = await startKubernetes({ etcd: etcd.endpoint, more: flags });
    const [cluster] = (JSON.parse(server.kubeconfig()) as { clusters: { cluster: { server: string } }[] }).clusters;
    const transport = createTransport({
      server: cluster?.cluster.server ?? "",
      tls: { insecureSkipVerify: false, caFile: join(kubernetesFolder, "pki", "ca.crt") },
    });
    await sendAll(transport, "admintoken");
    await transport.close();
    await server.stop();
    return readEvents(log);
  }

  async function eventsOfOurs(): Promise<ReadonlyMap<string, AuditEvent>> {
    const log = join(folder, "ours.log");
    const cluster = await startCluster({
      controllers: false,
      authentication: { tokenFile: join(kubernetesFolder, "pki", "tokens.csv") },
      audit: { policy: join(folder, "policy.yaml"), log: { path: log } },
    });
    const { clusters } = JSON.parse(cluster.kubeconfig()) as Kubeconfig;
    const transport = createTransport({
      server: clusters[0]?.cluster.server ?? "",
      tls: {
        insecureSkipVerify: false,
        caData: Buffer.from(clusters[0]?.cluster["certificate-authority-data"] ?? "", "base64"),
      },
    });
    await sendAll(transport, "admintoken");
    await transport.close();
    await cluster.close();
    return readEvents(log);
  }

  test("has the same events for each request", () => {
    const compared = (events: ReadonlyMap<string, AuditEvent>): readonly string[] =>
      [...events].filter(([, { requestURI }]) => !ONLY_OF_ONE.test(requestURI)).map(([id]) => id);
    expect(compared(ours)).toEqual(compared(theirs));
  });

  test("has for an invalid timeout an event when the answer begins, since 1.21", () => {
    const stages = [...ours.values()]
      .filter(({ requestURI }) => ONLY_OF_ONE.test(requestURI))
      .map(({ stage }) => stage);
    expect(stages).toEqual(["ResponseStarted"]);
  });

  test("has events of the same fields with the same values", () => {
    const found: string[] = [];
    for (const [id, event] of theirs) {
      if (ONLY_OF_ONE.test(event.requestURI)) continue;
      found.push(...differencesOf(masked(event), masked(ours.get(id)), `${id} ${event.verb} ${event.requestURI}:`));
    }
    expect(found.filter((text) => !MEANT.some(([pattern]) => pattern.test(text)))).toEqual([]);
    // A row that nothing needs any more is removed.
    expect(MEANT.filter(([pattern]) => !found.some((text) => pattern.test(text)))).toEqual([]);
  });
});

/** 1.20 does not read the time that a list may take. */
const ONLY_OF_ONE = /timeout=never/;

/** Differences that 1.36 has from 1.20, and kubets from both, with the reason. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/ responseStatus (message|details) undefined \| /, "1.20 records a Status without its message and details"],
  [/ creationTimestamp "\?" \| undefined$/, "1.36 leaves an empty time out of objects"],
  [/ authenticationMetadata undefined \| /, "1.36 names the right by which a user is impersonated"],
  [/ get \/(api|apis|version)\b\S*: responseObject /, "1.36 serves other resources and versions"],
  [/ responseObject columnDefinitions \d+ description /, "the descriptions of columns are written anew"],
  [/dryRun=Some: responseObject .*message "/, "1.36 writes lists in messages as JSON"],
  [
    /-missing: response(Status|Object) (reason|code|message) /,
    "1.36 finds no object where 1.20 compares the uid of none",
  ],
  [
    /(\/scale|\/eviction): requestObject undefined \| /,
    "1.20 cannot encode objects of a subresource in the group of its resource",
  ],
  [
    /deployments\/web: requestObject apiVersion "apps\/v1" \| "v1"/,
    "1.20 says the resource's version, and 1.36 that of the body",
  ],
  [
    /configmaps\/\w+: requestObject apiVersion "v1" \| "meta.k8s.io\/v1"/,
    "1.20 says the resource's version, and 1.36 that of DeleteOptions which do not say theirs",
  ],
  [/ labels undefined \| \{"kubernetes.io\/metadata.name":/, "1.36 labels every namespace with its name"],
];

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
  }[];
}

async function sendAll(transport: Transport, token: string): Promise<void> {
  for (const [index, { method, path, body, options = {} }] of auditRequests.entries()) {
    const id = `request-${String(index).padStart(3, "0")}`;
    const headers = { authorization: `Bearer ${token}`, "audit-id": id, "user-agent": "a-test", ...options.headers };
    await call(transport, method, path, body, { ...options, headers });
  }
}

/** The events of {@link sendAll} by id and stage. */
function readEvents(log: string): ReadonlyMap<string, AuditEvent> {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as AuditEvent);
  const own = events.filter(({ auditID }) => auditID.startsWith("request-") || auditID === "chosen-by-the-client");
  return new Map(own.map((event) => [`${event.auditID} ${event.stage}`, event]));
}

const masked = (event: AuditEvent | undefined): unknown =>
  JSON.parse(
    JSON.stringify(event ?? null, (key, value: unknown) => {
      if (key === "managedFields") return undefined;
      return MASKED.has(key) ? "?" : value;
    }),
  );

const MASKED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "requestReceivedTimestamp",
  "stageTimestamp",
  "creationTimestamp",
  "deletionTimestamp",
]);

/** Where two JSON values differ. */
function differencesOf(theirs: unknown, ours: unknown, path: string): string[] {
  if (JSON.stringify(theirs) === JSON.stringify(ours)) return [];
  const [a, b] = [theirs, ours] as Record<string, unknown>[];
  if (typeof theirs !== "object" || typeof ours !== "object" || theirs === null || ours === null || !a || !b) {
    return [`${path} ${JSON.stringify(theirs)?.slice(0, 300)} | ${JSON.stringify(ours)?.slice(0, 300)}`];
  }
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const found = names.flatMap((name) => differencesOf(a[name], b[name], `${path} ${name}`));
  return found.length > 0 ? found : [`${path} the order: ${Object.keys(a).join()} | ${Object.keys(b).join()}`];
}
