import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../../src/base/async/deferred.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { OwnFilter } from "../../../src/server/filters/own-filter.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";
import { eventually } from "../../helpers/eventually.js";
import { realKubectl } from "../../helpers/run-real-kubectl.js";

const FLOWCONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1";
const UID_OF_SCHEMA = "x-kubernetes-pf-flowschema-uid";
const UID_OF_LEVEL = "x-kubernetes-pf-prioritylevel-uid";

/** Requests with the header x-hold stay until the test lets them go. */
const holds = new Map<string, Deferred<void>>();
const begun: string[] = [];
const holder: OwnFilter = {
  name: "holder",
  after: "priority-and-fairness",
  filter: (next) => async (request) => {
    const name = request.exchange.headers["x-hold"];
    if (name !== undefined) {
      begun.push(name);
      await holds.get(name)?.promise;
    }
    await next(request);
  },
};

let cluster: Cluster;
/** The uids of the stored objects, by their names. */
const schemas = new Map<string, string>();
const levels = new Map<string, string>();

beforeAll(async () => {
  cluster = await startCluster({
    controllers: false,
    inFlight: { readOnly: 200, mutating: 45, fairness: true },
    filters: [holder],
  });
  await learnUids();
});
afterAll(() => cluster.close());

async function learnUids(): Promise<void> {
  for (const [resource, uids] of [
    ["flowschemas", schemas],
    ["prioritylevelconfigurations", levels],
  ] as const) {
    const { text } = await call(cluster.transport(), "GET", `${FLOWCONTROL}/${resource}`);
    const { items } = JSON.parse(text) as { readonly items: readonly { metadata: { name: string; uid: string } }[] };
    for (const { metadata } of items) uids.set(metadata.name, metadata.uid);
  }
}

/** "schema level" of an answer, by the uids in its headers. */
function flowOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  const nameOf = (uids: ReadonlyMap<string, string>, header: string): string =>
    [...uids].find(([, uid]) => uid === headers[header])?.[0] ?? String(headers[header]);
  return `${nameOf(schemas, UID_OF_SCHEMA)} ${nameOf(levels, UID_OF_LEVEL)}`;
}

const send = (user: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  asUser(cluster.transport(), user)(method, path, body, { headers });

function heldUntil(name: string): Deferred<void> {
  const held = deferred<void>();
  holds.set(name, held);
  return held;
}

/** Sends a request that stays behind fairness until the returned `end` is called. */
function holdRequest(user: string, method: string, path: string) {
  const name = `${holds.size}`;
  const { resolve } = heldUntil(name);
  const answer = send(user, method, path, undefined, { "x-hold": name });
  return { answer, end: () => resolve(), begins: () => eventually(() => expect(begun).toContain(name)) };
}

/** The condition of a schema. */
async function dangling(name: string): Promise<unknown> {
  const { text } = await call(cluster.transport(), "GET", `${FLOWCONTROL}/flowschemas/${name}`);
  const { status } = JSON.parse(text) as { status?: { conditions?: readonly { type: string }[] } };
  return status?.conditions?.find(({ type }) => type === "Dangling");
}

async function limitLevel(name: string, limited: object): Promise<void> {
  const body = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name },
    spec: { type: "Limited", limited },
  };
  expect((await call(cluster.transport(), "POST", `${FLOWCONTROL}/prioritylevelconfigurations`, body)).status).toBe(
    201,
  );
}

async function sendUser(user: string, level: string, precedence = 500, name = `of-${user}`): Promise<void> {
  const body = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name },
    spec: {
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name: level },
      distinguisherMethod: { type: "ByUser" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: user } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        },
      ],
    },
  };
  expect((await call(cluster.transport(), "POST", `${FLOWCONTROL}/flowschemas`, body)).status).toBe(201);
  await learnUids();
}

/** The row of a level in the debug page, by its headers. */
async function dumped(level: string): Promise<Readonly<Record<string, string>>> {
  const page = await call(cluster.transport(), "GET", "/debug/api_priority_and_fairness/dump_priority_levels");
  const [headers = [], ...rows] = page.text.split("\n").map((line) => line.split(/, +/));
  const row = rows.find(([name]) => name === level) ?? [];
  return Object.fromEntries(headers.map((header, place) => [header, row[place] ?? ""]));
}

