import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";

let cluster: DrivenCluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({
    ...quietCluster,
    port: false,
    nodes: 1,
    clock: manualClock(),
    stages: ({ metadata }) => (metadata?.name === "db-2" ? { "*": { crashes: { runs: 2, code: 3 } } } : undefined),
  });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function create(
  name: string,
  stages: object | undefined,
  spec: object = {},
  container: object = {},
): Promise<void> {
  const annotations = stages && { "kubets.dev/stages": JSON.stringify({ app: stages }) };
  const answer = await call(api, "POST", PODS, {
    metadata: { name, ...(annotations && { annotations }) },
    spec: { nodeName: "node-1", containers: [{ name: "app", image: "i", ...container }], ...spec },
  });
  expect(answer.status, answer.text).toBe(201);
  await cluster.clock.atRest();
}

const status = async (name: string) => object((await call(api, "GET", `${PODS}/${name}`)).at("status"));
const container = async (name: string) => object(objects((await status(name))["containerStatuses"])[0]);
const events = async (name: string) =>
  objects(
    (await call(api, "GET", `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`)).at(
      "items",
    ),
  ).map(({ reason, message }) => `${text(reason)}: ${text(message)}`);

test("a pod that its stages let crash restarts after longer and longer waits, and finally runs", async () => {
  await create("db-2", undefined);
  await cluster.clock.advance("1s");
  expect(await container("db-2")).toMatchObject({
    restartCount: 1,
    state: { waiting: { reason: "CrashLoopBackOff" } },
  });
  await cluster.clock.advance("11s");
  expect(await container("db-2")).toMatchObject({
    ready: true,
    restartCount: 2,
    state: { running: {} },
    lastState: { terminated: { exitCode: 3, reason: "Error" } },
  });
});

test("a pod that is active beyond its deadline fails", async () => {
  await create("slow", { stopDelay: "5s" }, { activeDeadlineSeconds: 60 });
  await cluster.clock.advance("61s");
  expect((await status("slow"))["phase"]).toBe("Running");
  await cluster.clock.advance("5s");
  const message = "Pod was active on the node longer than the specified deadline";
  expect(await status("slow")).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded", message });
  expect(await events("slow")).toContain(`DeadlineExceeded: ${message}`);
});

test("a pod that ends within its deadline succeeds", async () => {
  await create("fast", { exit: { after: "10s" } }, { activeDeadlineSeconds: 60, restartPolicy: "Never" });
  await cluster.clock.advance("90s");
  const ended = await status("fast");
  expect([ended["phase"], ended["reason"]]).toEqual(["Succeeded", undefined]);
});

test("a container that its stages let run out of memory has the reason OOMKilled", async () => {
  await create("hungry", { exit: { code: 137, reason: "OOMKilled" } }, { restartPolicy: "Never" });
  await cluster.clock.advance("1s");
  expect(object((await container("hungry"))["state"])).toMatchObject({
    terminated: { exitCode: 137, reason: "OOMKilled" },
  });
});

test("a pod becomes ready at the time that its stages give", async () => {
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 5 };
  await create("late", { readyAfter: "20s" }, {}, { readinessProbe });
  await cluster.clock.advance("19s");
  expect(await container("late")).toMatchObject({ ready: false, started: true });
  await cluster.clock.advance("2s");
  expect(await container("late")).toMatchObject({ ready: true });
});

test("a probe of a port succeeds when the image's program does not exist", async () => {
  await create("chart", undefined, {}, { readinessProbe: { httpGet: { port: 8080, path: "/healthz" } } });
  await cluster.clock.advance("1s");
  expect(await container("chart")).toMatchObject({ ready: true });
});

test("an image whose stages delay it is pulled later", async () => {
  await create("pulled", { pullFailure: { for: "15s", message: "no such image" } });
  expect(await container("pulled")).toMatchObject({ state: { waiting: { reason: "ImagePullBackOff" } } });
  await cluster.clock.advance("31s");
  expect(await container("pulled")).toMatchObject({ state: { running: {} } });
});

test("a pod stops no sooner than its stages allow, and no later than its grace period", async () => {
  await create("stubborn", { stopDelay: "never" }, { terminationGracePeriodSeconds: 20 });
  await call(api, "DELETE", `${PODS}/stubborn`);
  await cluster.clock.advance("19s");
  expect((await call(api, "GET", `${PODS}/stubborn`)).status).toBe(200);
  await cluster.clock.advance("2s");
  expect((await call(api, "GET", `${PODS}/stubborn`)).status).toBe(404);
});
