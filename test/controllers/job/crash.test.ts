import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport, TransportRequest } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { StartController } from "../../../src/controllers/context.js";
import { jobController } from "../../../src/controllers/job/job-controller.js";
import { object, objects, text } from "../../../src/machinery/meta/access.js";
import { call } from "../../helpers/api-caller.js";
import { type ManualControllers, runControllers } from "../../helpers/manual-controllers.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { mortalTransport } from "../../helpers/mortal-transport.js";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const time = new ManualTime();
let cluster: Cluster;
let api: Transport;
let kubelet: ManualControllers;

/** Ends pods: the first of each job fails, the others succeed. */
const ending: StartController = ({ client, manager }) => {
  const firsts = new Map<string, string>();
  manager.controllerFor("v1", "Pod").reconcile(async ({ namespace, name, object: pod }) => {
    if (pod?.status?.phase !== "Pending") return;
    const job = pod.metadata?.labels?.["job-name"] ?? "";
    if (!firsts.has(job)) firsts.set(job, name);
    const phase = firsts.get(job) === name ? "Failed" : "Succeeded";
    await client.of("v1", "Pod").namespace(namespace).patchStatus(name, { status: { phase } }, { type: "merge" });
  });
};

/** Reads and events may come in any number. */
const isWrite = ({ method, path }: TransportRequest): boolean => method !== "GET" && !path.includes("/events");

const statusOf = async (job: string) => object((await call(api, "GET", `${JOBS}/${job}`)).at("status"));

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    controllers: ["serviceaccount-controller"],
    scheduler: false,
    clock: time,
  });
  api = cluster.transport();
  kubelet = await runControllers(api, time, [ending]);
});

afterAll(async () => {
  await kubelet.close();
  await cluster.close();
});

test.each([1, 2, 3, 4, 5, 6, 8, 10])(
  "CTL-7: a Job reaches the same end when its controller is killed at write %i and another takes over",
  async (write) => {
    const name = `job-${write}`;
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await call(api, "POST", JOBS, { metadata: { name }, spec: { completions: 3, parallelism: 2, template } });
    const dying = await runControllers(mortalTransport(api, { request: write, done: true }, isWrite), time, [
      jobController,
    ]);
    await dying.pass(8000, 1000);
    await dying.close();
    const next = await runControllers(api, time, [jobController]);
    await next.pass(18_000, 1000);
    await next.close();
    const { conditions, succeeded, failed, active, uncountedTerminatedPods } = await statusOf(name);
    expect([succeeded, failed, active, uncountedTerminatedPods]).toEqual([3, 1, undefined, {}]);
    expect(objects(conditions).map(({ type }) => text(type))).toEqual(["SuccessCriteriaMet", "Complete"]);
    const pods = objects(
      (await call(api, "GET", `/api/v1/namespaces/default/pods?labelSelector=job-name%3D${name}`)).at("items"),
    );
    expect(pods.map(({ metadata }) => object(metadata)["finalizers"])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  },
);
