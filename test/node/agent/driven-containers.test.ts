import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { type Fields, object, objects, text } from "../../../src/machinery/meta/access.js";
import { processLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { httpPort } from "../../../src/node/scripted/ports.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const NAMESPACE = "/api/v1/namespaces/default";
const PODS = `${NAMESPACE}/pods`;

const errors: unknown[] = [];
const asked: string[] = [];
let cluster: DrivenCluster;
let api: Transport;

beforeAll(async () => {
  const web = {
    ports: {
      80: httpPort((incoming, answer) => {
        asked.push(`${incoming.url ?? ""} ${incoming.headers["x-from"] ?? ""}`);
        answer.statusCode = incoming.url === "/bad" ? 500 : 200;
        answer.end();
      }),
    },
  };
  cluster = await startCluster({
    standIn: false,
    ...quietCluster,
    port: false,
    nodes: [{ name: "node-1", images: { web }, hasImage: (image) => image !== "missing" }],
    clock: manualClock(),
    // What the node says of a resize that is beyond it shows only where the server lets it through.
    admission: { disable: ["PodResizeValidator"] },
    onError: (error) => void errors.push(error),
  });
  api = cluster.transport();
});
afterAll(() => cluster.close());

interface PodOptions {
  readonly spec?: object;
  readonly stages?: object;
  readonly containers?: readonly object[];
}

/** Creates a pod on the node; its containers are "app" with `container`'s fields, unless there are others. */
async function create(name: string, container: object, { spec, stages, containers }: PodOptions = {}): Promise<void> {
  const annotations = stages && { "kubets.dev/stages": JSON.stringify(stages) };
  const answer = await call(api, "POST", PODS, {
    metadata: { name, ...(annotations && { annotations }) },
    spec: { nodeName: "node-1", containers: containers ?? [{ name: "app", image: "busybox", ...container }], ...spec },
  });
  expect(answer.status, answer.text).toBe(201);
  await cluster.clock.atRest();
}

const sh = (script: string): object => ({ command: ["sh", "-c", script] });
const idle = sh("sleep infinity");
const pod = async (name: string) => JSON.parse((await call(api, "GET", `${PODS}/${name}`)).text) as Fields;
const status = async (name: string) => object((await pod(name)).status);
const container = async (name: string, of = "app"): Promise<Fields> => {
  const { initContainerStatuses, containerStatuses } = await status(name);
  const all = [...objects(initContainerStatuses), ...objects(containerStatuses)];
  return all.find((one) => one.name === of) as Fields;
};
const waiting = async (name: string, of?: string) => object(object((await container(name, of))["state"]).waiting);
const terminated = async (name: string, of?: string) => object(object((await container(name, of))["state"]).terminated);
const condition = async (name: string, type: string) =>
  objects((await status(name))["conditions"]).find((one) => one.type === type);
const events = async (name: string) =>
  objects((await call(api, "GET", `${NAMESPACE}/events?fieldSelector=involvedObject.name%3D${name}`)).at("items"));
const said = async (name: string) =>
  (await events(name)).map(({ reason, message }) => `${text(reason)}: ${text(message)}`);
const remove = (name: string, graceSeconds: number) =>
  call(api, "DELETE", `${PODS}/${name}`, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: graceSeconds });
const patch = (path: string, change: object) =>
  call(api, "PATCH", path, change, { type: "application/strategic-merge-patch+json" });
const exists = async (name: string) => (await call(api, "GET", `${PODS}/${name}`)).status === 200;

