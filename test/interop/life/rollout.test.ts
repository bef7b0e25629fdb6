import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterUnderTest, type ServedCluster } from "../../helpers/cluster-under-test.js";
import { eventually } from "../../helpers/eventually.js";
import { testsExecutable } from "../../helpers/program-under-test.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";
import { workload } from "./workload.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`rollouts by kubectl are skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("kubectl 1.37.1, unchanged, with workloads that run", () => {
  let cluster: ServedCluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await clusterUnderTest({ nodes: 2, hasImage: (image) => !image.endsWith(":missing") });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster?.close();
  });

  const apply = (...objects: object[]) =>
    kubectl.ok("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const rolledOut = async (name: string) =>
    expect(await kubectl.ok(`rollout status deployment/${name} --timeout=50s`)).toMatch(
      new RegExp(`deployment "${name}" successfully rolled out\n$`),
    );
  const field = (resource: string, path: string) => kubectl.ok(["get", resource, "-o", `jsonpath=${path}`]);
  const sets = (name: string) =>
    field(`replicasets`, `{range .items[?(@.metadata.ownerReferences[0].name=="${name}")]}{.spec.replicas} {end}`);

  test("AT-29: follows a Deployment through status, pause, set, resume, history, undo, restart and scale", async () => {
    await apply(workload("web", 3));
    await rolledOut("web");
    expect(JSON.parse(await field("deployment/web", "{.spec}"))).toMatchObject({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(await kubectl.ok("get deployment web --no-headers")).toMatch(/^web +3\/3 +3 +3 +\d+s\n$/);

    expect(await kubectl.ok("rollout pause deployment/web")).toBe("deployment.apps/web paused\n");
    await kubectl.ok("set image deployment/web main=example.org/web:2");
    await kubectl.ok("wait deployment/web --for=jsonpath={.status.observedGeneration}=3 --timeout=30s");
    expect(await sets("web"), "a paused Deployment makes no ReplicaSet").toBe("3 ");

    expect(await kubectl.ok("rollout resume deployment/web")).toBe("deployment.apps/web resumed\n");
    await rolledOut("web");
    expect((await sets("web")).trim().split(" ").toSorted()).toEqual(["0", "3"]);
    const revisions = "deployment.apps/web \nREVISION  CHANGE-CAUSE\n";
    expect(await kubectl.ok("rollout history deployment/web")).toBe(
      `${revisions}1         <none>\n2         <none>\n\n`,
    );
    expect(await kubectl.ok("rollout history deployment/web --revision=2")).toContain("Image:\texample.org/web:2\n");

    await kubectl.ok("rollout pause deployment/web");
    const refused = await kubectl.run("rollout undo deployment/web");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again\n",
    );
    await kubectl.ok("rollout resume deployment/web");
    expect(await kubectl.ok("rollout undo deployment/web")).toBe("deployment.apps/web rolled back\n");
    await rolledOut("web");
    expect(await kubectl.ok("rollout history deployment/web")).toBe(
      `${revisions}2         <none>\n3         <none>\n\n`,
    );
    expect(await field("pods", "{.items[*].spec.containers[0].image}")).toBe("example.org/web:1 ".repeat(3).trim());

    expect(await kubectl.ok("rollout restart deployment/web")).toBe("deployment.apps/web restarted\n");
    await rolledOut("web");
    expect(await field("deployment/web", "{.metadata.annotations.deployment\\.kubernetes\\.io/revision}")).toBe("4");

    expect(await kubectl.ok("scale deployment/web --replicas=5")).toBe("deployment.apps/web scaled\n");
    await rolledOut("web");
    expect(await kubectl.ok("wait deployment/web --for=jsonpath={.status.readyReplicas}=5 --timeout=30s")).toBe(
      "deployment.apps/web condition met\n",
    );
    expect(await kubectl.ok("wait pods -l app=web --for=condition=Ready --timeout=30s")).toMatch(
      /^(pod\/web-\S+ condition met\n){5}$/,
    );
    expect((await kubectl.ok("wait pods -l app=web --for=condition=Ready --timeout=30s")).split("\n")).toHaveLength(6);

    await kubectl.ok("delete deployment web");
    await kubectl.ok("wait pods -l app=web --for=delete --timeout=30s");
    expect(await kubectl.ok("get replicasets,pods")).toBe("");
  });

  test("rolls out a StatefulSet and a DaemonSet", async () => {
    const { replicas, ...everywhere } = (workload("one", 2) as unknown as { spec: { replicas: number } }).spec;
    await apply(
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "db" },
        spec: { ...everywhere, replicas, serviceName: "db" },
      },
      { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec: everywhere },
    );
    await kubectl.ok("rollout status statefulset/db --timeout=50s");
    expect(await kubectl.ok("rollout status daemonset/agent --timeout=50s")).toMatch(
      /daemon set "agent" successfully rolled out\n$/,
    );
    expect(await kubectl.ok("get statefulset db --no-headers")).toMatch(/^db +2\/2 +\d+s\n$/);
    expect(await kubectl.ok("get pod db-0 db-1 -o name")).toBe("pod/db-0\npod/db-1\n");
    expect(await field("daemonset/agent", "{.status.numberReady}")).toBe("2");
    await kubectl.ok("delete statefulset/db daemonset/agent");
    await kubectl.ok("wait pods -l app=one --for=delete --timeout=30s");
  });

  // The command line has no nodes that lack an image.
  test.skipIf(testsExecutable)(
    "reports a rollout past its deadline whose image cannot be pulled, and the pods show the reason",
    async () => {
      await apply(workload("stuck", 1));
      await rolledOut("stuck");
      // Not before: on a machine at work the first pod may take longer.
      await kubectl.ok(["patch", "deployment", "stuck", "-p", '{"spec":{"progressDeadlineSeconds":2}}']);
      await kubectl.ok("set image deployment/stuck main=example.org/web:missing");
      const status = await kubectl.run("rollout status deployment/stuck --timeout=50s");
      expect(status.code).toBe(1);
      expect(status.stderr).toBe('error: deployment "stuck" exceeded its progress deadline\n');
      await eventually(async () => expect(await kubectl.ok("get pods -l app=stuck")).toMatch(/ImagePullBackOff/));
      expect(await kubectl.ok("describe pods -l app=stuck --show-events")).toMatch(
        /Warning +Failed .*example\.org\/web:missing/,
      );
      expect(await kubectl.ok("get deployment stuck --no-headers"), "the old pod stays").toMatch(/^stuck +1\/1 +1 +1/);
      await kubectl.ok(["patch", "deployment", "stuck", "-p", '{"spec":{"progressDeadlineSeconds":600}}']);
      await kubectl.ok("rollout undo deployment/stuck");
      await rolledOut("stuck");
      await kubectl.ok("delete deployment stuck");
    },
  );

  test("ends logs -f of a workload with its pod, and runs exec in one of its pods", async () => {
    await apply(workload("talk", 1));
    await rolledOut("talk");
    const pod = await field("pods", '{.items[?(@.metadata.labels.app=="talk")].metadata.name}');
    expect(await kubectl.ok("exec deployment/talk -- hostname")).toBe(`${pod}\n`);

    const following = kubectl.start("logs -f deployment/talk");
    let lines = "";
    following.stdout?.setEncoding("utf8").on("data", (chunk: string) => (lines += chunk));
    const ended = once(following, "close");
    await eventually(() => expect(lines).toBe(`hello from ${pod}\n`));
    await kubectl.ok("scale deployment/talk --replicas=0");
    expect(await ended).toEqual([0, null]);
    await kubectl.ok("delete deployment talk");
  });

  test("waits for a Job, and prints its pod's log", async () => {
    await kubectl.ok(["create", "job", "sum", "--image=example.org/calc", "--", "sh", "-c", "echo $((6 * 7))"]);
    expect(await kubectl.ok("wait job/sum --for=condition=Complete --timeout=50s")).toBe(
      "job.batch/sum condition met\n",
    );
    expect(await kubectl.ok("logs job/sum")).toBe("42\n");
    expect(await kubectl.ok("get job sum --no-headers")).toMatch(/^sum +Complete +1\/1 +\d+s +\d+s\n$/);
    await kubectl.ok("delete job sum");
  });

  test("creates a Job from a CronJob at once, and run --rm prints what a pod writes", async () => {
    await kubectl.ok([
      "create",
      "cronjob",
      "nightly",
      "--image=example.org/calc",
      "--schedule=0 3 * * *",
      "--",
      "echo",
      "done",
    ]);
    await kubectl.ok("create job now --from=cronjob/nightly");
    await kubectl.ok("wait job/now --for=condition=Complete --timeout=50s");
    expect(await kubectl.ok("logs job/now")).toBe("done\n");
    await kubectl.ok("delete cronjob nightly");
    expect(await kubectl.ok("run once --rm -i --restart=Never --image=example.org/calc -- echo ran")).toContain(
      "ran\n",
    );
  });
});