describe("the answer's headers name the flow schema and priority level", () => {
  test.each([
    ["kubernetes-admin,system:masters", "GET", "/api/v1/namespaces", "exempt exempt"],
    ["jane", "GET", "/readyz", "probes exempt"],
    ["jane", "GET", "/api/v1/namespaces/default/pods", "global-default global-default"],
    ["jane", "GET", "/version", "global-default global-default"],
    ["system:node:a,system:nodes", "GET", "/api/v1/nodes/a", "system-node-high node-high"],
    ["system:node:a,system:nodes", "GET", "/api/v1/pods", "system-nodes system"],
    ["system:kube-controller-manager", "GET", "/api/v1/pods", "kube-controller-manager workload-high"],
    [
      "system:kube-scheduler",
      "PUT",
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler",
      "system-leader-election leader-election",
    ],
    [
      "system:serviceaccount:kube-system:x,system:serviceaccounts",
      "GET",
      "/api/v1/pods",
      "kube-system-service-accounts workload-high",
    ],
    ["system:serviceaccount:shop:x,system:serviceaccounts", "GET", "/api/v1/pods", "service-accounts workload-low"],
  ])("%s %s %s: %s", async (user, method, path, expected) => {
    expect(flowOf(await send(user, method, path))).toBe(expected);
  });

  test("also of a refusal and an error, and not of a connection into a pod", async () => {
    const missing = await call(cluster.transport(), "GET", "/api/v1/namespaces/default/pods/missing");
    expect([missing.status, flowOf(missing)]).toEqual([404, "exempt exempt"]);
    const forbidden = await send("jane", "GET", "/api/v1/secrets");
    expect([forbidden.status, flowOf(forbidden)]).toEqual([403, "global-default global-default"]);
    const log = await call(cluster.transport(), "GET", "/api/v1/namespaces/default/pods/missing/log");
    expect(log.headers).not.toHaveProperty(UID_OF_SCHEMA);
  });
});

describe("a priority level without queues", () => {
  beforeAll(async () => {
    await limitLevel("tight", {
      nominalConcurrencyShares: 1,
      borrowingLimitPercent: 0,
      limitResponse: { type: "Reject" },
    });
    await sendUser("tess", "tight");
    await eventually(async () => expect(flowOf(await send("tess", "GET", "/version"))).toBe("of-tess tight"));
  });

  test("answers a request without a free seat with 429 and Retry-After, and other levels still serve", async () => {
    const held = holdRequest("tess", "GET", "/api/v1/namespaces");
    await held.begins();
    const refused = await send("tess", "GET", "/api/v1/namespaces");
    expect(refused).toMatchObject({ status: 429, text: "Too many requests, please try again later.\n" });
    expect(refused.headers).toMatchObject({ "retry-after": "1", "content-type": "text/plain; charset=utf-8" });
    expect(flowOf(refused)).toBe("of-tess tight");
    expect((await send("jane", "GET", "/version")).status).toBe(200);
    expect(await dumped("tight")).toMatchObject({ ExecutingRequests: "1", RejectedRequests: "1", IsIdle: "false" });
    held.end();
    await held.answer;
    expect((await send("tess", "GET", "/version")).status).toBe(200);
  });

  test("counts a watch until its initial events are sent", async () => {
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "tess" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "tess" }],
    };
    expect(
      (await call(cluster.transport(), "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding))
        .status,
    ).toBe(201);
    const ending = new AbortController();
    const hold = heldUntil("watch");
    const opened = cluster.transport().send({
      method: "GET",
      path: "/api/v1/namespaces?watch=true",
      headers: { "impersonate-user": "tess", "x-hold": "watch" },
      signal: ending.signal,
    });
    await eventually(() => expect(begun).toContain("watch"));
    expect((await send("tess", "GET", "/version")).status).toBe(429);
    hold.resolve();
    const { status, headers, body } = await opened;
    expect([status, flowOf({ headers })]).toEqual([200, "of-tess tight"]);
    const events = body[Symbol.asyncIterator]();
    expect(Buffer.from((await events.next()).value as Uint8Array).toString()).toContain('"ADDED"');
    // The watch is open, and its seat is free.
    await eventually(async () => expect((await send("tess", "GET", "/version")).status).toBe(200));
    ending.abort();
  });
});

