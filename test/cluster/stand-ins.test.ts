import { afterAll, beforeAll, expect, test } from "vitest";
import { kubernetesClient } from "../../src/client/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { standInsOf } from "../../src/cluster/named/stand-ins.js";
import { asUser } from "../helpers/as-user.js";
import { call } from "../helpers/api-caller.js";
import { configure } from "../helpers/configured-webhooks.js";
import { eventually } from "../helpers/eventually.js";

const DEFAULT = "/api/v1/namespaces/default";
const sleeper = { image: "busybox", command: ["sleep", "1000"] };

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, nodes: 2 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${DEFAULT}/serviceaccounts/default`)).status).toBe(200));
});
afterAll(() => cluster.close());

async function create(path: string, body: object): Promise<void> {
  expect((await call(api, "POST", path, body)).status).toBe(201);
}

/** A pod that is ready, and a Service that leads to it. */
async function served(name: string, nodeName: string, containers: readonly object[], more: object = {}): Promise<void> {
  const labels = { app: name };
  await create(`${DEFAULT}/services`, { metadata: { name }, spec: { selector: labels, ports: [{ port: 443 }] } });
  await create(`${DEFAULT}/pods`, { metadata: { name, labels }, spec: { nodeName, containers, ...more } });
  await eventually(async () =>
    expect((await call(api, "GET", `${DEFAULT}/endpoints/${name}`)).at("subsets.0.addresses")).toHaveLength(1),
  );
}

const standIns = async () => {
  await using client = kubernetesClient(cluster);
  const [nodes, pods] = await Promise.all([client.of("v1", "Node").listWhole(), client.of("v1", "Pod").listWhole()]);
  return await standInsOf(client, { nodes: nodes.items, pods: pods.items });
};

test("a cluster counts, on all nodes, the running containers whose image's program it replaces by a stand-in", async () => {
  expect(await standIns()).toEqual({ containers: 0, pods: 0, silentNodes: 0, webhooks: [] });
  await served("shell", "node-1", [{ name: "c", ...sleeper }]);
  const server = { image: "example.com/server" };
  const initContainers = [{ name: "set-up", ...server }];
  await served(
    "app",
    "node-1",
    [
      { name: "a", ...server },
      { name: "b", ...server },
      { name: "c", ...sleeper },
    ],
    {
      initContainers,
    },
  );
  const script = ["sh", "-c", "echo starting\nstart-the-server\n"];
  await served("scripted", "node-2", [{ name: "c", image: "example.com/server", command: script }]);
  await eventually(async () =>
    expect(await standIns()).toEqual({ containers: 3, pods: 2, silentNodes: 0, webhooks: [] }),
  );
});

test("a server does not call a webhook whose Service leads to a stand-in, and calls others and those given by an address", async () => {
  const leadsTo = (name: string) => ({
    name: `${name}.webhook.test`,
    clientConfig: { service: { namespace: "default", name } },
  });
  const byUrl = { name: "url.webhook.test", clientConfig: { url: "https://127.0.0.1:1/" } };
  // Not of this request.
  const rules = [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["*"], resources: ["things"] }];
  const hooks = [leadsTo("app"), leadsTo("shell"), leadsTo("none"), byUrl].map((one) => ({ ...one, rules }));
  await using _ = await configure(api, "validating", hooks);
  const { webhooks } = await standIns();
  expect(webhooks).toEqual([
    {
      name: "app.webhook.test",
      configuration: expect.stringMatching(/^validatingwebhookconfiguration\//) as string,
      service: "default/app",
    },
  ]);
});

test("a user who may not use a node's API gets no message about stand-ins", async () => {
  const path = "/api/v1/nodes/node-1/proxy/standIns";
  expect((await call(api, "GET", path)).text).toContain("stands in for image");
  expect((await asUser(api, "jane")("GET", path)).status).toBe(403);
});