describe("the conditions and events with which a node answers the resize of a pod", () => {
  const resize = (name: string, resources: object) =>
    patch(`${PODS}/${name}/resize`, { spec: { containers: [{ name: "app", resources }] } });
  const asked = (name: string, reason: string) =>
    said(name).then((all) => all.filter((one) => one.startsWith(`${reason}: `)));
  const summary = (cpu: string, more: object = {}) =>
    JSON.stringify({
      containers: [{ name: "app", resources: { requests: { cpu, memory: "64Mi" } } }],
      generation: 2,
      ...more,
    });
  const small = { resources: { requests: { memory: "64Mi", cpu: "100m" } } };

  test("when it resizes at once", async () => {
    await create("grown", { ...idle, ...small });
    expect((await resize("grown", { requests: { cpu: "200m" } })).status).toBe(200);
    await cluster.clock.atRest();
    expect(await asked("grown", "ResizeStarted")).toEqual([`ResizeStarted: Pod resize started: ${summary("200m")}`]);
    expect(await asked("grown", "ResizeCompleted")).toEqual([
      `ResizeCompleted: Pod resize completed: ${summary("200m")}`,
    ]);
  });

  test("when the container restarts for it", async () => {
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    await create("grown-anew", { ...idle, ...small, resizePolicy });
    expect((await resize("grown-anew", { requests: { cpu: "200m" } })).status).toBe(200);
    await cluster.clock.advance(60_000);
    expect((await container("grown-anew"))["restartCount"]).toBe(1);
    const reasons = (await said("grown-anew")).map((one) => one.split(":")[0]);
    expect(reasons.indexOf("ResizeCompleted")).toBeGreaterThan(reasons.indexOf("ResizeStarted"));
    expect(await asked("grown-anew", "ResizeCompleted")).toHaveLength(1);
  });

  test("when it can never resize the pod", async () => {
    await create("vast", { ...idle, ...small });
    expect((await resize("vast", { requests: { cpu: "400" } })).status).toBe(200);
    await cluster.clock.atRest();
    const error = "Node didn't have enough capacity: cpu, requested: 400000, capacity: 8000";
    expect(await asked("vast", "ResizeInfeasible")).toEqual([
      `ResizeInfeasible: Pod resize Infeasible: ${summary("400", { error })}`,
    ]);
    expect(await asked("vast", "ResizeStarted")).toEqual([]);
  });
});

