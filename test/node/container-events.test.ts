import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type DrivenCluster, manualClock, startCluster } from "../../src/cluster/index.js";
import { object, objects, text } from "../../src/machinery/meta/access.js";
import { call } from "../helpers/api-caller.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const PODS = "/api/v1/namespaces/default/pods";
const EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D";

let cluster: DrivenCluster;
let api: Transport;

beforeAll(async () => {
  const hasImage = (image: string) => !image.endsWith(":missing");
  const nodes = [{ name: "node-1", hasImage }];
  cluster = await startCluster({ ...quietCluster, port: false, standIn: false, nodes, clock: manualClock() });
  api = cluster.transport();
});
afterAll(() => cluster.close());

const PRESENT = 'Normal Pulled: Container image "web:1" already present on machine and can be accessed by the pod';
const CREATED = "Normal Created: Container created";
const STARTED = "Normal Started: Container started";

test.each<[string, object, readonly string[]]>([
  ["runs", {}, [PRESENT, CREATED, STARTED]],
  [
    "waits for its image",
    { image: "web:missing" },
    [
      'Normal Pulling: Pulling image "web:missing"',
      'Warning Failed: Failed to pull image "web:missing": failed to resolve reference "web:missing": web:missing: not found',
      "Warning Failed: Error: ErrImagePull",
      'Normal BackOff: Back-off pulling image "web:missing"',
      "Warning Failed: Error: ImagePullBackOff",
    ],
  ],
  [
    "waits for its configuration",
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "none", key: "a" } } }] },
    [PRESENT, 'Warning Failed: Error: configmap "none" not found'],
  ],
  [
    "cannot start",
    { command: ["not-a-program"] },
    [
      PRESENT,
      CREATED,
      expect.stringMatching(/^Warning Failed: Error: .*exec: "not-a-program": executable file not found in \$PATH/),
      expect.stringMatching(/^Warning BackOff: Back-off restarting failed container main in pod /),
    ],
  ],
  [
    "refuses its readiness probe",
    { command: ["sleep", "1h"], readinessProbe: { tcpSocket: { port: 80 } } },
    [
      PRESENT,
      CREATED,
      STARTED,
      expect.stringMatching(
        /^Warning Unhealthy: Readiness probe failed: dial tcp [\d.]+:80: connect: connection refused$/,
      ),
    ],
  ],
  [
    "answers no HTTP probe",
    { command: ["sleep", "1h"], startupProbe: { httpGet: { port: 80, path: "/up" } } },
    [
      PRESENT,
      CREATED,
      STARTED,
      expect.stringMatching(
        /^Warning Unhealthy: Startup probe failed: Get "http:\/\/[\d.]+:80\/up": dial tcp [\d.]+:80: connect: connection refused$/,
      ),
    ],
  ],
  [
    "fails its liveness probe again and again",
    {
      command: ["sleep", "1h"],
      livenessProbe: { exec: { command: ["sh", "-c", "echo ill; exit 1"] }, failureThreshold: 1 },
    },
    [
      PRESENT,
      CREATED,
      STARTED,
      "Warning Unhealthy: Liveness probe failed: ill\n",
      "Normal Killing: Container main failed liveness probe, will be restarted",
      expect.stringMatching(/^Warning BackOff: Back-off restarting failed container main in pod /),
    ],
  ],
])(
  "the events of a container that %s are the kubelet's, and name the container's field",
  async (title, container, expected) => {
    const name = title.replaceAll(" ", "-").toLowerCase();
    const containers = [{ name: "main", image: "web:1", ...container }];
    const created = await call(api, "POST", PODS, {
      metadata: { name },
      spec: { nodeName: "node-1", terminationGracePeriodSeconds: 5, containers },
    });
    expect(created.status, created.text).toBe(201);
    await cluster.clock.advance("1s");
    const events = objects((await call(api, "GET", `${EVENTS}${name}`)).at("items"));
    expect(events.map(({ type, reason, message }) => `${text(type)} ${text(reason)}: ${text(message)}`)).toEqual(
      expected,
    );
    for (const { involvedObject } of events) expect(object(involvedObject).fieldPath).toBe("spec.containers{main}");
    await call(api, "DELETE", `${PODS}/${name}?gracePeriodSeconds=0`);
  },
);
