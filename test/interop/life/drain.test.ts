import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterUnderTest, type ServedCluster } from "../../helpers/cluster-under-test.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { workload } from "./workload.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`drains by kubectl are skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("kubectl 1.37.1 drains a node", () => {
  let cluster: ServedCluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await clusterUnderTest({ nodes: 2 });
    kubectl = await realKubectl(cluster);
    await kubectl.ok("apply -f -", JSON.stringify(workload("web", 2)));
    await kubectl.ok("create poddisruptionbudget web --selector=app=web --min-available=2");
    await kubectl.ok("rollout status deployment/web --timeout=50s");
    await kubectl.ok("wait pdb/web --for=jsonpath={.status.currentHealthy}=2 --timeout=50s");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  const nodesOfPods = async () =>
    (await kubectl.ok(["get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}"])).split(" ");

  test("while the scheduler spreads the pods and avoids a cordoned node", async () => {
    expect((await nodesOfPods()).toSorted()).toEqual(["node-1", "node-2"]);
    expect(await kubectl.ok("cordon node-2")).toBe("node/node-2 cordoned\n");
    expect(await kubectl.ok("get node node-2 --no-headers")).toMatch(/^node-2 +Ready,SchedulingDisabled /);
    await kubectl.ok("scale deployment/web --replicas=4");
    await kubectl.ok("rollout status deployment/web --timeout=50s");
    expect((await nodesOfPods()).toSorted()).toEqual(["node-1", "node-1", "node-1", "node-2"]);
    expect(await kubectl.ok("uncordon node-2")).toBe("node/node-2 uncordoned\n");
    await kubectl.ok("scale deployment/web --replicas=2");
    await kubectl.ok("wait deployment/web --for=jsonpath={.status.replicas}=2 --timeout=50s");
    expect((await nodesOfPods()).toSorted(), "the fuller node loses its pods first").toEqual(["node-1", "node-2"]);
  });

  test("and waits while a disruption budget allows no eviction", async () => {
    await kubectl.ok("wait pdb/web --for=jsonpath={.status.currentHealthy}=2 --timeout=50s");
    const held = await kubectl.run("drain node-1 --timeout=1s");
    expect([held.code, held.stdout]).toEqual([
      1,
      expect.stringMatching(/^node\/node-1 cordoned\nevicting pod default\/web-/),
    ]);
    expect(held.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await nodesOfPods()).toContain("node-1");

    await kubectl.ok(["patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":1}}']);
    await kubectl.ok("wait pdb/web --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=50s");
    expect(await kubectl.ok("drain node-1 --timeout=50s")).toMatch(
      /^node\/node-1 already cordoned\nevicting pod default\/(web-\S+)\npod\/\1 evicted\nnode\/node-1 drained\n$/,
    );
    await kubectl.ok("rollout status deployment/web --timeout=50s");
    expect(await nodesOfPods()).toEqual(["node-2", "node-2"]);
  });

  test("and removes pods without a controller only with --force", async () => {
    await kubectl.ok("uncordon node-1");
    await kubectl.ok("cordon node-2");
    await kubectl.ok("run bare --image=example.org/web:1");
    await kubectl.ok("wait pod/bare --for=condition=Ready --timeout=50s");
    const { code, stderr } = await kubectl.run("drain node-1");
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot delete Pods that declare no controller")]);
    expect(await kubectl.ok("drain node-1 --force --grace-period=0 --timeout=50s")).toMatch(/pod\/bare evicted\n/);
    const gone = await kubectl.run("get pod bare");
    expect(gone.stderr).toBe('Error from server (NotFound): pods "bare" not found\n');
  });

  test("and a pod that no node takes has an event with the reason, until a node takes it", async () => {
    await kubectl.ok("cordon node-1");
    await kubectl.ok("run waiting --image=example.org/web:1");
    await kubectl.ok("wait pod/waiting --for=condition=PodScheduled=False --timeout=50s");
    const path = '{.status.conditions[?(@.type=="PodScheduled")].message}';
    expect(await kubectl.ok(["get", "pod", "waiting", "-o", `jsonpath=${path}`])).toMatch(
      /^0\/2 nodes are available: 2 node\(s\) were unschedulable\./,
    );
    await kubectl.ok("uncordon node-1");
    await kubectl.ok("wait pod/waiting --for=condition=Ready --timeout=50s");
    await kubectl.ok("delete pod waiting --now");
  });
});