describe("the events and conditions of a node", () => {
  const ofNode = async (reason: string) =>
    (await events("node-1"))
      .filter((one) => one["reason"] === reason)
      .map(({ type, message, count }) => [type, message, count]);

  test("show that it starts and is ready", async () => {
    expect(await ofNode("Starting")).toEqual([["Normal", "Starting kubelet.", 1]]);
    expect(await ofNode("NodeReady")).toEqual([["Normal", "Node node-1 status is now: NodeReady", 1]]);
    const [ready] = (await events("node-1")).filter((one) => one["reason"] === "NodeReady");
    expect(ready).toMatchObject({
      source: { component: "kubelet", host: "node-1" },
      involvedObject: { kind: "Node", name: "node-1", uid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  test("show that it is cordoned, and that it is gone", async () => {
    expect(await ofNode("NodeNotSchedulable")).toEqual([]);
    await patch("/api/v1/nodes/node-1", { spec: { unschedulable: true } });
    await cluster.clock.atRest();
    expect(await ofNode("NodeNotSchedulable")).toEqual([
      ["Normal", "Node node-1 status is now: NodeNotSchedulable", 1],
    ]);
    expect(await ofNode("NodeSchedulable")).toEqual([]);
    await patch("/api/v1/nodes/node-1", { spec: { unschedulable: false } });
    await cluster.clock.atRest();
    expect(await ofNode("NodeSchedulable")).toEqual([["Normal", "Node node-1 status is now: NodeSchedulable", 1]]);
  });
});

test("logs -f may last longer than other requests to a node", async () => {
  await create("talks", sh("echo first; sleep 200; echo last"));
  const log = call(api, "GET", `${PODS}/talks/log?follow=true`);
  await cluster.clock.advance("201s");
  expect(await log).toMatchObject({ status: 200, text: "first\nlast\n" });
});

describe("pod conditions that the node and others write", () => {
  const write = (name: string, conditions: readonly object[]) =>
    patch(`${PODS}/${name}/status`, { status: { conditions } });

  test("make a pod ready when another client opens its readiness gate, and unready when it closes it", async () => {
    await create("opened", idle, { spec: { readinessGates: [{ conditionType: "example.com/warm" }] } });
    expect(await condition("opened", "Ready")).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/warm" does not exist.',
    });
    await write("opened", [{ type: "example.com/warm", status: "True" }]);
    await cluster.clock.atRest();
    expect(await condition("opened", "Ready")).toMatchObject({ status: "True" });
    await write("opened", [{ type: "example.com/warm", status: "False" }]);
    await cluster.clock.atRest();
    expect(await condition("opened", "Ready")).toMatchObject({
      status: "False",
      message: 'the status of pod readiness gate "example.com/warm" is not "True", but False',
    });
    expect(await condition("opened", "ContainersReady")).toMatchObject({ status: "True" });
  });

  test("stay unchanged by the node when they are others'", async () => {
    await create("watched", sh("sleep 5"), { spec: { restartPolicy: "Never" } });
    await write("watched", [{ type: "example.com/seen", status: "True" }]);
    await cluster.clock.advance("10s");
    expect(await condition("watched", "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
    expect(await condition("watched", "example.com/seen")).toMatchObject({ status: "True" });
  });

  test("are written again by the node when another client changes the node's own", async () => {
    await create("doubted", idle);
    const before = await condition("doubted", "Ready");
    await write("doubted", [{ type: "Ready", status: "False", reason: "NodeNotReady" }]);
    await cluster.clock.atRest();
    expect(await condition("doubted", "Ready")).toMatchObject({
      status: "True",
      lastTransitionTime: before?.["lastTransitionTime"],
    });
  });
});

describe("container restart rules", () => {
  const rules = (action: string, code: number) => ({
    restartPolicy: "Never",
    restartPolicyRules: [{ action, exitCodes: { operator: "In", values: [code] } }],
  });

  test("restart a container of a pod that never restarts, until no rule matches", async () => {
    await create("ruled", rules("Restart", 42), {
      spec: { restartPolicy: "Never" },
      stages: { app: { crashes: { runs: 2, code: 42 }, exit: { code: 7 } } },
    });
    expect(await status("ruled")).toMatchObject({ phase: "Running" });
    await cluster.clock.advance("11s");
    expect(await container("ruled")).toMatchObject({ restartCount: 2, state: { terminated: { exitCode: 7 } } });
    expect(await status("ruled")).toMatchObject({ phase: "Failed" });
  });

  test("come after the container's own restart policy, which overrides the pod's", async () => {
    await create(
      "own-policy",
      {},
      {
        containers: [
          { name: "app", image: "i", restartPolicy: "Never" },
          { name: "other", image: "i" },
        ],
        stages: { app: { exit: { code: 1 } } },
      },
    );
    await cluster.clock.advance("1m");
    expect(await container("own-policy")).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 1 } } });
    expect(await status("own-policy")).toMatchObject({ phase: "Running" });
  });

  test("do not save an init container with the policy Never, whose failure fails the pod", async () => {
    const init = { name: "init", image: "i", restartPolicy: "Never" };
    await create("init-never", {}, { spec: { initContainers: [init] }, stages: { init: { exit: { code: 1 } } } });
    await cluster.clock.advance("1m");
    expect(await status("init-never")).toMatchObject({ phase: "Failed" });
    expect(await container("init-never", "init")).toMatchObject({ restartCount: 0 });
  });

  test("may restart all containers, the init containers first", async () => {
    const init = { name: "init", image: "i" };
    const side = { name: "side", image: "i", restartPolicy: "Always" };
    await create(
      "all",
      {},
      {
        spec: { restartPolicy: "Never", initContainers: [init, side] },
        containers: [
          { name: "app", image: "i", ...rules("RestartAllContainers", 42) },
          { name: "other", image: "i" },
        ],
        stages: { init: { exit: {} }, app: { crashes: { runs: 1, code: 42, after: "5s" } } },
      },
    );
    expect(await condition("all", "AllContainersRestarting")).toMatchObject({ status: "False" });
    await cluster.clock.advance("6s");
    for (const name of ["init", "side", "app", "other"]) {
      expect(await container("all", name)).toMatchObject({ restartCount: 1 });
    }
    expect(await container("all", "other")).toMatchObject({
      state: { running: {} },
      lastState: {
        terminated: {
          exitCode: 137,
          reason: "RestartingAllContainers",
          message: "The container is removed because RestartAllContainers in place",
        },
      },
    });
    expect(await status("all")).toMatchObject({ phase: "Running" });
    expect(await condition("all", "AllContainersRestarting")).toMatchObject({ status: "False" });
  });
});

describe("a pod with hostNetwork", () => {
  test("has the node's addresses and name, and none of the pods' addresses", async () => {
    const report = { ...sh("hostname > /dev/termination-log"), ports: [{ containerPort: 9000 }] };
    await create("on-host", report, { spec: { hostNetwork: true, restartPolicy: "Never" } });
    const { hostIP, podIP, podIPs, hostIPs } = await status("on-host");
    expect(podIP).toBe(hostIP);
    expect([podIPs, hostIPs]).toEqual([[{ ip: hostIP }], [{ ip: hostIP }]]);
    expect(await terminated("on-host")).toMatchObject({ message: "node-1\n" });
  });

  test("listens at its host port of the node", async () => {
    await create("mapped", { image: "web", ports: [{ containerPort: 80, hostPort: 8080 }] });
    const { podIP, hostIP } = await status("mapped");
    expect(podIP).not.toBe(hostIP);
    const answer = await call(api, "GET", `/api/v1/nodes/node-1:8080/proxy/by-host-port`);
    expect(answer.status).toBe(200);
    expect(asked).toContain("/by-host-port ");
  });
});

describe("termination messages of containers", () => {
  test.each([
    [
      "of the log's end where the container asks for it",
      "echo one; echo two; exit 1",
      "FallbackToLogsOnError",
      "one\ntwo\n",
    ],
    [
      "of the file where it has one",
      "echo log; echo file > /dev/termination-log; exit 1",
      "FallbackToLogsOnError",
      "file\n",
    ],
    ["of no log after a success", "echo log", "FallbackToLogsOnError", undefined],
    ["of no log by default", "echo log; exit 1", "File", undefined],
    ["of 80 lines of the log", "seq 1 100; exit 1", "FallbackToLogsOnError", expect.stringMatching(/^21\n/)],
  ])("are %s", async (title, script, terminationMessagePolicy, message) => {
    const name = `message-${title.length}`;
    await create(name, { ...sh(script), terminationMessagePolicy }, { spec: { restartPolicy: "Never" } });
    await cluster.clock.advance("1s");
    expect((await terminated(name))["message"]).toEqual(message);
  });

  test("are the last 4096 bytes of the file at the container's own path", async () => {
    const script = "printf 'first'; for i in $(seq 1 1000); do printf '%05d' $i; done > /tmp/why; exit 1";
    await create("long", { ...sh(script), terminationMessagePath: "/tmp/why" }, { spec: { restartPolicy: "Never" } });
    await cluster.clock.advance("1s");
    const message = text((await terminated("long"))["message"]);
    expect([message.length, message.slice(-5)]).toEqual([4096, "01000"]);
  });

  test("share 12 KiB between all containers of a pod", async () => {
    const big = "m".repeat(4000);
    const containers = ["a", "b", "c", "d"].map((name) => ({ name, image: "i" }));
    await create(
      "shares",
      {},
      {
        containers,
        spec: { restartPolicy: "Never" },
        stages: { "*": { exit: { code: 1, message: big } } },
      },
    );
    await cluster.clock.advance("1s");
    expect(text((await terminated("shares", "a"))["message"]).length).toBe(3072);
  });
});

describe("container life-cycle hooks", () => {
  test("postStart runs before the container counts as started, and its output is not in the log", async () => {
    await create("post", { ...idle, lifecycle: { postStart: { exec: { command: ["sleep", "5"] } } } });
    expect(await container("post")).toMatchObject({ state: { running: {} }, ready: false, started: false });
    await cluster.clock.advance("6s");
    expect(await container("post")).toMatchObject({ ready: true, started: true });
  });

  test("a container whose postStart fails is stopped and starts again", async () => {
    const lifecycle = { postStart: { exec: { command: ["sh", "-c", "echo no >&2; exit 3"] } } };
    await create("post-fails", { ...sh("trap 'exit 0' TERM; while true; do sleep 1; done"), lifecycle });
    await cluster.clock.advance("5s");
    expect(await waiting("post-fails")).toMatchObject({ reason: "CrashLoopBackOff" });
    const all = await said("post-fails");
    expect(all).toContain("FailedPostStartHook: PostStartHook failed");
    expect(all).toContain("Killing: FailedPostStartHook");
  });

  test("a hook of a container whose image has no known program cannot fail", async () => {
    const lifecycle = { postStart: { exec: { command: ["its-own-program"] } } };
    await create("post-unknown", { image: "unknown", lifecycle });
    expect(await container("post-unknown")).toMatchObject({ ready: true });
  });

  test.each([
    ["sleep", { sleep: { seconds: 5 } }, 5],
    ["exec", { exec: { command: ["sleep", "5"] } }, 5],
    ["one that fails", { exec: { command: ["false"] } }, 0],
    ["one that is longer than the grace", { sleep: { seconds: 20 } }, 10],
  ])("preStop delays the stop: %s", async (title, preStop, seconds) => {
    const name = `pre-${title.replaceAll(" ", "-")}`;
    await create(name, { ...idle, lifecycle: { preStop } });
    await remove(name, 10);
    await cluster.clock.atRest();
    if (seconds > 0) {
      await cluster.clock.advance(`${seconds - 1}s`);
      expect(await exists(name)).toBe(true);
    }
    await cluster.clock.advance("1500ms");
    expect(await exists(name)).toBe(false);
    if (title === "one that fails") expect(await said(name)).toContain("FailedPreStopHook: PreStopHook failed");
  });

  test("an HTTP hook sends the pod's headers, and any answer counts as success", async () => {
    const httpGet = { port: 80, path: "/bad", httpHeaders: [{ name: "X-From", value: "hook" }] };
    await create("pre-http", { image: "web", lifecycle: { preStop: { httpGet } } });
    await remove("pre-http", 10);
    await cluster.clock.advance("1s");
    expect(asked).toContain("/bad hook");
    expect(await said("pre-http")).not.toContain("FailedPreStopHook: PreStopHook failed");
  });

  test("a hook that uses up the grace period leaves the container two seconds", async () => {
    await create("no-grace", {
      ...sh("trap '' TERM; while true; do sleep 1; done"),
      lifecycle: { preStop: { sleep: { seconds: 20 } } },
    });
    await remove("no-grace", 5);
    await cluster.clock.advance("6500ms");
    expect(await exists("no-grace")).toBe(true);
    await cluster.clock.advance("1s");
    expect(await exists("no-grace")).toBe(false);
  });

  test("a shorter grace period shortens a stop that is under way", async () => {
    await create("shortened", sh("trap '' TERM; while true; do sleep 1; done"));
    await remove("shortened", 60);
    await cluster.clock.advance("5s");
    await remove("shortened", 3);
    await cluster.clock.advance("4s");
    expect(await exists("shortened")).toBe(false);
  });
});

test("sidecars stop after the pod's other containers, the last one first", async () => {
  const sidecar = (name: string) => ({ name, image: "i", restartPolicy: "Always" });
  await create(
    "ordered",
    {},
    {
      spec: { initContainers: [sidecar("one"), sidecar("two")] },
      stages: { "*": { stopDelay: "3s" } },
    },
  );
  await remove("ordered", 30);
  const order: string[] = [];
  for (let second = 0; second < 12 && (await exists("ordered")); second += 1) {
    await cluster.clock.advance("1s");
    order.push((await exists("ordered")) ? "stopping" : "gone");
  }
  expect(order.indexOf("gone")).toBe(8);
});

describe("a container does not start, with a reason in its status, because of", () => {
  test("an image that cannot be pulled", async () => {
    await create("pull", { image: "missing" });
    const problem = 'failed to resolve reference "missing": missing: not found';
    expect(await waiting("pull")).toEqual({
      reason: "ImagePullBackOff",
      message: `Back-off pulling image "missing": ErrImagePull: ${problem}`,
    });
    expect(await said("pull")).toEqual(
      expect.arrayContaining([
        'Pulling: Pulling image "missing"',
        `Failed: Failed to pull image "missing": ${problem}`,
        "Failed: Error: ErrImagePull",
        'BackOff: Back-off pulling image "missing"',
        "Failed: Error: ImagePullBackOff",
      ]),
    );
  });

  test("an image that may not be pulled", async () => {
    await create("never-pull", { image: "missing", imagePullPolicy: "Never" });
    const message = 'Container image "missing" is not present with pull policy of Never';
    expect(await waiting("never-pull")).toEqual({ reason: "ErrImageNeverPull", message });
    expect(await said("never-pull")).toEqual(
      expect.arrayContaining([`ErrImageNeverPull: ${message}`, "Failed: Error: ErrImageNeverPull"]),
    );
  });

  test("an invalid image name", async () => {
    await create("bad-name", { image: "Nginx" });
    const message =
      'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": ' +
      "invalid reference format: repository name (library/Nginx) must be lowercase";
    expect(await waiting("bad-name")).toEqual({ reason: "InvalidImageName", message });
    expect(await said("bad-name")).toEqual(
      expect.arrayContaining([`InspectFailed: ${message}`, "Failed: Error: InvalidImageName"]),
    );
  });

  test("an image that cannot be pulled, until another image replaces it", async () => {
    await create("repaired", { image: "Wrong" });
    await patch(`${PODS}/repaired`, { spec: { containers: [{ name: "app", image: "right" }] } });
    await cluster.clock.advance("11s");
    expect(await container("repaired")).toMatchObject({ ready: true, image: "right" });
  });

  test.each([
    ["a ConfigMap", { configMapKeyRef: { name: "none", key: "k" } }, 'configmap "none" not found'],
    ["a Secret", { secretKeyRef: { name: "none", key: "k" } }, 'secret "none" not found'],
    ["a key", { configMapKeyRef: { name: "some", key: "k" } }, "couldn't find key k in ConfigMap default/some"],
  ])("a variable from %s that does not exist", async (title, valueFrom, message) => {
    await call(api, "POST", `${NAMESPACE}/configmaps`, { metadata: { name: "some" }, data: { other: "1" } });
    const name = `variable-${title.toLowerCase().replaceAll(" ", "-")}`;
    await create(name, { env: [{ name: "V", valueFrom }] });
    expect(await waiting(name)).toEqual({ reason: "CreateContainerConfigError", message });
    expect(await said(name)).toContain(`Failed: Error: ${message}`);
  });

  test("required sources, but not because of optional variables and volumes", async () => {
    const valueFrom = { configMapKeyRef: { name: "none", key: "k", optional: true } };
    const from = [{ secretRef: { name: "none", optional: true } }];
    await create(
      "optional",
      { env: [{ name: "V", valueFrom }], envFrom: from, volumeMounts: [{ name: "v", mountPath: "/v" }] },
      { spec: { volumes: [{ name: "v", configMap: { name: "none", optional: true } }] } },
    );
    expect(await container("optional")).toMatchObject({ ready: true });
  });

  test.each([
    ["a ConfigMap", { configMap: { name: "none" } }, 'configmap "none" not found'],
    [
      "a key",
      { configMap: { name: "keys", items: [{ key: "k", path: "p" }] } },
      "configmap references non-existent config key: k",
    ],
    ["a Secret", { secret: { secretName: "none" } }, 'secret "none" not found'],
  ])("a volume from %s that does not exist", async (title, volume, problem) => {
    await call(api, "POST", `${NAMESPACE}/configmaps`, { metadata: { name: "keys" }, data: { other: "1" } });
    const name = `volume-${title.toLowerCase().replaceAll(" ", "-")}`;
    const mount = { volumeMounts: [{ name: "v", mountPath: "/v" }] };
    await create(name, mount, { spec: { volumes: [{ name: "v", ...volume }] } });
    expect(await waiting(name)).toEqual({ reason: "ContainerCreating" });
    expect(await said(name)).toContain(`FailedMount: MountVolume.SetUp failed for volume "v" : ${problem}`);
  });

  test("a program that does not exist, at each restart", async () => {
    await create("no-program", { command: ["nope"] });
    expect(await waiting("no-program")).toMatchObject({ reason: "CrashLoopBackOff" });
    expect(await container("no-program")).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 128, reason: "StartError" } },
    });
  });
});

