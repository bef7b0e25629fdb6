import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { type FakeKubelet, startFakeKubelet } from "../../helpers/fake-kubelet.js";

// After kube-apiserver's pkg/registry/core/pod (LogREST, LogLocation) and pkg/kubelet/client.

let cluster: Cluster;
let api: Transport;
let kubelet: FakeKubelet;

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";

beforeAll(async () => {
  [cluster, kubelet] = await Promise.all([startCluster({ port: false }), startFakeKubelet()]);
  api = cluster.transport();
  const address = (type: string, text: string) => ({ type, address: text });
  const nodes = {
    reachable: {
      addresses: [address("ExternalIP", "192.0.2.1"), address("InternalIP", "127.0.0.1")],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    },
    bare: {},
    odd: { addresses: [address("Pigeon", "coop")] },
    closed: { addresses: [address("InternalIP", "127.0.0.1")], daemonEndpoints: { kubeletEndpoint: { Port: 1 } } },
  };
  for (const [name, status] of Object.entries(nodes)) await make(NODES, { metadata: { name }, status });
  const containers = (...names: readonly string[]) => names.map((name) => ({ name, image: "i" }));
  const pods = {
    web: { nodeName: "reachable", containers: containers("web") },
    several: {
      nodeName: "reachable",
      initContainers: containers("setup"),
      containers: containers("waiting", "gone", "broken"),
    },
    nowhere: { containers: containers("web") },
    lost: { nodeName: "none", containers: containers("web") },
    "on-bare": { nodeName: "bare", containers: containers("web") },
    "on-odd": { nodeName: "odd", containers: containers("web") },
    "on-closed": { nodeName: "closed", containers: containers("web") },
  };
  for (const [name, spec] of Object.entries(pods)) await make(PODS, { metadata: { name }, spec });
});

afterAll(async () => {
  await cluster.close();
  await kubelet.close();
});

async function make(path: string, body: object): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

const log = (rest: string) => call(api, "GET", `${PODS}/${rest}`);

test("a pod's log comes from its node's agent, at the node's preferred address", async () => {
  const answer = await log("web/log");
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("text/plain");
  expect(answer.text).toBe("web/web asked for <>\nsecond line\nthe last line");
});

test("a request for a pod's log passes on every option, and flags only when set", async () => {
  const query =
    "container=web&follow=true&previous=yes&timestamps=1&tailLines=3&limitBytes=100&sinceTime=2024-01-01T02:00:00%2B02:00";
  const passed =
    "follow=true&limitBytes=100&previous=true&sinceTime=2024-01-01T00%3A00%3A00Z&tailLines=3&timestamps=true";
  expect((await log(`web/log?${query}`)).text).toContain(`<${passed}>`);
  const unset = await log("web/log?follow=false&previous=0&sinceSeconds=7&insecureSkipTLSVerifyBackend=true");
  expect(unset.text).toContain("<sinceSeconds=7>");
});

test("a pod without a node has no log", async () => {
  const answer = await log("nowhere/log");
  expect([answer.status, answer.text]).toEqual([204, ""]);
});

test.each([
  ["none/log", 404, "NotFound", 'pods "none" not found'],
  ["lost/log", 404, "NotFound", 'nodes "none" not found'],
  ["web/log?container=x", 400, "BadRequest", "container x is not valid for pod web"],
  [
    "several/log",
    400,
    "BadRequest",
    "a container name must be specified for pod several, choose one of: [setup waiting gone broken]",
  ],
  ["several/log?container=waiting", 400, "BadRequest", "container waiting of pod several has no log"],
  [
    "several/log?container=gone",
    404,
    "NotFound",
    "the server could not find the requested resource ( pods/log several)",
  ],
  [
    "several/log?container=broken",
    500,
    "InternalError",
    "Internal error occurred: container broken of pod several has no log",
  ],
  ["on-bare/log", 500, undefined, "no preferred addresses found; known addresses: []"],
  ["on-odd/log", 500, undefined, "no preferred addresses found; known addresses: [{Pigeon coop}]"],
  [
    "on-closed/log",
    500,
    undefined,
    'Get "https://127.0.0.1:1/containerLogs/default/on-closed/web": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  ["web/log?tailLines=x", 400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "web/log?limitBytes=0",
    422,
    "Invalid",
    'PodLogOptions "web" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
  ],
  [
    "web/log?tailLines=-1&sinceSeconds=0",
    422,
    "Invalid",
    'PodLogOptions "web" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
  ],
  [
    "web/log?sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z",
    422,
    "Invalid",
    'PodLogOptions "web" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
])("a request for a pod's log is refused: %s", async (path, code, reason, message) => {
  const answer = await log(path);
  expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([code, reason, message]);
});
