import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { create, expectAnswer, expectTaken, textAt } from "../../../helpers/admission-rows.js";
import { type Answer, call } from "../../../helpers/api-caller.js";

const CORE = "/api/v1/namespaces/default";
const ALLOWED = "request-serviceaccounts-token-audience granted default/free";

let cluster: Cluster;
let admin: Transport;
const uids: Record<string, string> = {};

const kubelet = { "impersonate-user": "system:node:mine", "impersonate-group": "system:nodes" };
const asKubelet = (path: string, body: object): Promise<Answer> =>
  call(admin, "POST", path, body, { headers: kubelet });

async function made(key: string, path: string, body: object): Promise<void> {
  uids[key] = textAt(await expectTaken(create(admin, path, body)), "metadata.uid");
}

const pod = (name: string, nodeName: string, volumes: readonly object[] = [], more: object = {}): object => ({
  metadata: { name, ...more },
  spec: {
    nodeName,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: "i" }],
    volumes: volumes.map((volume, index) => ({ name: `v${index}`, ...volume })),
  },
});
const token = (audience?: string): object => ({
  projected: { sources: [{ serviceAccountToken: { path: "t", ...(audience !== undefined && { audience }) } }] },
});
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

async function claim(name: string, volumeName?: string): Promise<void> {
  const spec = { ...claimSpec, ...(volumeName !== undefined && { volumeName }) };
  await made(name, `${CORE}/persistentvolumeclaims`, { metadata: { name }, spec });
}

async function volume(name: string, driver: string): Promise<void> {
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi: { driver, volumeHandle: "h" } };
  await made(name, "/api/v1/persistentvolumes", { metadata: { name }, spec });
}

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    controllers: false,
    admission: { enable: ["NodeRestriction"] },
    runtimeConfig: { "certificates.k8s.io/v1beta1": true },
    authorizers: [
      ({ verb, resource, namespace, name }) => {
        if (verb !== "request-serviceaccounts-token-audience") return { decision: "allow" };
        return { decision: `${verb} ${resource} ${namespace}/${name}` === ALLOWED ? "allow" : "no-opinion" };
      },
    ],
  });
  admin = cluster.transport();
  for (const name of ["default", "free"]) {
    const found = await call(admin, "GET", `${CORE}/serviceaccounts/${name}`);
    if (found.status === 200) uids[`account ${name}`] = textAt(found, "metadata.uid");
    else await made(`account ${name}`, `${CORE}/serviceaccounts`, { metadata: { name } });
  }
  await made("node", "/api/v1/nodes", { metadata: { name: "mine" } });
  await made("driver", "/apis/storage.k8s.io/v1/csidrivers", {
    metadata: { name: "d.example.com" },
    spec: { tokenRequests: [{ audience: "driver" }] },
  });
  await volume("pv", "d.example.com");
  await volume("pv-of-none", "none.example.com");
  await claim("bound", "pv");
  await claim("loose");
  await claim("lost", "gone");
  await claim("strange", "pv-of-none");
  await claim("ephemeral-v0", "pv");
  const pods: Readonly<Record<string, readonly object[]>> = {
    plain: [],
    own: [token()],
    vault: [token("vault")],
    csi: [{ csi: { driver: "d.example.com" } }],
    claimed: [{ persistentVolumeClaim: { claimName: "bound" } }],
    unbound: [{ persistentVolumeClaim: { claimName: "loose" } }],
    lost: [{ persistentVolumeClaim: { claimName: "lost" } }],
    strange: [{ persistentVolumeClaim: { claimName: "strange" } }],
    unclaimed: [{ persistentVolumeClaim: { claimName: "nowhere" } }],
    both: [{ persistentVolumeClaim: { claimName: "nowhere" } }, token("vault")],
    ephemeral: [{ ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }],
  };
  for (const [name, volumes] of Object.entries(pods))
    await made(`pod ${name}`, `${CORE}/pods`, pod(name, "mine", volumes));
  await made("pod away", `${CORE}/pods`, pod("away", "other", [token()]));
  const annotations = { "kubernetes.io/config.mirror": "hash" };
  await made("pod mirror", `${CORE}/pods`, pod("mirror", "mine", [], { annotations }));
});

