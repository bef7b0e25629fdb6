import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const MERGE = "application/merge-patch+json";
const LONGEST = "9223372036854775807";
const CONTAINERS = '"containers":[{"name":"c","image":"i"}]';

test.each([
  ["in the body", "", `{"gracePeriodSeconds":${LONGEST}}`, ""],
  ["in the query", `?gracePeriodSeconds=${LONGEST}`, undefined, ""],
  ["of the pod", "", undefined, `,"terminationGracePeriodSeconds":${LONGEST}`],
])("a deletion accepts the longest grace period %s", async (where, query, body, extra) => {
  const name = where.replaceAll(" ", "-");
  await call(api, "POST", PODS, `{"metadata":{"name":"${name}"},"spec":{"nodeName":"n",${CONTAINERS}${extra}}}`);
  const deleted = await call(api, "DELETE", `${PODS}/${name}${query}`, body);
  expect(deleted.status).toBe(200);
  expect(Date.parse(deleted.at("metadata.deletionTimestamp") as string)).toBeGreaterThan(Date.now() + 1e12);
  expect((await call(api, "GET", `${PODS}/${name}`)).status).toBe(200);
  await call(api, "DELETE", `${PODS}/${name}`, { gracePeriodSeconds: 0 });
  expect((await call(api, "GET", `${PODS}/${name}`)).status).toBe(404);
});

test("an update that leaves deletionTimestamp out changes no content, and does not cancel the deletion", async () => {
  const labels = { app: "a" };
  await call(api, "POST", DEPLOYMENTS, {
    metadata: { name: "held", finalizers: ["example.com/held"] },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const deleted = await call(api, "DELETE", `${DEPLOYMENTS}/held`);
  expect(deleted.at("metadata.generation")).toBe(2);
  const { metadata, ...rest } = JSON.parse(deleted.text) as { metadata: Record<string, unknown> };
  const { deletionTimestamp, deletionGracePeriodSeconds: _, ...kept } = metadata;
  const put = await call(api, "PUT", `${DEPLOYMENTS}/held`, { ...rest, metadata: { ...kept, labels } });
  expect(put.at("metadata.generation")).toBe(2);
  expect(put.at("metadata.deletionTimestamp")).toBe(deletionTimestamp);
});

test("a scale patched to another kind is refused", async () => {
  const patch = '{"spec":{"replicas":"many"}}';
  const answer = await call(api, "PATCH", `${DEPLOYMENTS}/held/scale`, patch, { type: "application/merge-patch+json" });
  expect([answer.status, answer.at("reason")]).toEqual([422, "Invalid"]);
});

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("a deletion with a propagation policy sets finalizers", () => {
  const HELD = "example.com/held";
  // Another finalizer keeps the object, so that nobody is faster than a look at it.
  test.each([
    ["Foreground", { propagationPolicy: "Foreground" }, [HELD], [HELD, "foregroundDeletion"]],
    ["Background", { propagationPolicy: "Background" }, [HELD], [HELD]],
    ["Background, taking back what the object says", { propagationPolicy: "Background" }, [HELD, "orphan"], [HELD]],
    ["nothing, as the object says", {}, [HELD, "foregroundDeletion"], [HELD, "foregroundDeletion"]],
    ["not to orphan, in the old way", { orphanDependents: false }, [HELD, "foregroundDeletion"], [HELD]],
  ])("for %s", async (_, options, before, after) => {
    const name = `held-${crypto.randomUUID()}`;
    await call(api, "POST", MAPS, { metadata: { name, finalizers: before } });
    const answer = await call(api, "DELETE", `${MAPS}/${name}?`, options);
    expect(answer.at("metadata.finalizers")).toEqual(after);
    expect(answer.at("metadata.deletionGracePeriodSeconds")).toBe(0);
    expect(answer.status).toBe("orphanDependents" in options ? 202 : 200);
    await call(api, "PATCH", `${MAPS}/${name}`, { metadata: { finalizers: null } }, { type: MERGE });
  });

  test("in its answer to a dry run, which stores nothing", async () => {
    await call(api, "POST", MAPS, { metadata: { name: "tried" } });
    const answer = await call(api, "DELETE", `${MAPS}/tried`, { propagationPolicy: "Orphan", dryRun: ["All"] });
    expect(answer.at("metadata.finalizers")).toEqual(["orphan"]);
    const stored = await call(api, "GET", `${MAPS}/tried`);
    expect([stored.at("metadata.finalizers"), stored.at("metadata.deletionTimestamp")]).toEqual([undefined, undefined]);
  });

  test("not for a Job without a policy, which gets a warning", async () => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };
    await call(api, "POST", jobs, { metadata: { name: "j" }, spec });
    const answer = await call(api, "DELETE", `${jobs}/j`);
    expect(answer.at("metadata.finalizers")).toEqual(["orphan"]);
    expect(String(answer.headers["warning"])).toContain("child pods are preserved by default when jobs are deleted");
  });

  test("not for events, which have no dependents", async () => {
    const events = "/api/v1/namespaces/default/events";
    const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
    await call(api, "POST", events, { metadata: { name: "e" }, involvedObject });
    const answer = await call(api, "DELETE", `${events}/e`, { propagationPolicy: "Orphan" });
    expect([answer.status, answer.at("kind"), answer.at("details.kind")]).toEqual([200, "Status", "events"]);
  });
});

