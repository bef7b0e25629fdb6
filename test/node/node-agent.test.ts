import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { systemTimers } from "../../src/base/time/timers.js";
import { kubernetesClient, type KubernetesClient } from "../../src/client/dynamic/kubernetes-client.js";
import { configFromText } from "../../src/client/config/load-config.js";
import { runRemoteCommand } from "../../src/client/streaming/remote-command.js";
import { type Cluster, startCluster } from "../../src/cluster/start-cluster.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { type NodeAgent, startNodeAgent } from "../../src/node/node-agent.js";
import { httpPort } from "../../src/node/scripted/ports.js";
import { ScriptedRuntime } from "../../src/node/scripted/scripted-runtime.js";
import { eventually } from "../helpers/eventually.js";

const errors: unknown[] = [];
let cluster: Cluster;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({
    standIn: false,
    nodes: [
      { name: "node-1", labels: { disk: "ssd" }, hasImage: (image) => image !== "missing" },
      { name: "node-2", capacity: { cpu: "2", memory: "1Gi", pods: "10" } },
    ],
    onError: (error) => void errors.push(error),
  });
  client = kubernetesClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.close();
});

type Fields = Record<string, unknown>;

const pods = () => client.of("v1", "Pod").namespace("default");
const get = async (name: string): Promise<KubeObject> => (await pods().get(name)) as KubeObject;

/** Creates a pod on node-1 with one container "c", unless `spec` has others. */
async function create(name: string, container: Fields, spec: Fields = {}): Promise<void> {
  await pods().create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { nodeSelector: { disk: "ssd" }, containers: [{ name: "c", image: "busybox", ...container }], ...spec },
  } as never);
}

const script = (text: string): Fields => ({ command: ["sh", "-c", text] });
const phaseOf = (pod: KubeObject): string => text(object(pod.status).phase);
const condition = (pod: KubeObject, type: string): Fields =>
  objects(object(pod.status).conditions).find((one) => one.type === type) as Fields;
const containers = (pod: KubeObject, list = "containerStatuses"): Fields[] =>
  objects(object(pod.status)[list]) as Fields[];

/** The pod once `check` finds nothing wrong with it. */
const until = (name: string, check: (pod: KubeObject) => void): Promise<KubeObject> =>
  eventually(async () => {
    const pod = await get(name);
    check(pod);
    return pod;
  });

describe("a simulated node", () => {
  test("K36-E: declares the features that 1.36 has on by default", async () => {
    const node = await client.of("v1", "Node").get("node-2");
    expect(node.status?.declaredFeatures).toEqual([
      "ExtendWebSocketsToKubelet",
      "InPlacePodLevelResourcesVerticalScaling",
      "InPlacePodVerticalScalingInitContainers",
      "RestartAllContainersOnContainerExits",
    ]);
  });

  test("is ready, has an address and a port, and renews a Lease", async () => {
    const node = (await client.of("v1", "Node").get("node-2")) as KubeObject;
    expect(node.metadata?.labels).toMatchObject({ "kubernetes.io/hostname": "node-2", "kubernetes.io/os": "linux" });
    expect(node.status).toMatchObject({
      capacity: { cpu: "2", memory: "1Gi", pods: "10" },
      addresses: [
        { type: "InternalIP", address: "10.244.1.1" },
        { type: "Hostname", address: "node-2" },
      ],
      nodeInfo: { kubeletVersion: "v1.37.1", containerRuntimeVersion: "scripted://1.0.0" },
    });
    expect(condition(node, "Ready")).toMatchObject({ status: "True", reason: "KubeletReady" });
    expect(object(object(object(node.status).daemonEndpoints).kubeletEndpoint).Port).toBe(10_250);
    const lease = await client.of("coordination.k8s.io/v1", "Lease").namespace("kube-node-lease").get("node-2");
    expect(lease.spec).toMatchObject({ holderIdentity: "node-2", leaseDurationSeconds: 40 });
  });

  test.each([
    [[{ name: "A" }], 'invalid node name "A": use lower-case letters, digits, "-" and "."'],
    [[{ name: "a" }, { name: "a" }], 'two nodes are named "a"; give each node a name of its own'],
  ])("with an invalid setting is refused before anything is opened: %j", async (nodes, message) => {
    await expect(startCluster({ nodes })).rejects.toThrow(message);
  });
});