afterAll(() => cluster[Symbol.asyncDispose]());

describe("a token that a kubelet requests for a pod is refused or allowed", () => {
  const TOKEN = `${CORE}/serviceaccounts/default/token`;
  const forbidden = (message: string): string => `serviceaccounts "default" is forbidden: ${message}`;
  const bound = (name: string, more: object = {}): object => ({
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid: uids[`pod ${name}`], ...more },
    audiences: [],
  });
  const unbound = forbidden("node requested token not bound to a pod");
  const unused = (audience: string): string =>
    forbidden(
      `audience "${audience}" not found in pod spec volume, system:node:mine is not authorized to request tokens for this audience`,
    );
  const missing = (audience: string, what: string): string =>
    forbidden(`error validating audience "${audience}": ${what} not found`);

  const rows: readonly (readonly [title: string, spec: () => object, message: string, status?: number])[] = [
    ["is bound to a pod", () => bound("own"), ""],
    ["must be bound", () => ({ audiences: [] }), unbound],
    ["must be bound to a pod", () => bound("own", { kind: "Secret" }), unbound],
    ["must name the version of the pod", () => bound("own", { apiVersion: "v2" }), unbound],
    ["must name the pod", () => bound("own", { name: "" }), unbound],
    [
      "must name its uid",
      () => bound("own", { uid: "" }),
      forbidden("node requested token with a pod binding without a uid"),
    ],
    [
      "must name the uid of the pod that is there",
      () => bound("own", { uid: "old" }),
      forbidden(
        "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
      ),
    ],
    ["must name a pod that is there", () => bound("own", { name: "nothing" }), 'pod "nothing" not found', 404],
    [
      "must name a pod of the node",
      () => bound("away"),
      forbidden("node requested token bound to a pod scheduled on a different node"),
    ],
    ["may be for an audience of a volume", () => ({ ...bound("vault"), audiences: ["vault"] }), ""],
    ["may be for an audience of a CSI volume's driver", () => ({ ...bound("csi"), audiences: ["driver"] }), ""],
    ["may be for an audience of a claim's driver", () => ({ ...bound("claimed"), audiences: ["driver"] }), ""],
    [
      "may be for an audience of an ephemeral claim's driver",
      () => ({ ...bound("ephemeral"), audiences: ["driver"] }),
      "",
    ],
    [
      "is for no audience that the pod does not use",
      () => ({ ...bound("own"), audiences: ["vault"] }),
      unused("vault"),
    ],
    ["is not for the API where the pod uses no token", () => bound("plain"), unused("")],
    ["is not for the API where the pod uses another", () => bound("vault"), unused("")],
    ["is for no audience that the driver does not ask for", () => ({ ...bound("csi"), audiences: ["x"] }), unused("x")],
    [
      "is for no audience of a claim that is not bound",
      () => ({ ...bound("unbound"), audiences: ["driver"] }),
      unused("driver"),
    ],
    [
      "is for one audience",
      () => ({ ...bound("vault"), audiences: ["vault", "x"] }),
      forbidden("node may only request 0 or 1 audiences"),
    ],
    [
      "is refused with the claim that is not there",
      () => ({ ...bound("unclaimed"), audiences: ["driver"] }),
      missing("driver", 'persistentvolumeclaim "nowhere"'),
    ],
    [
      "is refused with the volume that is not there",
      () => ({ ...bound("lost"), audiences: ["driver"] }),
      missing("driver", 'persistentvolume "gone"'),
    ],
    [
      "is refused with the driver that is not there",
      () => ({ ...bound("strange"), audiences: ["driver"] }),
      missing("driver", 'csidriver.storage.k8s.io "none.example.com"'),
    ],
    [
      "may be for another volume's audience though a claim is not there",
      () => ({ ...bound("both"), audiences: ["vault"] }),
      "",
    ],
  ];
  test.each(rows.map(([title, spec, message, status = 403]) => [title, spec, message, status] as const))(
    "%s",
    async (_, spec, message, status) => {
      await expectAnswer(asKubelet(TOKEN, { spec: spec() }), message, status);
    },
  );

  test("for an audience that its node has a right to, for that account alone", async () => {
    const spec = { ...bound("plain"), audiences: ["granted"] };
    await expectAnswer(asKubelet(TOKEN, { spec }), unused("granted"));
    // Who may have a token of the account is decided; whether the pod is the account's is not the plugin's concern.
    const answer = await asKubelet(`${CORE}/serviceaccounts/free/token`, { spec });
    expect(answer.at("message") ?? "").not.toContain("not authorized to request tokens");
  });

  test("as usual for other users", async () => {
    await expectTaken(create(admin, TOKEN, { spec: { audiences: ["anything", "else"] } }));
  });
});