test("resource variables of a container are in units of their divisor", async () => {
  const field = (resource: string, divisor?: string) => ({
    valueFrom: { resourceFieldRef: { resource, ...(divisor && { divisor }) } },
  });
  const env = [
    { name: "A", ...field("requests.cpu") },
    { name: "B", ...field("requests.cpu", "1m") },
    { name: "C", ...field("limits.memory", "1Mi") },
    { name: "D", ...field("limits.cpu") },
  ];
  const resources = { requests: { cpu: "250m" }, limits: { memory: "64Mi" } };
  const report = sh('echo "$A $B $C $D" > /dev/termination-log');
  await create("resources", { ...report, env, resources }, { spec: { restartPolicy: "Never" } });
  await cluster.clock.advance("1s");
  expect((await terminated("resources"))["message"]).toBe("1 250 64 8\n");
});

describe("probes of a container", () => {
  test("count it as started when the startup probe succeeds, for which a sidecar's pod waits", async () => {
    const startupProbe = { exec: { command: ["test", "-f", "/tmp/up"] }, periodSeconds: 1, failureThreshold: 30 };
    const side = { name: "side", image: "i", restartPolicy: "Always", startupProbe };
    await create(
      "starts",
      {},
      {
        spec: { initContainers: [{ ...side, ...sh("sleep 5; touch /tmp/up; sleep infinity") }] },
      },
    );
    expect(await container("starts", "side")).toMatchObject({ state: { running: {} }, started: false });
    expect(await status("starts")).toMatchObject({ phase: "Pending" });
    expect(await condition("starts", "Initialized")).toMatchObject({
      status: "False",
      message: "containers with incomplete status: [side]",
    });
    await cluster.clock.advance("7s");
    expect(await container("starts", "side")).toMatchObject({ started: true });
    expect(await status("starts")).toMatchObject({ phase: "Running" });
  });

  test.each([
    ["a status", "web", { httpGet: { port: 80, path: "/bad" } }, /^HTTP probe failed with statuscode: 500$/],
    [
      "a closed port",
      "other",
      { httpGet: { port: 81 } },
      /^Get "http:\/\/10[.\d]+:81\/": dial tcp 10[.\d]+:81: connect: connection refused$/,
    ],
    ["a closed TCP port", "other", { tcpSocket: { port: 81 } }, /^dial tcp 10[.\d]+:81: connect: connection refused$/],
  ])("give the reason when readiness fails: %s", async (title, image, probe, message) => {
    const name = `unready-${title.toLowerCase().replaceAll(" ", "-")}`;
    await create(name, { image, ...(image !== "web" && idle), readinessProbe: { ...probe, periodSeconds: 1 } });
    const unhealthy = (await events(name)).find(({ reason }) => reason === "Unhealthy");
    expect(text(unhealthy?.message).replace("Readiness probe failed: ", "")).toMatch(message);
    expect(object(unhealthy?.involvedObject).fieldPath).toBe("spec.containers{app}");
  });

  test("restart it when liveness fails, with the probe's own grace period and its preStop hook", async () => {
    const livenessProbe = {
      exec: { command: ["sh", "-c", "echo sick; exit 1"] },
      periodSeconds: 1,
      failureThreshold: 1,
      initialDelaySeconds: 5,
      terminationGracePeriodSeconds: 3,
    };
    const lifecycle = { preStop: { sleep: { seconds: 1 } } };
    await create("sick", { ...sh("trap '' TERM; while true; do sleep 1; done"), livenessProbe, lifecycle });
    await cluster.clock.advance("6s");
    expect(await container("sick")).toMatchObject({ restartCount: 0 });
    await cluster.clock.advance("3s");
    expect(await container("sick")).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 137 } } });
    expect(await said("sick")).toEqual(
      expect.arrayContaining([
        "Unhealthy: Liveness probe failed: sick\n",
        "Killing: Container app failed liveness probe, will be restarted",
      ]),
    );
  });
});