test("a deletion answers with a Status that has the uid, or with the object's last state", async () => {
  const map = await call(api, "POST", MAPS, { metadata: { name: "gone" } });
  expect(JSON.parse((await call(api, "DELETE", `${MAPS}/gone`)).text)).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "gone", kind: "configmaps", uid: map.at("metadata.uid") },
  });
  await call(api, "POST", PODS, `{"metadata":{"name":"unscheduled"},"spec":{${CONTAINERS}}}`);
  const pod = await call(api, "DELETE", `${PODS}/unscheduled`);
  expect([pod.at("kind"), pod.at("metadata.deletionGracePeriodSeconds"), pod.at("metadata.generation")]).toEqual([
    "Pod",
    0,
    2,
  ]);
  expect((await call(api, "GET", `${PODS}/unscheduled`)).status).toBe(404);
});

test("a name cannot be used again while its object is being deleted, and the error explains that", async () => {
  await call(api, "POST", MAPS, { metadata: { name: "leaving", finalizers: ["example.com/held"] } });
  await call(api, "DELETE", `${MAPS}/leaving`);
  const answer = await call(api, "POST", MAPS, { metadata: { name: "leaving" } });
  expect([answer.status, answer.at("message")]).toEqual([
    409,
    'object is being deleted: configmaps "leaving" already exists',
  ]);
});

test.each([
  [
    { uid: "1" },
    /^Operation cannot be fulfilled on ConfigMap "exact": the UID in the precondition \(1\) does not match the UID in record \(.{36}\)\. The object might have been deleted and then recreated$/,
  ],
  [
    { resourceVersion: "1" },
    /^Operation cannot be fulfilled on ConfigMap "exact": the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)\. The object might have been modified$/,
  ],
])("a deletion with preconditions: %j", async (preconditions, message) => {
  await call(api, "POST", MAPS, { metadata: { name: "exact" } });
  const answer = await call(api, "DELETE", `${MAPS}/exact`, { preconditions });
  expect([answer.status, answer.at("reason")]).toEqual([409, "Conflict"]);
  expect(answer.at("message")).toMatch(message);
});

test("a deletion of a namespace with preconditions has its own error messages", async () => {
  const made = await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "exact" } });
  const answer = await call(api, "DELETE", "/api/v1/namespaces/exact", { preconditions: { uid: "1" } });
  expect(answer.at("message")).toBe(
    `Operation cannot be fulfilled on namespaces "exact": Precondition failed: UID in precondition: 1, UID in object meta: ${made.at("metadata.uid") as string}`,
  );
});

test.each([
  [
    "another policy",
    { propagationPolicy: "Sideways" },
    'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    "both ways",
    { propagationPolicy: "Orphan", orphanDependents: true },
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
])("a deletion is refused with %s", async (_, options, message) => {
  const answer = await call(api, "DELETE", `${MAPS}/nobody`, options);
  expect([answer.status, answer.at("message")]).toEqual([422, `DeleteOptions.meta.k8s.io "" is invalid: ${message}`]);
});

test("a second deletion can shorten a pod's grace period, and not extend it", async () => {
  await call(api, "POST", PODS, `{"metadata":{"name":"grace"},"spec":{"nodeName":"n",${CONTAINERS}}}`);
  const grace = async (seconds?: number) => {
    const options = seconds === undefined ? undefined : { gracePeriodSeconds: seconds };
    return (await call(api, "DELETE", `${PODS}/grace`, options)).at("metadata.deletionGracePeriodSeconds");
  };
  expect([await grace(), await grace(60), await grace(20), await grace(), await grace(-5)]).toEqual([
    30, 30, 20, 20, 1,
  ]);
});

test("a namespace shows why it still exists, and is removed as soon as possible", async () => {
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "slow" } });
  const held = "/api/v1/namespaces/slow/configmaps/held";
  const metadata = { name: "held", finalizers: ["example.com/held"] };
  await call(api, "POST", "/api/v1/namespaces/slow/configmaps", { metadata });
  const deleted = await call(api, "DELETE", "/api/v1/namespaces/slow");
  expect([deleted.at("status.phase"), deleted.at("metadata.deletionGracePeriodSeconds")]).toEqual([
    "Terminating",
    undefined,
  ]);
  await eventually(async () => {
    const { status } = JSON.parse((await call(api, "GET", "/api/v1/namespaces/slow")).text) as {
      status: { conditions: { type: string; status: string; reason: string; message: string }[] };
    };
    expect(status.conditions.map(({ type, status: state, reason, message }) => [type, state, reason, message])).toEqual(
      [
        ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"],
        [
          "NamespaceDeletionGroupVersionParsingFailure",
          "False",
          "ParsedGroupVersions",
          "All legacy kube types successfully parsed",
        ],
        [
          "NamespaceDeletionContentFailure",
          "False",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        ],
        [
          "NamespaceContentRemaining",
          "True",
          "SomeResourcesRemain",
          "Some resources are remaining: configmaps. has 1 resource instances",
        ],
        [
          "NamespaceFinalizersRemaining",
          "True",
          "SomeFinalizersRemain",
          "Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances",
        ],
      ],
    );
  });
  await call(api, "PATCH", held, { metadata: { finalizers: null } }, { type: MERGE });
  await eventually(async () => expect((await call(api, "GET", "/api/v1/namespaces/slow")).status).toBe(404));
});

test("a pod on a node without a kubelet is removed after its grace period, and its namespace with it", async () => {
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "brief" } });
  const spec = `{"nodeName":"n","terminationGracePeriodSeconds":1,${CONTAINERS}}`;
  await call(api, "POST", "/api/v1/namespaces/brief/pods", `{"metadata":{"name":"p"},"spec":${spec}}`);
  await call(api, "DELETE", "/api/v1/namespaces/brief");
  await eventually(async () => expect((await call(api, "GET", "/api/v1/namespaces/brief")).status).toBe(404));
});
