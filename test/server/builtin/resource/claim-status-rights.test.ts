import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { type Answer, call } from "../../../helpers/api-caller.js";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const GROUP = "rbac.authorization.k8s.io";
const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const STATUS = "update,patch resourceclaims/status";
const OTHERS = ["b.example.com", "c.example.com"];

let cluster: Cluster;
let admin: Transport;
let count = 0;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, scheduler: false });
  admin = cluster.transport();
  await allow("status", STATUS);
  await allow("scheduler", STATUS, "update resourceclaims/binding");
  await allow("driver", STATUS, "arbitrary-node:patch resourceclaims/driver a.example.com");
  await allow("system:serviceaccount:default:agent", STATUS, "associated-node:patch resourceclaims/driver");
});

afterAll(() => cluster.close());

/** Gives a user a cluster role of rules like "get,list resourceclaims name". */
async function allow(user: string, ...rules: readonly string[]): Promise<void> {
  const name = `role-${++count}`;
  const roles = rules.map((rule) => {
    const [verbs = "", resource = "", only] = rule.split(" ");
    const names = only === undefined ? {} : { resourceNames: [only] };
    return { apiGroups: ["resource.k8s.io"], resources: [resource], verbs: verbs.split(","), ...names };
  });
  const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name };
  const subjects = [{ apiGroup: GROUP, kind: "User", name: user }];
  await done("POST", `${RBAC}/clusterroles`, { metadata: { name }, rules: roles });
  await done("POST", `${RBAC}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
}

async function done(method: string, path: string, body: unknown): Promise<Answer> {
  const answer = await call(admin, method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

const onNodes = (...nodes: string[]): object => ({
  nodeSelectorTerms: nodes.map((node) => ({
    matchFields: [{ key: "metadata.name", operator: "In", values: [node] }],
  })),
});
const device = (driver: string, name = "x"): object => ({ driver, pool: "p", device: name });
const allocation = (nodeSelector?: object): object => ({
  devices: {
    results: ["a.example.com", ...OTHERS].map((driver) => ({ request: "r", ...device(driver) })),
  },
  ...(nodeSelector && { nodeSelector }),
});

/** A claim, with a status that the administrator wrote. */
async function claimWith(status: object = {}): Promise<string> {
  const name = `claim-${++count}`;
  const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
  const made = await done("POST", CLAIMS, { metadata: { name }, spec: { devices: { requests } } });
  const { spec } = JSON.parse(made.text) as { spec: object };
  await done("PUT", `${CLAIMS}/${name}/status`, { metadata: { name }, spec, status });
  return name;
}

interface Sender {
  readonly user: string;
  readonly node?: string;
}

const patchAs = ({ user, node }: Sender, name: string, status: object): Promise<Answer> =>
  call(
    admin,
    "PATCH",
    `${CLAIMS}/${name}/status`,
    { status },
    {
      type: "application/merge-patch+json",
      headers: {
        "impersonate-user": user,
        ...(node !== undefined && { "impersonate-extra-authentication.kubernetes.io%2fnode-name": node }),
      },
    },
  );
async function putAs(user: string, name: string, change: object): Promise<Answer> {
  const current = JSON.parse((await call(admin, "GET", `${CLAIMS}/${name}`)).text) as { status?: object };
  const body = { ...current, status: { ...current.status, ...change } };
  return call(admin, "PUT", `${CLAIMS}/${name}/status`, body, { headers: { "impersonate-user": user } });
}

const causes = (answer: Answer): unknown => {
  const found = answer.at("details.causes") as { field: string; message: string }[] | undefined;
  return [answer.status, ...(found ?? []).map(({ field, message }) => `${field}: ${message}`)];
};
const noBinding = (user: string, verb: string): string =>
  `status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ` +
  `resourceclaims.resource.k8s.io is forbidden: User "${user}" cannot ${verb} resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope`;
const noDriver = (user: string, driver: string, verbs: string): string =>
  `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs}]" permission: ` +
  `resourceclaims.resource.k8s.io "${driver}" is forbidden: User "${user}" cannot ${verbs.split(" ")[0]} resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"`;