describe("resource limits", () => {
  test("kill a container that uses more memory with OOMKilled", async () => {
    await create(
      "hungry",
      { resources: { limits: { memory: "64Mi" } } },
      {
        stages: { app: { usage: { memory: "65Mi" } } },
        spec: { restartPolicy: "Never" },
      },
    );
    await cluster.clock.advance("1s");
    expect(await terminated("hungry")).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
  });

  test("evict a pod that uses more disk space", async () => {
    await create(
      "full",
      { resources: { limits: { "ephemeral-storage": "1Mi" } } },
      {
        stages: { app: { usage: { "ephemeral-storage": "2Mi" } } },
      },
    );
    await cluster.clock.advance("15s");
    const message = 'Container app exceeded its local ephemeral storage limit "1Mi". ';
    expect(await status("full")).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(await condition("full", "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message,
    });
    expect(await said("full")).toContain(`Evicted: ${message}`);
  });

  test("evict a pod whose containers and emptyDirs together use more disk space", async () => {
    const resources = { limits: { "ephemeral-storage": "512Ki" } };
    const volumeMounts = [{ name: "cache", mountPath: "/cache" }];
    const script = "head -c 1M /dev/zero > /cache/a; sleep infinity";
    const containers = [
      { name: "one", image: "busybox", ...sh(script), resources, volumeMounts },
      { name: "two", image: "busybox", ...idle, resources },
    ];
    const cache = (emptyDir: object) => ({ volumes: [{ name: "cache", emptyDir }] });
    await create("in-memory", {}, { containers, spec: cache({ medium: "Memory" }) });
    await create("on-disk", {}, { containers, spec: cache({}) });
    await cluster.clock.advance("15s");
    const message = "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ";
    expect(await status("on-disk")).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(await status("in-memory")).toMatchObject({ phase: "Running" });
    await remove("in-memory", 0);
    await cluster.clock.atRest();
  });

  test("evict a pod whose emptyDir exceeds its sizeLimit, and free its bytes", async () => {
    const before = processLimits.files.used;
    const container = {
      ...sh("head -c 1023k /dev/zero > /cache/a; sleep infinity"),
      volumeMounts: [{ name: "cache", mountPath: "/cache" }],
    };
    const emptyDir = { sizeLimit: "1023Ki" };
    await create("cached", container, { spec: { volumes: [{ name: "cache", emptyDir: { sizeLimit: "1Mi" } }] } });
    await create("overfull", container, { spec: { volumes: [{ name: "cache", emptyDir }] } });
    await cluster.clock.advance("15s");
    const message = 'Usage of EmptyDir volume "cache" exceeds the limit "1023Ki". ';
    expect(await status("overfull")).toMatchObject({ phase: "Failed", reason: "Evicted", message });
    expect(await said("overfull")).toContain(`Evicted: ${message}`);
    expect(await status("cached")).toMatchObject({ phase: "Running" });
    await remove("cached", 0);
    await cluster.clock.atRest();
    // The files of other pods, which come and go, are small.
    expect(processLimits.files.used - before).toBeLessThan(512 * 1024);
  });
});

