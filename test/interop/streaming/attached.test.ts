import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl run and debug are skipped: ${missing}\n`);

const SCRIPT = "read line; echo got $line; echo err >&2; exit 4";

describe.skipIf(missing !== undefined)("kubectl without a terminal", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: [{ name: "node" }] });
    kubectl = await realKubectl(cluster);
    await kubectl.ok("run web --image=shell");
    await kubectl.ok("wait pod/web --for=condition=Ready");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  test("run -i --rm: the input reaches the pod, the exit code is the pod's, and the pod is deleted", async () => {
    const line = "run once --image=shell --restart=Never -i --rm -q -- sh -c";
    const outcome = await kubectl.run([...line.split(" "), SCRIPT], "hello\n");
    expect(outcome).toEqual({ code: 4, stdout: "got hello\n", stderr: "err\npod default/once terminated (Error)\n" });
    expect(await kubectl.ok("get pods -o name")).toBe("pod/web\n");
  });

  test("debug -i: adds an ephemeral container to the pod", async () => {
    const line = "debug web -i --image=shell -c dbg -q -- sh -c";
    expect(await kubectl.run([...line.split(" "), SCRIPT], "hello\n")).toMatchObject({
      code: 0,
      stdout: "got hello\n",
    });
    expect(await kubectl.ok("get pod web -o=jsonpath={.spec.ephemeralContainers[*].name}")).toBe("dbg");
  });

  test("debug --copy-to: makes another pod with another image and command", async () => {
    const line = "debug web --copy-to=copy --container=web --image=other -i -q -- sh -c";
    expect(await kubectl.run([...line.split(" "), SCRIPT], "hello\n")).toMatchObject({
      code: 0,
      stdout: "got hello\n",
    });
    expect(await kubectl.ok("get pod copy -o=jsonpath={.spec.containers[*].image}")).toBe("other");
  });

  test("debug node: makes a pod on the node", async () => {
    const line = "debug node/node --image=shell -i -q -- sh -c";
    expect(await kubectl.run([...line.split(" "), SCRIPT], "hello\n")).toMatchObject({
      code: 0,
      stdout: "got hello\n",
    });
    expect(await kubectl.ok("get pods -o=jsonpath={.items[*].spec.nodeName}")).toMatch(/^(node ?)+$/);
  });
});