describe("a priority level with queues", () => {
  beforeAll(async () => {
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 2 };
    await limitLevel("narrow", {
      nominalConcurrencyShares: 1,
      borrowingLimitPercent: 0,
      limitResponse: { type: "Queue", queuing },
    });
    await sendUser("nell", "narrow");
    await sendUser("noah", "narrow");
    await eventually(async () => expect(flowOf(await send("noah", "GET", "/version"))).toBe("of-noah narrow"));
  });

  test("lets requests wait, refuses them when the queue is full, and shows them in the debug pages", async () => {
    const held = holdRequest("nell", "GET", "/version");
    await held.begins();
    const waiting = [send("nell", "GET", "/version"), send("noah", "GET", "/api/v1/namespaces/shop/pods/web")];
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ WaitingRequests: "2" }));
    const refused = await send("noah", "GET", "/version");
    expect([refused.status, flowOf(refused)]).toEqual([429, "of-noah narrow"]);
    const debug = (page: string) =>
      call(cluster.transport(), "GET", `/debug/api_priority_and_fairness/${page}`).then(({ text }) => text);
    expect(await debug("dump_queues")).toMatch(/^narrow, +0, +2, +1, +1, +\d+\.\d{8}ss, +2, +2, +\d+\.\d{8}ss$/m);
    const lines = (await debug("dump_requests?includeRequestDetails=1")).split("\n").map((line) => line.split(/, +/));
    expect(lines[0]?.join(" ")).toBe(
      "PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime InitialSeats FinalSeats AdditionalLatency StartTime " +
        "UserName Verb APIPath Namespace Name APIVersion Resource SubResource",
    );
    const [waits] = lines.filter(([level, , , place]) => level === "narrow" && place === "1");
    expect(waits?.slice(0, 4)).toEqual(["narrow", "of-noah", "0", "1"]);
    expect(waits?.slice(6, 11)).toEqual(["1", "0", "0s", "0001-01-01T00:00:00Z", "noah"]);
    expect(waits?.slice(11, 15)).toEqual(["get", "/api/v1/namespaces/shop/pods/web", "shop", "web"]);
    held.end();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 403]);
    await held.answer;
  });

  test("frees the place of a client that disconnects", async () => {
    const held = holdRequest("nell", "GET", "/version");
    await held.begins();
    const leaving = new AbortController();
    const left = cluster.transport().send({
      method: "GET",
      path: "/version",
      headers: { "impersonate-user": "noah" },
      signal: leaving.signal,
    });
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ WaitingRequests: "1" }));
    leaving.abort();
    await expect(left).rejects.toThrow();
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ WaitingRequests: "0" }));
    held.end();
    await held.answer;
  });

  test("is quiescing after its deletion until its last request has ended, and its schemas are dangling", async () => {
    const held = holdRequest("nell", "GET", "/version");
    await held.begins();
    const waiting = send("noah", "GET", "/version");
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ WaitingRequests: "1" }));
    await call(cluster.transport(), "DELETE", `${FLOWCONTROL}/prioritylevelconfigurations/narrow`);
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ IsQuiescing: "true" }));
    expect(flowOf(await send("noah", "GET", "/version"))).toBe("global-default global-default");
    await eventually(async () =>
      expect(await dangling("of-noah")).toMatchObject({ status: "True", reason: "NotFound" }),
    );
    held.end();
    expect([(await held.answer).status, (await waiting).status]).toEqual([200, 200]);
    await eventually(async () => expect(await dumped("narrow")).toMatchObject({ PriorityLevelName: "" }));
  });
});

describe("a FlowSchema without its priority level", () => {
  test("is dangling until the level exists, in a condition that the server owns", async () => {
    await sendUser("dora", "later");
    expect(flowOf(await send("dora", "GET", "/version"))).toBe("global-default global-default");
    expect(await dangling("of-dora")).toMatchObject({
      status: "True",
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "later" but there is no such object',
    });
    await limitLevel("later", { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } });
    await learnUids();
    await eventually(async () => expect(flowOf(await send("dora", "GET", "/version"))).toBe("of-dora later"));
    await eventually(async () =>
      expect(await dangling("of-dora")).toMatchObject({
        status: "False",
        reason: "Found",
        message: 'This FlowSchema references the PriorityLevelConfiguration object named "later" and it exists',
      }),
    );
    const stored = await call(cluster.transport(), "GET", `${FLOWCONTROL}/flowschemas/of-dora`);
    expect(stored.text).toContain("api-priority-and-fairness-config-consumer-v1");
  });

  test("is not the catch-all, which works although its objects are deleted", async () => {
    for (const name of ["global-default", "catch-all"])
      await call(cluster.transport(), "DELETE", `${FLOWCONTROL}/flowschemas/${name}`);
    await eventually(async () => {
      const answer = await send("jane", "GET", "/version");
      expect([answer.status, answer.headers[UID_OF_SCHEMA]]).toEqual([200, ""]);
      expect(flowOf(answer)).toBe(" catch-all");
    });
  });
});

describe("the real kubectl", () => {
  test("sees the flow of a user whom it impersonates, schemas without a level, and the debug pages", async () => {
    await sendUser("kim", "nowhere", 400);
    await using kubectl = await realKubectl(cluster);
    const { stderr } = await kubectl.run("get --raw /version -v=8 --as=system:kube-scheduler");
    expect(stderr.toLowerCase()).toContain(`${UID_OF_SCHEMA}: ${schemas.get("kube-scheduler")}`);
    expect(stderr.toLowerCase()).toContain(`${UID_OF_LEVEL}: ${levels.get("workload-high")}`);
    expect(await kubectl.ok("get flowschema of-kim --no-headers")).toMatch(
      /^of-kim +nowhere +400 +ByUser +\S+ +True\n$/,
    );
    expect(await kubectl.ok("get --raw /debug/api_priority_and_fairness/dump_priority_levels")).toMatch(
      /^exempt, +0, +false, +false, +0, +\d+, /m,
    );
  });
});

describe("the debug pages of priority and fairness", () => {
  test("need a right, and the index does not list them", async () => {
    const page = "/debug/api_priority_and_fairness/dump_priority_levels";
    expect((await send("jane", "GET", page)).status).toBe(403);
    expect((await call(cluster.transport(), "GET", "/")).text).not.toContain("api_priority_and_fairness");
    const { text } = await call(cluster.transport(), "GET", page);
    expect(text.split("\n")[0]).toBe(
      "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests",
    );
  });
});