describe("changing a running pod", () => {
  const resize = (name: string, cpu: string) =>
    patch(`${PODS}/${name}/resize`, {
      spec: { containers: [{ name: "app", resources: { requests: { cpu } } }] },
    });

  test("to another image restarts the container", async () => {
    await create("image", { ...idle, image: "one" });
    await patch(`${PODS}/image`, { spec: { containers: [{ name: "app", image: "two" }] } });
    await cluster.clock.advance("1s");
    expect(await container("image")).toMatchObject({ restartCount: 1, image: "two", state: { running: {} } });
    expect(await said("image")).toContain("Killing: Container app definition changed, will be restarted");
  });

  test("to other resources applies them while it runs", async () => {
    await create("resized", { ...idle, resources: { requests: { cpu: "1" } } });
    expect((await resize("resized", "2")).status).toBe(200);
    await cluster.clock.advance("1s");
    expect(await container("resized")).toMatchObject({
      restartCount: 0,
      allocatedResources: { cpu: "2" },
      resources: { requests: { cpu: "2" } },
    });
    const { metadata, status: now } = await pod("resized");
    expect(object(now).observedGeneration).toBe(object(metadata).generation);
  });

  test("to other resources restarts the container when its resize policy says so", async () => {
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    await create("resize-restarts", { ...idle, resources: { requests: { cpu: "1" } }, resizePolicy });
    await resize("resize-restarts", "2");
    await cluster.clock.advance("1s");
    expect(await container("resize-restarts")).toMatchObject({ restartCount: 1, allocatedResources: { cpu: "2" } });
    expect(await said("resize-restarts")).toContain("Killing: Container app resize requires restart");
  });

  test("to resources that the node lacks does not apply them", async () => {
    await create("too-large", { ...idle, resources: { requests: { cpu: "1" } } });
    await resize("too-large", "100");
    await cluster.clock.advance("1s");
    expect(await container("too-large")).toMatchObject({ allocatedResources: { cpu: "1" } });
    expect(await condition("too-large", "PodResizePending")).toMatchObject({
      status: "True",
      reason: "Infeasible",
      message: "Node didn't have enough capacity: cpu, requested: 100000, capacity: 8000",
    });
    await resize("too-large", "2");
    await cluster.clock.advance("1s");
    expect(await condition("too-large", "PodResizePending")).toBeUndefined();
  });
});

