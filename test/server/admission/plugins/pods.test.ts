import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AdmissionPlugin } from "../../../../src/server/admission/plugin.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";

const PODS = "/api/v1/namespaces/default/pods";
const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
const MERGE = "application/merge-patch+json";

let server: AdmittingServer;
let count = 0;

beforeAll(async () => {
  server = await admittingServer({});
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(() => {
  count++;
});

const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: `p${count}`, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

describe("the admission plugin Priority", () => {
  beforeAll(async () => {
    await done(server.api, "POST", CLASSES, { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" });
  });

  test("gives a pod the number and the policy of its class, and 0 without one", async () => {
    const high = await done(server.api, "POST", `${PODS}?dryRun=All`, pod({ priorityClassName: "high" }));
    expect([high.at("spec.priority"), high.at("spec.preemptionPolicy")]).toEqual([1000, "Never"]);
    const none = await done(server.api, "POST", `${PODS}?dryRun=All`, pod());
    expect([none.at("spec.priority"), none.at("spec.preemptionPolicy")]).toEqual([0, "PreemptLowerPriority"]);
  });

  const refusals: readonly (readonly [object, string])[] = [
    [{ priorityClassName: "gone" }, "no PriorityClass with name gone was found"],
    [
      { priorityClassName: "high", priority: 7 },
      "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name",
    ],
    [
      { priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" },
      "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name",
    ],
  ];
  test.each(refusals)("refuses a pod with %j, by its name or its generateName", async (spec, message) => {
    const named = await call(server.api, "POST", PODS, pod(spec, { name: "p" }));
    expect([named.status, named.at("message")]).toEqual([403, `pods "p" is forbidden: ${message}`]);
    const generated = await call(server.api, "POST", PODS, pod(spec, { name: "", generateName: "web-" }));
    expect(generated.at("message")).toBe(`pods "web-" is forbidden: ${message}`);
  });

  test("accepts the number when it is the class's", async () => {
    const answer = await call(
      server.api,
      "POST",
      `${PODS}?dryRun=All`,
      pod({ priorityClassName: "high", priority: 1000 }),
    );
    expect(answer.status, answer.text).toBe(201);
  });

  test("allows one default class, whichever write would make a second", async () => {
    await done(server.api, "POST", CLASSES, { metadata: { name: "usual" }, value: 5, globalDefault: true });
    const chosen = await done(server.api, "POST", `${PODS}?dryRun=All`, pod());
    expect([chosen.at("spec.priorityClassName"), chosen.at("spec.priority")]).toEqual(["usual", 5]);
    const text = "PriorityClass usual is already marked as default. Only one default can exist";
    const second = await call(server.api, "POST", CLASSES, { metadata: { name: "b" }, value: 6, globalDefault: true });
    expect([second.status, second.at("message")]).toEqual([
      403,
      `priorityclasses.scheduling.k8s.io "b" is forbidden: ${text}`,
    ]);
    const patched = await call(server.api, "PATCH", `${CLASSES}/high`, { globalDefault: true }, { type: MERGE });
    expect(patched.at("message")).toBe(`priorityclasses.scheduling.k8s.io "high" is forbidden: ${text}`);
    await done(server.api, "PATCH", `${CLASSES}/usual`, { globalDefault: true, description: "d" }, MERGE);
    await done(server.api, "DELETE", `${CLASSES}/usual`);
    await done(server.api, "PATCH", `${CLASSES}/high`, { globalDefault: true }, MERGE);
    await done(server.api, "PATCH", `${CLASSES}/high`, { globalDefault: false }, MERGE);
  });
});

describe("the admission plugin ServiceAccount", () => {
  test("refuses a missing account, also one that a later plugin sets", async () => {
    const missing = 'error looking up service account default/gone: serviceaccount "gone" not found';
    const answer = await call(server.api, "POST", PODS, pod({ serviceAccountName: "gone" }, { name: "p" }));
    expect([answer.status, answer.at("message")]).toEqual([403, `pods "p" is forbidden: ${missing}`]);
    const renames: AdmissionPlugin = {
      name: "Renames",
      handles: (operation, { resource, subresource }) =>
        operation === "CREATE" && resource === "pods" && subresource === "",
      admit({ object }) {
        Object.assign(object?.["spec"] as object, { serviceAccountName: "gone", serviceAccount: "gone" });
      },
    };
    await using other = await admittingServer({ plugins: [{ plugin: renames }] });
    const renamed = await call(other.api, "POST", PODS, pod({}, { name: "p" }));
    expect([renamed.status, renamed.at("message")]).toEqual([403, `pods "p" is forbidden: ${missing}`]);
  });

  test("mounts a token, and adds the account's image pull secrets", async () => {
    const account = { metadata: { name: "puller" }, imagePullSecrets: [{ name: "registry" }] };
    await done(server.api, "POST", "/api/v1/namespaces/default/serviceaccounts", account);
    const made = await done(server.api, "POST", PODS, pod({ serviceAccountName: "puller" }));
    expect(made.at("spec.imagePullSecrets")).toEqual([{ name: "registry" }]);
    expect(made.at("spec.volumes.0.name")).toMatch(/^kube-api-access-.{5}$/);
  });

  test("ignores a kubelet's mirror pod, and refuses secrets in it", async () => {
    const mirror = { annotations: { "kubernetes.io/config.mirror": "hash" } };
    const made = await done(server.api, "POST", PODS, pod({ nodeName: "n" }, mirror));
    expect([made.at("spec.serviceAccountName"), made.at("spec.volumes")]).toEqual([undefined, undefined]);
    const token = { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } };
    const rows: readonly (readonly [object, string])[] = [
      [{ serviceAccountName: "default" }, "a mirror pod may not reference service accounts"],
      [{ volumes: [{ name: "s", secret: { secretName: "s" } }] }, "a mirror pod may not reference secrets"],
      [{ volumes: [token] }, "a mirror pod may not use ServiceAccountToken volume projections"],
    ];
    for (const [spec, message] of rows) {
      const body = pod({ nodeName: "n", ...spec }, { ...mirror, name: "m" });
      const refused = await call(server.api, "POST", PODS, body);
      expect([refused.status, refused.at("message")]).toEqual([403, `pods "m" is forbidden: ${message}`]);
    }
  });
});

describe("ServiceAccount, for an account that enforces its mountable secrets,", () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const of = (spec: object): object => pod({ serviceAccountName: "strict", ...spec });
  const container = (more: object): object => ({ name: "c", image: "i", ...more });
  const variable = (name: string): object => ({
    env: [{ name: "A", valueFrom: { secretKeyRef: { name, key: "k" } } }],
  });

  beforeAll(async () => {
    await done(server.api, "POST", accounts, {
      metadata: { name: "strict", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "own" }],
      imagePullSecrets: [{ name: "registry" }],
    });
  });

  const refusals: readonly (readonly [object, string])[] = [
    [{ volumes: [{ name: "v", secret: { secretName: "other" } }] }, 'volume with secret.secretName="other"'],
    [
      { initContainers: [{ ...container(variable("other")), name: "first" }] },
      'init container first with envVar A referencing secret.secretName="other"',
    ],
    [{ containers: [container(variable("other"))] }, 'container c with envVar A referencing secret.secretName="other"'],
    [
      { containers: [container({ envFrom: [{ secretRef: { name: "other" } }] })] },
      'container c with envFrom referencing secret.secretName="other"',
    ],
  ];
  test.each(refusals)("refuses a pod with %j", async (spec, what) => {
    const answer = await call(server.api, "POST", PODS, of(spec));
    expect([answer.status, answer.at("message")]).toEqual([
      403,
      `pods "p${count}" is forbidden: ${what} is not allowed because service account strict does not reference that secret`,
    ]);
  });

  test("refuses image pull secrets that the account does not list", async () => {
    const answer = await call(
      server.api,
      "POST",
      PODS,
      of({ imagePullSecrets: [{ name: "registry" }, { name: "b" }] }),
    );
    expect(answer.at("message")).toBe(
      `pods "p${count}" is forbidden: imagePullSecrets[1].name="b" is not allowed because service account strict does not reference that imagePullSecret`,
    );
  });

  test("accepts the listed ones, and refuses another secret in an ephemeral container", async () => {
    await done(server.api, "POST", PODS, of({ containers: [container(variable("own"))] }));
    const path = `${PODS}/p${count}/ephemeralcontainers`;
    const patch = (name: string): object => ({
      spec: { ephemeralContainers: [{ ...container(variable(name)), name: "look" }] },
    });
    const type = "application/strategic-merge-patch+json";
    const refused = await call(server.api, "PATCH", path, patch("other"), { type });
    expect([refused.status, refused.at("message")]).toEqual([
      403,
      `pods "p${count}" is forbidden: ephemeral container look with envVar A referencing secret.secretName="other" is not allowed because service account strict does not reference that secret`,
    ]);
    await done(server.api, "PATCH", path, patch("own"), type);
  });
});

describe("the admission plugin DefaultTolerationSeconds", () => {
  const seconds = (answer: Awaited<ReturnType<typeof call>>): unknown[] => [
    answer.at("spec.tolerations.0.tolerationSeconds"),
    answer.at("spec.tolerations.1.tolerationSeconds"),
  ];

  test("adds tolerations of five minutes unless configured", async () => {
    expect(seconds(await done(server.api, "POST", PODS, pod()))).toEqual([300, 300]);
    const DefaultTolerationSeconds = { defaultNotReadyTolerationSeconds: 7 };
    await using other = await admittingServer({ configuration: { DefaultTolerationSeconds } });
    expect(seconds(await done(other.api, "POST", PODS, pod()))).toEqual([7, 300]);
  });

  test("can be disabled", async () => {
    await using other = await admittingServer({ disable: ["DefaultTolerationSeconds"] });
    expect((await done(other.api, "POST", PODS, pod())).at("spec.tolerations")).toBeUndefined();
  });
});
