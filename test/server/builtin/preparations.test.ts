import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

/** What the server makes of objects before it checks them: what is set, put right, and taken back. */

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, random: seededRandom("preparations"), ...quietCluster });
  api = cluster.transport();
});
afterAll(async () => {
  await api.close();
  await cluster.close();
});

const CORE = "/api/v1/namespaces/default";
const container = { name: "c", image: "i:1" };

async function sent(method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await call(api, method, path, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}

const json = (answer: Answer) => JSON.parse(answer.text) as JsonObject;
const warnings = (answer: Answer) => String(answer.headers.warning ?? "");
const patch = (path: string, body: unknown) => call(api, "PATCH", path, body, { type: "application/merge-patch+json" });

describe("a new pod's AppArmor field and annotations", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const pod = (name: string, annotation: string, spec: JsonObject = {}) =>
    sent("POST", `${CORE}/pods`, {
      metadata: { name, annotations: { [key]: annotation } },
      spec: { containers: [container], ...spec },
    });
  const field = (answer: Answer) => answer.at("spec.containers.0.securityContext.appArmorProfile");

  test.each([
    ["unconfined", { type: "Unconfined" }],
    ["runtime/default", { type: "RuntimeDefault" }],
    ["localhost/a", { type: "Localhost", localhostProfile: "a" }],
    ["localhost/", undefined],
    ["", undefined],
  ])("are kept in step for %s", async (annotation, profile) => {
    const answer = await pod(`armor-${annotation.replaceAll("/", "-")}x`, annotation);
    expect(field(answer)).toEqual(profile);
    expect(json(answer)["metadata"]).toMatchObject({ annotations: { [key]: annotation } });
    expect(warnings(answer)).toContain(`metadata.annotations[${key}]: deprecated since v1.30`);
  });
  test("of a container take the field first", async () => {
    const same = { securityContext: { appArmorProfile: { type: "Unconfined" } } };
    const answer = await pod("armor-field", "unconfined", { containers: [{ ...container, ...same }] });
    expect([field(answer), warnings(answer)]).toEqual([{ type: "Unconfined" }, ""]);
  });
  test("are not repeated when the pod's field has the profile", async () => {
    const answer = await pod("armor-pod", "unconfined", {
      securityContext: { appArmorProfile: { type: "Unconfined" } },
    });
    expect([field(answer), warnings(answer)]).toEqual([undefined, ""]);
  });
  test("may not contradict each other", async () => {
    const answer = await call(api, "POST", `${CORE}/pods`, {
      metadata: { name: "armor-bad", annotations: { [key]: "unconfined" } },
      spec: {
        containers: [{ ...container, securityContext: { appArmorProfile: { type: "RuntimeDefault" } } }],
      },
    });
    expect([answer.status, answer.at("message")]).toEqual([
      422,
      'Pod "armor-bad" is invalid: spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match',
    ]);
  });
  test("stay an annotation in a pod template", async () => {
    const answer = await sent("POST", `${CORE}/podtemplates`, {
      metadata: { name: "armor" },
      template: { metadata: { annotations: { [key]: "unconfined" } }, spec: { containers: [container] } },
    });
    expect(answer.at("template.spec.containers.0.securityContext")).toBeUndefined();
    expect(warnings(answer)).toContain(`template.metadata.annotations[${key}]: deprecated since v1.30`);
  });
});