describe("a pod on a simulated node", () => {
  test("is bound, runs and becomes ready", async () => {
    await create("web", {});
    const pod = await until("web", (one) => expect(condition(one, "Ready").status).toBe("True"));
    expect(object(pod.spec).nodeName).toBe("node-1");
    expect(phaseOf(pod)).toBe("Running");
    expect(objects(object(pod.status).conditions).map(({ type, status }) => `${text(type)}=${text(status)}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
    expect(object(pod.status).podIP).toMatch(/^10\.244\.0\.\d+$/);
    expect(containers(pod)[0]).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: {} },
      volumeMounts: [
        { mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true, recursiveReadOnly: "Disabled" },
      ],
    });
    expect(text(containers(pod)[0]?.["containerID"])).toMatch(/^scripted:\/\/[0-9a-f]{64}$/);
  });

  test.each([
    ["done", "exit 0", "Succeeded", "Completed", "PodCompleted"],
    ["failed", "echo reason > /dev/termination-log; exit 3", "Failed", "Error", "PodFailed"],
  ])("that ends and never restarts has the phase of its exit: %s", async (name, command, phase, reason, ready) => {
    await create(name, script(command), { restartPolicy: "Never" });
    const pod = await until(name, (one) => expect(phaseOf(one)).toBe(phase));
    const [status] = containers(pod);
    expect(object(status?.["state"]).terminated).toMatchObject({
      reason,
      exitCode: name === "failed" ? 3 : 0,
      ...(name === "failed" && { message: "reason\n" }),
    });
    expect(condition(pod, "Ready")).toMatchObject({ status: "False", reason: ready });
  });

  test("that fails is restarted at once, then after a pause", async () => {
    await create("crash", script("echo here; exit 1"));
    const pod = await until("crash", (one) => {
      expect(object(object(containers(one)[0]?.["state"]).waiting).reason).toBe("CrashLoopBackOff");
    });
    const [status] = containers(pod);
    expect(object(object(status?.["state"]).waiting).message).toBe(
      `back-off 10s restarting failed container=c pod=crash_default(${pod.metadata?.uid ?? ""})`,
    );
    expect(status).toMatchObject({ restartCount: 1, ready: false, lastState: { terminated: { exitCode: 1 } } });
    expect(phaseOf(pod)).toBe("Running");
  });

  test("runs its init containers one after the other first", async () => {
    const init = (name: string, text: string, more: Fields = {}): Fields => ({
      name,
      image: "busybox",
      ...script(text),
      ...more,
    });
    await create("inits", script("exit 0"), {
      restartPolicy: "Never",
      initContainers: [
        init("one", "exit 0"),
        init("side", "sleep infinity", { restartPolicy: "Always" }),
        init("two", "exit 0"),
      ],
    });
    const pod = await until("inits", (one) => expect(phaseOf(one)).toBe("Succeeded"));
    expect(
      containers(pod, "initContainerStatuses").map(({ name, state }) => [
        name,
        object(object(state).terminated).exitCode,
      ]),
    ).toEqual([
      ["one", 0],
      ["side", 143],
      ["two", 0],
    ]);
    await create("init-fails", {}, { restartPolicy: "Never", initContainers: [init("one", "exit 2")] });
    const failed = await until("init-fails", (one) => expect(phaseOf(one)).toBe("Failed"));
    expect(condition(failed, "Initialized")).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [one]",
    });
    expect(object(containers(failed)[0]?.["state"]).waiting).toMatchObject({ reason: "PodInitializing" });
  });

  test("starts an ephemeral container that is added later", async () => {
    await create("debugged", {});
    await until("debugged", (one) => expect(phaseOf(one)).toBe("Running"));
    const patch = {
      spec: { ephemeralContainers: [{ name: "debugger", image: "busybox", command: ["sleep", "infinity"] }] },
    };
    await pods().patch("debugged", patch, { type: "strategic", subresource: "ephemeralcontainers" });
    const pod = await until("debugged", (one) => {
      expect(object(object(containers(one, "ephemeralContainerStatuses")[0]).state).running).toBeDefined();
    });
    expect(condition(pod, "Ready").status).toBe("True");
  });

  test("with an image that cannot be pulled waits", async () => {
    await create("pull", { image: "missing" });
    const pod = await until("pull", (one) => {
      expect(object(object(containers(one)[0]?.["state"]).waiting).reason).toBe("ImagePullBackOff");
    });
    expect(phaseOf(pod)).toBe("Pending");
    expect(condition(pod, "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [c]",
    });
  });

  test("with a program that does not exist has the reason in its status", async () => {
    await create("no-program", { command: ["nope"] }, { restartPolicy: "Never" });
    const pod = await until("no-program", (one) => expect(phaseOf(one)).toBe("Failed"));
    const terminated = object(object(containers(pod)[0]?.["state"]).terminated);
    expect(terminated).toMatchObject({ exitCode: 128, reason: "StartError" });
    expect(text(terminated.message)).toContain('exec: "nope": executable file not found in $PATH');
  });

  test("with a ConfigMap that does not exist has the reason in its status", async () => {
    await create("config", { envFrom: [{ configMapRef: { name: "nope" } }] });
    await until("config", (one) => {
      expect(object(containers(one)[0]?.["state"]).waiting).toEqual({
        reason: "CreateContainerConfigError",
        message: 'configmap "nope" not found',
      });
    });
  });

  test("has the environment and the files of its spec", async () => {
    await client
      .of("v1", "ConfigMap")
      .namespace("default")
      .create({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "settings" },
        data: { COLOUR: "blue", "app.conf": "x=1" },
      } as never);
    await client
      .of("v1", "Secret")
      .namespace("default")
      .create({ apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, stringData: { key: "secret" } } as never);
    const report = [
      'echo "$COLOUR $KEY $ME $NAMED"',
      "cat /etc/app/app.conf /etc/keys/key",
      "cat /var/run/secrets/kubernetes.io/serviceaccount/namespace",
      "wc -l < /var/run/secrets/kubernetes.io/serviceaccount/token",
      "hostname",
    ].join("; ");
    await create(
      "environment",
      {
        ...script(`(${report}) > /dev/termination-log`),
        envFrom: [{ configMapRef: { name: "settings" } }],
        env: [
          { name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "key" } } },
          { name: "ME", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: "NAMED", value: "$(ME)-$(NOT)-$$(ME)" },
        ],
        volumeMounts: [
          { name: "settings", mountPath: "/etc/app" },
          { name: "keys", mountPath: "/etc/keys" },
        ],
      },
      {
        restartPolicy: "Never",
        volumes: [
          { name: "settings", configMap: { name: "settings" } },
          { name: "keys", secret: { secretName: "keys" } },
        ],
      },
    );
    const pod = await until("environment", (one) => expect(phaseOf(one)).toBe("Succeeded"));
    expect(text(object(object(containers(pod)[0]?.["state"]).terminated).message)).toBe(
      "blue secret environment environment-$(NOT)-$(ME)\nx=1secretdefault0\nenvironment\n",
    );
  });

  test("is ready when its probe succeeds", async () => {
    const probe = { exec: { command: ["test", "-f", "/tmp/ready"] }, periodSeconds: 1 };
    await create("probed", { ...script("sleep 0.3; touch /tmp/ready; sleep infinity"), readinessProbe: probe });
    await until("probed", (one) => expect(containers(one)[0]).toMatchObject({ ready: false, started: true }));
    await until("probed", (one) => expect(condition(one, "Ready").status).toBe("True"));
  });

  test("is ready by any probe when its image's program is unknown and a stand-in runs", async () => {
    const readinessProbe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 };
    const livenessProbe = { exec: { command: ["redis-cli", "ping"] }, periodSeconds: 1, failureThreshold: 1 };
    await create("unknown", { readinessProbe, livenessProbe });
    await until("unknown", (one) => expect(condition(one, "Ready").status).toBe("True"));
    await create("listens-not", { ...script("sleep infinity"), readinessProbe });
    await until("listens-not", (one) => expect(containers(one)[0]).toMatchObject({ ready: false, started: true }));
    expect(containers(await get("unknown"))[0]).toMatchObject({ ready: true, restartCount: 0 });
  });

  test("that is deleted may end within its grace period, and is then killed", async () => {
    await create("graceful", script("trap 'sleep 0.2; exit 0' TERM; while true; do sleep 0.05; done"));
    await create("stubborn", script("trap '' TERM; while true; do sleep 0.05; done"));
    for (const name of ["graceful", "stubborn"]) await until(name, (one) => expect(phaseOf(one)).toBe("Running"));
    await pods().delete("graceful", { gracePeriodSeconds: 30 });
    await pods().delete("stubborn", { gracePeriodSeconds: 1 });
    expect((await get("graceful")).metadata?.deletionTimestamp).toBeDefined();
    for (const name of ["graceful", "stubborn"])
      await eventually(async () => expect(get(name)).rejects.toThrow("not found"));
  });

  test("that is deleted without grace ends at once, and another of its name may follow", async () => {
    await create("again", script("trap '' TERM; while true; do sleep 0.05; done"));
    const { metadata } = await until("again", (one) => expect(phaseOf(one)).toBe("Running"));
    await pods().delete("again", { gracePeriodSeconds: 0 });
    await create("again", {});
    const next = await until("again", (one) => expect(phaseOf(one)).toBe("Running"));
    expect(next.metadata?.uid).not.toBe(metadata?.uid);
  });

  test("whose nodeSelector matches no node waits, with an event that gives the reason", async () => {
    await create("nowhere", {}, { nodeSelector: { disk: "tape" } });
    await eventually(async () => {
      const events = (await client.of("v1", "Event").namespace("default").listWhole()).items as unknown as KubeObject[];
      expect(events.map((one) => text(one["message"]))).toContain(
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, " +
          "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      );
    });
    expect(object((await get("nowhere")).spec).nodeName).toBeUndefined();
  });

  test("causes no error in the node's agent in these tests", () => {
    expect(errors).toEqual([]);
  });
});

describe("through the API server,", () => {
  const image = {
    ports: { 80: httpPort((incoming, answer) => void answer.end(`${incoming.method ?? ""} ${incoming.url ?? ""}`)) },
  };
  const web = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: {
      containers: [
        {
          name: "c",
          image: "web",
          command: ["sh", "-c", "echo started; sleep infinity"],
          ports: [{ containerPort: 80 }],
        },
      ],
    },
  };
  const read = async ({ rest }: KubernetesClient, path: string, query = {}): Promise<string> =>
    Buffer.from(
      (await rest.request({ method: "GET", path: `/api/v1/namespaces/default/pods/web/${path}`, query })).body,
    ).toString("utf8");

  test.each([
    ["over a socket", 0],
    ["inside the process", false],
  ] as const)("logs and ports of pods on simulated nodes are reached %s", async (_, port) => {
    await using served = await startCluster({ port, nodes: [{ name: "node-1", images: { web: image } }] });
    await using local = kubernetesClient(served);
    await local
      .of("v1", "Pod")
      .namespace("default")
      .create(web as never);
    await eventually(async () => expect(await read(local, "log")).toBe("started\n"));
    expect(await read(local, "log", { tailLines: "0" })).toBe("");
    expect(await read(local, "proxy/some/path")).toBe("GET /some/path");
  });

  test("programs in pods on simulated nodes are run by exec", async () => {
    await using served = await startCluster({ nodes: [{ name: "node-1", images: { web: image } }] });
    await using remote = kubernetesClient(await configFromText(served.kubeconfig()));
    await remote
      .of("v1", "Pod")
      .namespace("default")
      .create(web as never);
    await eventually(async () => expect(await read(remote, "log")).toBe("started\n"));
    for (const webSockets of [true, false]) {
      const out: Uint8Array[] = [];
      const command = runRemoteCommand(
        remote.rest,
        {
          path: "/api/v1/namespaces/default/pods/web/exec?command=sh&command=-c&command=cat%3B+exit+5&stdin=true&stdout=true",
          method: "POST",
        },
        {
          stdin: Readable.from([Buffer.from("hello")]),
          stdout: async (chunk) => void out.push(chunk),
          tty: false,
        },
        { webSockets },
      );
      await expect(command).rejects.toMatchObject({ code: 5 });
      expect(Buffer.concat(out).toString("utf8")).toBe("hello");
    }
  });
});

test("when a cluster starts again, its running pods run again, and ended ones stay ended", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kubets-nodes-"));
  const options = { storage: "disk", dataDir, port: false, nodes: [{ name: "node-1" }] } as const;
  const pod = (name: string, command: string): never =>
    ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        restartPolicy: name === "runs" ? "Always" : "Never",
        containers: [{ name: "c", image: "busybox", ...script(command) }],
      },
    }) as never;
  const read = async (of: KubernetesClient, name: string): Promise<KubeObject> =>
    (await of.of("v1", "Pod").namespace("default").get(name)) as KubeObject;
  try {
    const first = await startCluster(options);
    const before = kubernetesClient(first);
    await before.of("v1", "Pod").namespace("default").create(pod("runs", "sleep infinity"));
    await before.of("v1", "Pod").namespace("default").create(pod("done", "exit 0"));
    await eventually(async () => expect(condition(await read(before, "runs"), "Ready").status).toBe("True"));
    await eventually(async () => expect(phaseOf(await read(before, "done"))).toBe("Succeeded"));
    const { podIP } = object((await read(before, "runs")).status);
    await before.close();
    await first.close();

    await using second = await startCluster(options);
    await using after = kubernetesClient(second);
    const again = await eventually(async () => {
      const one = await read(after, "runs");
      expect(containers(one)[0]).toMatchObject({ restartCount: 1, ready: true });
      return one;
    });
    expect(object(again.status).podIP).toBe(podIP);
    expect(phaseOf(await read(after, "done"))).toBe("Succeeded");
    await after.of("v1", "Pod").namespace("default").delete("done");
    await eventually(() => expect(read(after, "done")).rejects.toThrow("not found"));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

describe("a node's agent in another process than the cluster", () => {
  /** Both ends of a connection in memory. */
  function duplexPair(): readonly [Duplex, Duplex] {
    const ends: Duplex[] = [];
    for (const index of [0, 1]) {
      ends.push(
        new Duplex({
          read() {},
          write(chunk, _encoding, done) {
            ends[1 - index]?.push(chunk);
            done();
          },
          final(done) {
            ends[1 - index]?.push(null);
            done();
          },
        }),
      );
    }
    return [ends[0] as Duplex, ends[1] as Duplex];
  }

  async function read(agent: NodeAgent, path: string): Promise<string> {
    const [near, far] = duplexPair();
    agent.connect(far);
    const outgoing = request({ path, createConnection: () => near as never });
    outgoing.end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return body;
  }

  test("serves logs and pods on in-process connections, and leaves the pods in the API when it stops", async () => {
    const [clock, timers] = [systemClock, systemTimers];
    const runtime = new ScriptedRuntime({ clock, timers, random: systemRandom });
    const agent = await startNodeAgent({
      name: "node-3",
      transport: cluster.transport(),
      runtime,
      podCidr: "10.244.9.0/24",
      tls: { certificate: "", key: "", clientCa: "" },
      clock,
      timers,
      reportError: (error) => void errors.push(error),
    });
    await create("logged", script("echo one; echo two; exit 1"), { nodeSelector: {}, nodeName: "node-3" });
    await until("logged", (one) =>
      expect(object(object(containers(one)[0]?.["state"]).waiting).reason).toBe("CrashLoopBackOff"),
    );
    expect(await read(agent, "/containerLogs/default/logged/c")).toBe("one\ntwo\n");
    expect(await read(agent, "/containerLogs/default/logged/c?previous=true&tailLines=1")).toBe("two\n");
    const list = JSON.parse(await read(agent, "/pods")) as { items: KubeObject[] };
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(["logged"]);
    expect(JSON.parse(await read(agent, "/stats/summary"))).toMatchObject({
      node: { nodeName: "node-3" },
      pods: [{ podRef: { name: "logged" } }],
    });
    expect(agent.port).toBeUndefined();
    await agent.stop();
    expect((await get("logged")).metadata?.deletionTimestamp).toBeUndefined();
    expect(errors).toEqual([]);
  });
});