describe("a certificate that a kubelet requests for a pod is refused or allowed", () => {
  const REQUESTS = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests";
  const forbidden = (message: string): string =>
    `podcertificaterequests.certificates.k8s.io "r" is forbidden: ${message}`;
  const spec = (podName: string, more: object = {}): object => ({
    signerName: "example.com/a",
    podName,
    podUID: uids[`pod ${podName}`],
    serviceAccountName: "default",
    serviceAccountUID: uids["account default"],
    nodeName: "mine",
    nodeUID: uids["node"],
    ...more,
  });
  const of = 'PodCertificateRequest for pod "default/plain"';

  const rows: readonly (readonly [title: string, spec: () => object, message: () => string, status?: number])[] = [
    [
      "is for its own node",
      () => spec("plain", { nodeName: "other" }),
      () => forbidden('PodCertificateRequest.Spec.NodeName="other", which is not the requesting node "mine"'),
    ],
    [
      "names the uid of the node",
      () => spec("plain", { nodeUID: "old" }),
      () => `${of} names node UID "old", inconsistent with the running node ("${uids["node"]}")`,
      500,
    ],
    [
      "names a pod that is there",
      () => spec("nothing", { podUID: "u" }),
      () => 'while retrieving pod "default/nothing" named in the PodCertificateRequest: pod "nothing" not found',
      500,
    ],
    [
      "names the uid of the pod",
      () => spec("plain", { podUID: "old" }),
      () => `${of} contains pod UID ("old") which differs from running pod "${uids["pod plain"]}"`,
      500,
    ],
    [
      "is for a pod of the node",
      () => spec("away"),
      () => forbidden('pod "default/away" is not running on node "mine" named in the PodCertificateRequest'),
    ],
    ["is for no mirror pod", () => spec("mirror"), () => forbidden('pod "default/mirror" is a mirror pod')],
    [
      "names the pod's service account",
      () => spec("plain", { serviceAccountName: "free" }),
      () => forbidden(`${of} contains serviceAccountName ("free") that differs from running pod ("default")`),
    ],
    [
      "names the uid of the service account",
      () => spec("plain", { serviceAccountUID: "old" }),
      () =>
        `${of} names service account UID "old", which differs from the running service account ("${uids["account default"]}")`,
      500,
    ],
  ];
  test.each(rows.map(([title, body, message, status = 403]) => [title, body, message, status] as const))(
    "%s",
    async (_, body, message, status) => {
      await expectAnswer(asKubelet(REQUESTS, { metadata: { name: "r" }, spec: body() }), message(), status);
    },
  );

  test("and allowed when everything matches", async () => {
    await expectAnswer(asKubelet(REQUESTS, { metadata: { name: "r" }, spec: spec("plain") }), "");
  });

  test("and never changed by the kubelet", async () => {
    await expectTaken(create(admin, REQUESTS, { metadata: { name: "changing" }, spec: spec("plain") }));
    const patch = { metadata: { labels: { a: "b" } } };
    const options = { type: "application/merge-patch+json", headers: kubelet };
    const answer = call(admin, "PATCH", `${REQUESTS}/changing`, patch, options);
    const message = 'podcertificaterequests.certificates.k8s.io "changing" is forbidden: unexpected operation UPDATE';
    await expectAnswer(answer, message);
  });
});
