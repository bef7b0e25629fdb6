import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DrivenCluster, manualClock, startCluster } from "../../../src/cluster/index.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`autoscaling by kubectl is skipped: ${missing}\n`);

const REQUEST_MILLICORES = 100;

const usage = (cpu: string) => JSON.stringify({ main: { usage: { cpu, memory: "32Mi" } } });

const DEPLOYMENT = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" }, annotations: { "kubets.dev/stages": usage("20m") } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: "main", image: "example.org/web:1", resources: { requests: { cpu: `${REQUEST_MILLICORES}m` } } },
        ],
      },
    },
  },
};

describe.skipIf(missing !== undefined)("kubectl 1.37.1 autoscales a Deployment under load", () => {
  let cluster: DrivenCluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2, clock: manualClock(new Date()) });
    kubectl = await realKubectl(cluster);
    await kubectl.ok("apply -f -", JSON.stringify(DEPLOYMENT));
    await cluster.clock.advance("1m");
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  /** Every pod there is uses so much from now on; those that come later use what the template says. */
  const use = async (cpu: string) => {
    await kubectl.ok(["annotate", "pods", "-l", "app=web", `kubets.dev/stages=${usage(cpu)}`, "--overwrite"]);
  };
  const row = () => kubectl.ok("get hpa web --no-headers");
  /** What the pods use on the average, of what they request, as `kubectl top` shows it. */
  const utilization = async () => {
    const rows = (await kubectl.ok("top pods -l app=web --no-headers")).trim().split("\n");
    const cores = rows.map((line) => Number(/^\S+ +(\d+)m +32Mi *$/.exec(line)?.[1]));
    return (cores.reduce((sum, one) => sum + one, 0) / rows.length / REQUEST_MILLICORES) * 100;
  };

  test("and the autoscaler shows what the pods use, and leaves a Deployment of the right size alone", async () => {
    const created = await kubectl.ok("autoscale deployment web --min=1 --max=5 --cpu=50%");
    expect(created).toBe("horizontalpodautoscaler.autoscaling/web autoscaled\n");
    // K37-140: the controller looks at a new autoscaler at once.
    await cluster.clock.advance("1s");
    expect(await row()).toMatch(/^web +Deployment\/web +cpu: 20%\/50% +1 +5 +1 +1s\n$/);
    await cluster.clock.advance("30s");
    expect(await row(), "of the right size").toMatch(/^web +Deployment\/web +cpu: 20%\/50% +1 +5 +1 +31s\n$/);
    expect(await utilization()).toBe(20);
  });

  test("and the autoscaler scales up while the pods use more than the target", async () => {
    await use("120m");
    await cluster.clock.advance("20s");
    expect(await kubectl.ok("get deployment web -o jsonpath={.spec.replicas}"), "ceil(1 * 120 / 50)").toBe("3");
    await use("120m");
    await cluster.clock.advance("1m");
    const shown = /^web +Deployment\/web +cpu: (\d+)%\/50% +1 +5 +5 +/.exec(await row());
    expect(Number(shown?.[1])).toBe(Math.floor(await utilization()));
    expect(await kubectl.ok("get deployment web --no-headers")).toMatch(/^web +5\/5 /);

    const described = await kubectl.ok("describe hpa web");
    expect(described).toMatch(/resource cpu on pods {2}\(as a percentage of request\): +80% \(80m\) \/ 50%\n/);
    expect(described).toMatch(/Deployment pods: +5 current \/ 5 desired\n/);
    expect(described).toMatch(
      /ScalingLimited +True +TooManyReplicas +the desired replica count is more than the maximum replica count\n/,
    );
    const reason = "reason: cpu resource utilization (percentage of request) above target";
    expect(described).toContain(`New size: 3; ${reason}\n`);
    expect(described).toContain(`New size: 5; ${reason}\n`);
  });

  test("and the autoscaler scales down when the load has ended and the window of its behavior is over", async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 120 } };
    await kubectl.ok(["patch", "hpa", "web", "--type=merge", "-p", JSON.stringify({ spec: { behavior } })]);
    await use("10m");
    await cluster.clock.advance("1m");
    expect(await utilization()).toBe(10);
    expect(await row()).toMatch(/ cpu: 10%\/50% +1 +5 +5 /);
    expect(await kubectl.ok("describe hpa web")).toMatch(
      /AbleToScale +True +ScaleDownStabilized +recent recommendations were higher than current one, applying the highest recent recommendation\n/,
    );

    await cluster.clock.advance("2m");
    expect(await row()).toMatch(/ cpu: 10%\/50% +1 +5 +1 /);
    const described = await kubectl.ok("describe hpa web");
    expect(described).toMatch(/Behavior:\n(?: .*\n)*? +Scale Down:\n +Stabilization Window: 120 seconds\n/);
    expect(described).toContain("New size: 1; reason: All metrics below target\n");
    expect((await kubectl.ok("get pods -l app=web -o name")).trim().split("\n")).toHaveLength(1);
  });
});
