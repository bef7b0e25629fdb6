import { afterAll, beforeAll, expect, test } from "vitest";
import { controllerManager } from "../../../src/cluster/controller-manager/component.js";
import { simulatedNodes } from "../../../src/cluster/node/component.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { eventually } from "../../helpers/eventually.js";
import { type BareServer, beginComponent, type RunningComponent, startBareServer } from "./running-component.js";

const component = simulatedNodes("kubets node", "Kubernetes v1.36.3");

let server: BareServer;
let client: KubernetesClient;
let controllers: RunningComponent;
beforeAll(async () => {
  server = await startBareServer();
  client = kubernetesClient(server.cluster);
  controllers = beginComponent(controllerManager("kubets controller-manager", "Kubernetes v1.36.3"), [
    `--kubeconfig=${server.kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
    "--controllers=serviceaccount,root-ca-cert-publisher,nodelifecycle",
  ]);
  await eventually(() => client.of("v1", "ServiceAccount").namespace("default").get("default"));
});
afterAll(async () => {
  await controllers.stop();
  await client.close();
  await server[Symbol.asyncDispose]();
});

const begin = (...args: string[]): RunningComponent =>
  beginComponent(component, [`--kubeconfig=${server.kubeconfig}`, ...args]);
const registered = (program: RunningComponent): Promise<void> =>
  eventually(() => expect(program.log()).toContain("Successfully registered node"));

test.each([
  ["an unknown flag", ["--nope"], "Error: unknown flag: --nope"],
  ["a stray argument", ["x"], 'Error: "kubets node" does not take any arguments, got ["x"]'],
  ["no nodes", ["--nodes=0"], "must be from 1 to 1000"],
  ["a name that is none", ["--node-names=A_B"], 'invalid node name \\"A_B\\"'],
  ["a taint without an effect", ["--register-with-taints=gpu=true"], "invalid taint spec: gpu=true"],
  ["a certificate without a key", ["--tls-cert-file=x"], "--tls-cert-file and --tls-private-key-file need each other"],
])("kubets node ends with code 1 for %s", async (_what, args, message) => {
  const program = begin(...args);
  expect(await program.ended).toBe(1);
  expect(program.log()).toContain(message);
});

test("kubets node creates nodes with the names, labels, taints and capacity of its flags, and a block of addresses for each", async () => {
  const program = begin(
    "--node-names=gpu-1,gpu-2",
    "--node-labels=pool=gpu",
    "--register-with-taints=gpu=true:NoSchedule",
    "--capacity=cpu=2",
  );
  await registered(program);
  const nodes = await Promise.all(["gpu-1", "gpu-2"].map((name) => client.of("v1", "Node").get(name)));
  for (const { metadata, spec, status } of nodes) {
    expect(metadata.labels?.["pool"]).toBe("gpu");
    expect(spec?.taints).toContainEqual({ key: "gpu", value: "true", effect: "NoSchedule" });
    expect(status?.capacity).toMatchObject({ cpu: "2", memory: "16Gi", pods: "110" });
  }
  expect(new Set(nodes.map(({ spec }) => spec?.podCIDR)).size).toBe(2);
  await program.stop();
});

test("two processes of kubets node share no pod addresses, and a restarted node keeps its block", async () => {
  const first = begin("--node-names=one");
  await registered(first);
  const second = begin("--node-names=two");
  await registered(second);
  const blockOf = async (name: string) => (await client.of("v1", "Node").get(name)).spec?.podCIDR;
  const before = await blockOf("one");
  expect(await blockOf("two")).not.toBe(before);
  await first.stop();
  const again = begin("--node-names=one");
  await registered(again);
  expect(await blockOf("one")).toBe(before);
  await Promise.all([again.stop(), second.stop()]);
});

test("the API server reads logs from a node in another process, which verifies it by the published authority", async () => {
  const program = begin("--node-names=logged");
  await registered(program);
  const pods = client.of("v1", "Pod").namespace("default");
  await pods.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "talker" },
    spec: {
      nodeName: "logged",
      containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "echo hello; sleep 1000"] }],
    },
  });
  await eventually(async () => expect((await pods.get("talker")).status?.phase).toBe("Running"));
  const path = "/api/v1/namespaces/default/pods/talker/log";
  const { body } = await eventually(async () => {
    const answer = await client.rest.request({ method: "GET", path, accept: "*/*" });
    expect(answer.body.length).toBeGreaterThan(0);
    return answer;
  });
  expect(Buffer.from(body).toString()).toBe("hello\n");
  await program.stop();
});

test("the kubelet API of a node refuses callers without a certificate or a token", async () => {
  const program = begin("--node-names=guarded");
  await registered(program);
  const { status } = await client.of("v1", "Node").get("guarded");
  const { httpsText } = await import("../../helpers/https-text.js");
  const answer = await httpsText(`https://127.0.0.1:${status?.daemonEndpoints?.kubeletEndpoint?.Port}/pods`);
  expect(answer.status).toBe(401);
  await program.stop();
});