describe("a write of a pod's status", () => {
  test("keeps owners, QoS class and observed generations", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "kube-root-ca.crt", uid: "u" };
    const created = await sent("POST", `${CORE}/pods`, {
      metadata: { name: "seen", ownerReferences: [owner] },
      spec: { containers: [container], nodeName: "n" },
    });
    const condition = { type: "Ready", status: "True", observedGeneration: 1 };
    const path = `${CORE}/pods/seen/status`;
    await sent("PUT", path, {
      ...json(created),
      status: { phase: "Running", observedGeneration: 1, conditions: [condition, { ...condition, status: "False" }] },
    });
    const { observedGeneration: _, ...unseen } = condition;
    const answer = await sent("PUT", path, {
      metadata: { name: "seen" },
      spec: { containers: [] },
      status: { phase: "Running", conditions: [unseen, { ...unseen, observedGeneration: 2 }, unseen] },
    });
    expect(answer.at("metadata.ownerReferences.0.uid")).toBe("u");
    expect([answer.at("status.qosClass"), answer.at("status.observedGeneration")]).toEqual(["BestEffort", 1]);
    const seen = [0, 1, 2].map((index) => answer.at(`status.conditions.${index}.observedGeneration`));
    expect(seen).toEqual([1, 2, undefined]);
  });
  test("warns about addresses in unusual notation", async () => {
    const created = await sent("POST", `${CORE}/pods`, {
      metadata: { name: "ips" },
      spec: { containers: [container] },
    });
    const answer = await sent("PUT", `${CORE}/pods/ips/status`, {
      ...json(created),
      status: { phase: "Running", podIPs: [{ ip: "FD00::1" }] },
    });
    expect(warnings(answer)).toContain("status.podIPs[0].ip: IPv6 address");
    expect(answer.at("status.podIP")).toBe("FD00::1");
  });
  test("records since when a pod with scheduling gates waits", async () => {
    const created = await sent("POST", `${CORE}/pods`, {
      metadata: { name: "gated" },
      spec: { containers: [container], schedulingGates: [{ name: "a.example.com/b" }] },
    });
    expect(created.at("status.conditions.0")).toMatchObject({
      reason: "SchedulingGated",
      lastTransitionTime: created.at("metadata.creationTimestamp"),
    });
  });
});

describe("resizing a pod", () => {
  const small = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1" } };
  const sidecar = { name: "s", image: "i:1", restartPolicy: "Always", resources: small };
  const init = { name: "n", image: "i:1", resources: small };
  let count = 0;

  async function refusal(spec: JsonObject, status?: JsonObject): Promise<[number, unknown]> {
    count += 1;
    const path = `${CORE}/pods/size-${count}`;
    const created = await sent("POST", `${CORE}/pods`, {
      metadata: { name: `size-${count}` },
      spec: {
        containers: [
          { name: "a", image: "i:1", resources: small },
          { name: "b", image: "i:1", resources: small },
        ],
        initContainers: [sidecar, init],
      },
    });
    if (status !== undefined) await sent("PUT", `${path}/status`, { ...json(created), status });
    const answer = await patch(`${path}/resize`, { spec });
    const message = text(answer.at("message")).replace(`Pod "size-${count}" is invalid: `, "");
    return [answer.status, message];
  }
  const pair = (first: JsonObject, second: JsonObject = {}) => ({
    containers: [
      { name: "a", image: "i:1", resources: small, ...first },
      { name: "b", image: "i:1", resources: small, ...second },
    ],
  });
  const larger = { ...small, requests: { cpu: "200m", memory: "32Mi" } };
  const running = (resources?: JsonObject) => ({
    phase: "Running",
    containerStatuses: [
      {
        name: "a",
        image: "i:1",
        imageID: "",
        ready: true,
        restartCount: 0,
        state: { running: {} },
        ...(resources && { resources }),
      },
    ],
  });

  test.each<[string, JsonObject, JsonObject | undefined, number, string]>([
    ["larger and smaller", pair({ resources: larger }), undefined, 200, ""],
    ["a sidecar", { initContainers: [{ ...sidecar, resources: larger }, init] }, undefined, 200, ""],
    ["an init container (K36-E)", { initContainers: [sidecar, { ...init, resources: larger }] }, undefined, 200, ""],
    [
      "fewer containers",
      { containers: [{ ...container, name: "a" }] },
      undefined,
      422,
      "spec.containers: Forbidden: containers may not be added or removed on resize",
    ],
    [
      "other names",
      pair({}, { name: "x" }),
      undefined,
      422,
      "spec.containers[1].name: Forbidden: containers may not be renamed or reordered on resize",
    ],
    [
      "without a request",
      pair({ resources: { ...small, requests: { cpu: "100m" } } }),
      undefined,
      422,
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    ],
    [
      "without its limits",
      pair({ resources: { requests: small.requests } }),
      undefined,
      422,
      "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
    ],
    [
      "on a node that does not say what its containers have",
      pair({ resources: larger }),
      running(),
      422,
      "spec: Forbidden: Pod running on node without support for resize",
    ],
    ["on a node that does", pair({ resources: larger }), running({ requests: { cpu: "100m" } }), 200, ""],
  ])("%s", async (_, spec, status, code, message) => {
    expect(await refusal(spec, status)).toEqual([code, message]);
  });
});

