import { join } from "node:path";
import { buildGo } from "../servers/contenders.mjs";
import { ServerProcess } from "../servers/server-process.mjs";
import { callerOf } from "./caller.mjs";
import { GROUP, tokenOf, USERS, writeKubeconfig } from "./files.mjs";

export const GO = "k8s.io/apiserver";
export const FAIR = "kubets";
/** Without fairness and without the two limits, by which the gain is judged. */
export const OFF = "kubets, fairness off";
/** Without fairness, with the two limits, of which a user of ours has half. */
export const LIMITS = "kubets, the two limits";

const kubets = join(import.meta.dirname, "../../bin/kubets.js");
const NO_FAIRNESS = "--enable-priority-and-fairness=false";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
export const NOTES = "/apis/bench.example.com/v1/namespaces/default/notes";
const ELECTION_NOTES = "/apis/bench.example.com/v1/namespaces/kube-system/notes";

/** What each contender's `start` resolves with: its port, where its leader election writes, and `stop`. */
export function findContenders({ folder, certificate }) {
  const surroundings = { folder, certificate };
  const ours = (name, flags) => ({ name, start: () => startOurs(surroundings, flags) });
  const found = [
    ours(FAIR, []),
    ours(LIMITS, [NO_FAIRNESS]),
    ours(OFF, [NO_FAIRNESS, "--max-requests-inflight=0", "--max-mutating-requests-inflight=0"]),
  ];
  try {
    const program = process.env.GO_SERVER ?? buildGo(folder);
    found.push({ name: GO, start: () => startGo(surroundings, program) });
  } catch (error) {
    process.stderr.write(`without ${GO}: ${error.message}\n`);
  }
  return found;
}

/** `kubets apiserver`, which keeps its objects in its memory beside the stand-in of etcd, with notes as a custom resource. */
async function startOurs(surroundings, flags) {
  const server = await startApiserver(surroundings, flags);
  const ask = callerOf({ port: server.port, ca: surroundings.certificate.ca, token: tokenOf("admin") });
  await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION);
  await ask.untilServed(NOTES);
  return { ...server, election: { at: LEASES, object: lease() } };
}

async function startGo(surroundings, program) {
  const core = await startApiserver(surroundings, []);
  const ask = callerOf({ port: core.port, ca: surroundings.certificate.ca, token: tokenOf("admin") });
  await ask("POST", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", ELECTION_BY_NOTES);
  const kubeconfig = writeKubeconfig(surroundings.folder, { port: core.port, ca: surroundings.certificate.ca });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--authentication-skip-lookup",
  ];
  try {
    const server = await ServerProcess.start([program, ...flags], surroundings.certificate);
    const stop = async () => {
      await server.stop();
      await core.stop();
    };
    return { port: server.port, stop, election: { at: ELECTION_NOTES, object: note("election") } };
  } catch (error) {
    await core.stop();
    throw error;
  }
}

async function startApiserver({ folder, certificate }, flags) {
  const etcd = await ServerProcess.startEtcd([process.execPath, kubets, "envtest", "etcd"]);
  const words = [
    "apiserver",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--etcd-servers=http://127.0.0.1:${etcd.port}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${join(folder, "sa.pub")}`,
    `--service-account-signing-key-file=${join(folder, "sa.key")}`,
    `--token-auth-file=${join(folder, "tokens.csv")}`,
    ...flags,
  ];
  try {
    const profile = process.env.PROFILE === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.env.PROFILE}`];
    const server = await ServerProcess.start([process.execPath, ...profile, kubets, ...words], certificate);
    const ask = callerOf({ port: server.port, ca: certificate.ca, token: tokenOf("admin") });
    await ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", ALL_RIGHTS);
    const stop = async () => {
      await server.stop();
      await etcd.stop();
    };
    return { port: server.port, stop };
  } catch (error) {
    await etcd.stop();
    throw error;
  }
}

export const note = (name) => ({
  apiVersion: "bench.example.com/v1",
  kind: "Note",
  metadata: { name },
  spec: { text: "x".repeat(500) },
});

const lease = () => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "election" },
  spec: { holderIdentity: "leader", leaseDurationSeconds: 15 },
});

const ALL_RIGHTS = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "bench" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: GROUP }],
};

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "notes.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { kind: "Note", plural: "notes" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { text: { type: "string" } } } },
          },
        },
      },
    ],
  },
};

/** The Go server serves no leases: its leader election writes a note, and has the level of one that writes a lease. */
const ELECTION_BY_NOTES = {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  metadata: { name: "election-by-notes" },
  spec: {
    priorityLevelConfiguration: { name: "leader-election" },
    matchingPrecedence: 100,
    distinguisherMethod: { type: "ByUser" },
    rules: [
      {
        subjects: [{ kind: "User", user: { name: USERS.leader.name } }],
        resourceRules: [
          {
            verbs: ["get", "create", "update"],
            apiGroups: ["bench.example.com"],
            resources: ["notes"],
            namespaces: ["kube-system"],
          },
        ],
      },
    ],
  },
};