const reservedFor = [{ resource: "pods", name: "p", uid: "u" }];

test("only users who may write resourceclaims/binding may allocate and reserve devices", async () => {
  const name = await claimWith();
  const given = { allocation: allocation(), reservedFor };
  expect(causes(await patchAs({ user: "status" }, name, given))).toEqual([422, noBinding("status", "patch")]);
  expect(causes(await patchAs({ user: "status" }, name, { allocation: {} }))).toEqual([
    422,
    noBinding("status", "patch"),
  ]);
  expect(causes(await patchAs({ user: "scheduler" }, name, given))).toEqual([422, noBinding("scheduler", "patch")]);
  expect((await putAs("scheduler", name, given)).status).toBe(200);
  expect(causes(await putAs("status", name, { reservedFor: [] }))).toEqual([422, noBinding("status", "update")]);
  expect((await putAs("status", name, {})).status).toBe(200);
});

test("a driver may write the status of its own devices, and no others'", async () => {
  const name = await claimWith({ allocation: allocation(), devices: [device("b.example.com")] });
  const kept = { ...device("b.example.com"), conditions: [] };
  const refused = (...drivers: string[]) => [
    422,
    ...drivers.map((driver) => noDriver("driver", driver, "arbitrary-node:patch")),
  ];
  const write = async (...devices: object[]) => causes(await patchAs({ user: "driver" }, name, { devices }));
  expect(await write(kept, device("a.example.com"))).toEqual([200]);
  expect(await write(device("a.example.com"))).toEqual(refused("b.example.com"));
  expect(await write({ ...kept, data: { a: 1 } }, device("c.example.com"))).toEqual(refused(...OTHERS));
  expect(await write({ ...kept, networkData: {} })).toEqual(refused("b.example.com"));
  expect(await write(kept)).toEqual([200]);
  expect(causes(await putAs("driver", name, { devices: [kept, device("a.example.com")] }))).toEqual([
    422,
    noDriver("driver", "a.example.com", "arbitrary-node:update"),
  ]);
});

test("a service account on a claim's only node may use the right of associated nodes", async () => {
  const user = "system:serviceaccount:default:agent";
  const devices = [device("a.example.com")];
  const both = "associated-node:patch arbitrary-node:patch";
  const only = "arbitrary-node:patch";
  const there = await claimWith({ allocation: allocation(onNodes("n1")) });
  const anywhere = await claimWith({ allocation: allocation(onNodes("n1", "n2")) });
  expect(causes(await patchAs({ user, node: "n1" }, there, { devices }))).toEqual([200]);
  for (const [sender, name] of [
    [{ user, node: "n2" }, there],
    [{ user }, there],
    [{ user, node: "n1" }, anywhere],
  ] as const) {
    const change = { devices: [device("b.example.com")] };
    const drivers = name === there ? ["a.example.com", "b.example.com"] : ["b.example.com"];
    const refused = drivers.map((driver) => noDriver(user, driver, only));
    expect(causes(await patchAs(sender, name, change))).toEqual([422, ...refused]);
  }
  await allow("system:serviceaccount:default:other", STATUS);
  const other = { user: "system:serviceaccount:default:other", node: "n1" };
  expect(causes(await patchAs(other, there, { devices: [] }))).toEqual([
    422,
    noDriver(other.user, "a.example.com", both),
  ]);
});

test("the scheduler and the claim controller may allocate and reserve devices by their default roles", async () => {
  const name = await claimWith();
  const users = ["system:kube-scheduler", "system:serviceaccount:kube-system:resource-claim-controller"];
  for (const user of users) {
    expect(causes(await patchAs({ user }, name, { allocation: allocation(), reservedFor }))).toEqual([200]);
    expect(causes(await putAs(user, name, { allocation: undefined, reservedFor: [] }))).toEqual([200]);
  }
});