test("a pod whose readiness gate nobody has set has the reason in its condition", async () => {
  await create("gated", idle, { spec: { readinessGates: [{ conditionType: "example.com/gate" }] } });
  expect(await condition("gated", "Ready")).toMatchObject({
    status: "False",
    reason: "ReadinessGatesNotReady",
    message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
  });
});

test("a pod's status has its QoS class and its start time", async () => {
  await create("qos", { ...idle, resources: { requests: { cpu: "1" } } });
  expect(await status("qos")).toMatchObject({ qosClass: "Burstable", startTime: expect.any(String) });
});

test("a running init container is not ready, and its pod is not initialized before it ends", async () => {
  const initContainers = ["first", "second"].map((name) => ({ name, image: "busybox" }));
  const stages = { first: { exit: {} }, second: { exit: { after: "30s" } } };
  await create("prepared", idle, { spec: { initContainers }, stages });
  await cluster.clock.advance("10s");
  expect(await container("prepared", "second")).toMatchObject({ ready: false, started: true, state: { running: {} } });
  const message = "containers with incomplete status: [second]";
  const incomplete = { status: "False", reason: "ContainersNotInitialized", message };
  expect(await condition("prepared", "Initialized")).toMatchObject(incomplete);
  await cluster.clock.advance("30s");
  expect(await container("prepared", "second")).toMatchObject({ ready: true, state: { terminated: { exitCode: 0 } } });
  const { status: initialized, reason, message: said } = object(await condition("prepared", "Initialized"));
  expect([initialized, reason, said]).toEqual(["True", undefined, undefined]);
});

test("the tests of this file caused no error in the node's agent", () => {
  expect(errors).toEqual([]);
});