describe("preparing claims and volumes", () => {
  const claim = (name: string, spec: JsonObject) =>
    sent("POST", `${CORE}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    });
  const pvc = { kind: "PersistentVolumeClaim", name: "a" };
  const snapshot = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "a" };
  const other = { apiGroup: "example.com", kind: "Thing", name: "a" };

  test.each<[string, JsonObject, unknown, unknown]>([
    ["of nothing", {}, undefined, undefined],
    // The group is always there, null for the core's.
    ["of a claim, the old way", { dataSource: pvc }, { apiGroup: null, ...pvc }, { apiGroup: null, ...pvc }],
    ["of a claim, the new way", { dataSourceRef: pvc }, { apiGroup: null, ...pvc }, { apiGroup: null, ...pvc }],
    ["of a snapshot", { dataSource: snapshot }, snapshot, snapshot],
    ["of anything else", { dataSourceRef: other }, other, other],
    ["of anything else, the old way", { dataSource: other }, undefined, undefined],
    ["of another namespace", { dataSourceRef: { ...snapshot, namespace: "other" } }, undefined, undefined],
  ])("a claim with the content %s", async (what, spec, source, reference) => {
    const answer = await claim(`data-${what.replaceAll(/[^a-z]+/g, "-")}`, spec);
    expect([answer.at("spec.dataSource"), answer.at("spec.dataSourceRef")]).toEqual([source, reference]);
  });

  test("a volume records since when it is in its phase", async () => {
    const path = "/api/v1/persistentvolumes";
    const created = await sent("POST", path, {
      metadata: { name: "v" },
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/v" } },
      status: { phase: "Failed" },
    });
    const since = created.at("status.lastPhaseTransitionTime");
    expect([created.at("status.phase"), since]).toEqual(["Pending", created.at("metadata.creationTimestamp")]);
    const said = await sent("PUT", `${path}/v/status`, {
      ...json(created),
      status: { phase: "Available", lastPhaseTransitionTime: "2026-01-01T00:00:00Z" },
    });
    expect(said.at("status.lastPhaseTransitionTime")).toBe("2026-01-01T00:00:00Z");
    const noted = await sent("PUT", `${path}/v/status`, {
      ...json(said),
      status: { ...(said.at("status") as JsonObject), phase: "Released" },
    });
    expect(noted.at("status.lastPhaseTransitionTime")).not.toBe("2026-01-01T00:00:00Z");
  });
});

describe("preparing other kinds for storage", () => {
  test("keeps only the names of a service account's secrets", async () => {
    const answer = await sent("POST", `${CORE}/serviceaccounts`, {
      metadata: { name: "a" },
      secrets: [{ name: "s", namespace: "other", kind: "Secret" }],
    });
    expect(answer.at("secrets")).toEqual([{ name: "s" }]);
  });

  test("removes a node's configuration source", async () => {
    const answer = await sent("POST", "/api/v1/nodes", {
      metadata: { name: "configured" },
      spec: { configSource: { configMap: { name: "a", namespace: "b", kubeletConfigKey: "c" } } },
    });
    expect([answer.at("spec.configSource"), warnings(answer)]).toEqual([undefined, ""]);
  });

  test("counts the generation of a pod template", async () => {
    const path = `${CORE}/podtemplates`;
    const body = (image: string) => ({
      metadata: { name: "counted" },
      template: { spec: { containers: [{ ...container, image }] } },
    });
    expect((await sent("POST", path, body("a:1"))).at("metadata.generation")).toBe(1);
    expect((await sent("PUT", `${path}/counted`, body("a:1"))).at("metadata.generation")).toBe(1);
    expect((await sent("PUT", `${path}/counted`, body("a:2"))).at("metadata.generation")).toBe(2);
  });

  test("counts a DaemonSet's template generation itself, whatever the client sends", async () => {
    const path = "/apis/apps/v1/namespaces/default/daemonsets";
    const annotation = "deprecated.daemonset.template.generation";
    const set = (image: string, spec: JsonObject = {}) => ({
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ ...container, image }] } },
        ...spec,
      },
    });
    const counted = (answer: Answer) =>
      (json(answer)["metadata"] as { annotations: Record<string, string> }).annotations[annotation];
    const created = await sent("POST", path, set("a:1"));
    expect(counted(created)).toBe("1");
    expect(counted(await sent("PUT", `${path}/d`, set("a:1", { minReadySeconds: 3 })))).toBe("1");
    expect(counted(await sent("PUT", `${path}/d`, set("a:2")))).toBe("2");
    const claimed = { metadata: { annotations: { [annotation]: "9" } } };
    expect(counted(await patch(`${path}/d`, claimed))).toBe("2");
    expect(counted(await patch(`${path}/d/status`, claimed))).toBe("2");
  });
});
