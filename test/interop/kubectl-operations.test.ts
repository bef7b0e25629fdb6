import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { eventually } from "../helpers/eventually.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)("kubectl 1.37.1: rollout, node and auth commands", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    kubectl = await realKubectl(cluster);
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const create = (...items: readonly object[]) =>
    kubectl.ok("create -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const setStatus = (what: string, status: object) =>
    kubectl.ok(["patch", ...what.split(" "), "--subresource=status", "--type=merge", "-p", JSON.stringify({ status })]);
  const failed = (stderr: string, stdout = "") => ({ code: 1, stdout, stderr });
  const template = (app: string, image: string) => ({
    metadata: { labels: { app } },
    spec: { containers: [{ name: "c", image }] },
  });
  const imageOf = (what: string) => kubectl.ok(`get ${what} -o jsonpath={.spec.template.spec.containers[0].image}`);

  describe("rollout of a Deployment whose controller the test plays", () => {
    const app = "web";

    beforeAll(async () => {
      const spec = { selector: { matchLabels: { app } }, template: template(app, "i:3") };
      await create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: app }, spec });
    });

    test("reports without a controller neither progress nor history", async () => {
      expect(await kubectl.run("rollout status deployment/web --timeout=1500ms")).toEqual(
        failed(
          "error: timed out waiting for the condition\n",
          "Waiting for deployment spec update to be observed...\n",
        ),
      );
      expect(await kubectl.ok("rollout history deployment/web")).toBe(
        "deployment.apps/web \nNo rollout history found.\n",
      );
      expect(await kubectl.run("rollout undo deployment/web")).toEqual(
        failed('error: no rollout history found for deployment "web"\n'),
      );
    });

    test("status prints what the controller writes", async () => {
      const done = { replicas: 1, updatedReplicas: 1, readyReplicas: 1 };
      await setStatus("deployment web", { observedGeneration: 1, ...done, updatedReplicas: 0 });
      const waiting = kubectl.run("rollout status deployment/web --timeout=30s");
      await setStatus("deployment web", { observedGeneration: 1, ...done });
      await setStatus("deployment web", { availableReplicas: 1 });
      const { code, stdout } = await waiting;
      expect([code, stdout.split("\n").at(-2)]).toEqual([0, 'deployment "web" successfully rolled out']);
      const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
      await setStatus("deployment web", { conditions: [late], availableReplicas: 0 });
      expect(await kubectl.run("rollout status deployment/web")).toEqual(
        failed('error: deployment "web" exceeded its progress deadline\n'),
      );
    });

    test("history and undo read the ReplicaSets", async () => {
      const uid = await kubectl.ok("get deployment web -o jsonpath={.metadata.uid}");
      const owner = { apiVersion: "apps/v1", kind: "Deployment", name: app, uid, controller: true };
      const revision = (number: number) => {
        const labels = { app, "pod-template-hash": `h${number}` };
        return {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: {
            name: `web-${number}`,
            labels,
            annotations: { "deployment.kubernetes.io/revision": `${number}` },
            ownerReferences: [owner],
          },
          spec: {
            selector: { matchLabels: labels },
            template: { ...template(app, `i:${number}`), metadata: { labels } },
          },
        };
      };
      await create(revision(1), revision(2), revision(3));
      expect(await kubectl.ok("rollout history deployment/web")).toBe(
        "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n3         <none>\n\n",
      );
      expect(await kubectl.ok("rollout history deployment/web --revision=2")).toMatch(/^ {4}Image:\ti:2$/m);
      expect(await kubectl.ok("rollout undo deployment/web")).toBe("deployment.apps/web rolled back\n");
      expect(await imageOf("deployment web")).toBe("i:2");
      expect(await kubectl.ok("rollout undo deployment/web --to-revision=1")).toBe("deployment.apps/web rolled back\n");
      expect(await imageOf("deployment web")).toBe("i:1");
      expect(await kubectl.run("rollout undo deployment/web --to-revision=7")).toEqual(
        failed("error: unable to find specified revision 7 in history\n"),
      );
      // The hash is the ReplicaSet's own.
      expect(await kubectl.ok("get deployment web -o jsonpath={.spec.template.metadata.labels}")).toBe('{"app":"web"}');
    });

    test("pause, resume and restart change the Deployment", async () => {
      expect(await kubectl.ok("rollout pause deployment/web")).toBe("deployment.apps/web paused\n");
      expect(await kubectl.run("rollout pause deployment/web")).toEqual(
        failed('error: deployments.apps "web" is already paused\n'),
      );
      expect(await kubectl.run("rollout restart deployment/web")).toEqual(
        failed('error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n'),
      );
      expect(await kubectl.ok("rollout resume deployment/web")).toBe("deployment.apps/web resumed\n");
      expect(await kubectl.ok("rollout restart deployment/web")).toBe("deployment.apps/web restarted\n");
      const annotations = await kubectl.ok("get deployment web -o jsonpath={.spec.template.metadata.annotations}");
      expect(annotations).toMatch(/^\{"kubectl.kubernetes.io\/restartedAt":"[^"]+"\}$/);
    });
  });

  test("rollout of a StatefulSet and a DaemonSet reads ControllerRevisions", async () => {
    const app = "set";
    for (const [kind, more] of [
      ["StatefulSet", { serviceName: "s" }],
      ["DaemonSet", {}],
    ] as const) {
      const name = kind.toLowerCase();
      const spec = { selector: { matchLabels: { app } }, template: template(app, "i:2"), ...more };
      await create({ apiVersion: "apps/v1", kind, metadata: { name: app }, spec });
      const uid = await kubectl.ok(`get ${name} ${app} -o jsonpath={.metadata.uid}`);
      const revision = (number: number) => ({
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: {
          name: `${name}-${number}`,
          labels: { app },
          ownerReferences: [{ apiVersion: "apps/v1", kind, name: app, uid, controller: true }],
        },
        revision: number,
        data: { spec: { template: { $patch: "replace", ...template(app, `i:${number}`) } } },
      });
      await create(revision(1), revision(2));
      expect(await kubectl.ok(`rollout history ${name}/${app}`)).toBe(
        `${name}.apps/${app} \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n`,
      );
      expect(await kubectl.ok(`rollout undo ${name}/${app}`)).toBe(`${name}.apps/${app} rolled back\n`);
      expect(await imageOf(`${name} ${app}`)).toBe("i:1");
      expect(await kubectl.ok(`rollout restart ${name}/${app}`)).toBe(`${name}.apps/${app} restarted\n`);
    }
  });

  test("rollout of a kind without rollouts is refused", async () => {
    expect(await kubectl.run("rollout status configmap/kube-root-ca.crt")).toEqual(
      failed("error: no status viewer has been implemented for ConfigMap\n"),
    );
    expect(await kubectl.run("rollout undo deployment/nope")).toEqual(
      failed('Error from server (NotFound): deployments.apps "nope" not found\n'),
    );
  });

  describe("node commands", () => {
    beforeAll(async () => {
      await create({ apiVersion: "v1", kind: "Node", metadata: { name: "node" } });
    });
    const run = (name: string, spec: object = {}) =>
      kubectl.ok(["run", name, "--image=i", `--overrides=${JSON.stringify({ spec: { nodeName: "node", ...spec } })}`]);

    test("cordon, uncordon and taint change the node", async () => {
      expect(await kubectl.ok("cordon node")).toBe("node/node cordoned\n");
      expect(await kubectl.ok("cordon node")).toBe("node/node already cordoned\n");
      expect(await kubectl.ok("get node node --no-headers")).toMatch(/^node +Unknown,SchedulingDisabled +<none> +\d+s/);
      expect(await kubectl.ok("uncordon node")).toBe("node/node uncordoned\n");
      expect(await kubectl.ok("taint node node a=b:NoSchedule")).toBe("node/node tainted\n");
      expect(await kubectl.run("taint node node a=c:NoSchedule")).toEqual(
        failed("error: node node already has a taint(s) with same effect(s) and --overwrite is false\n"),
      );
      expect(await kubectl.ok("taint node node a=c:NoSchedule --overwrite")).toBe("node/node modified\n");
      expect(await kubectl.ok("taint node node a:NoSchedule-")).toBe("node/node untainted\n");
    });

    test("drain names the flags that it needs, then evicts", async () => {
      await run("bare", { terminationGracePeriodSeconds: 1 });
      await run("local", { terminationGracePeriodSeconds: 1, volumes: [{ name: "v", emptyDir: {} }] });
      const refused = await kubectl.run("drain node");
      expect([refused.code, refused.stdout]).toEqual([1, "node/node cordoned\n"]);
      for (const reason of [
        "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/local",
        "cannot delete Pods that declare no controller (use --force to override): default/bare",
      ]) {
        expect(refused.stderr.split("\n")).toContain(reason);
      }
      const drained = await kubectl.run("drain node --force --delete-emptydir-data");
      expect(drained.code).toBe(0);
      expect(drained.stderr).toBe("Warning: deleting Pods that declare no controller: default/bare, default/local\n");
      expect(drained.stdout.trimEnd().split("\n").toSorted()).toEqual([
        "evicting pod default/bare",
        "evicting pod default/local",
        "node/node already cordoned",
        "node/node drained",
        "pod/bare evicted",
        "pod/local evicted",
      ]);
      expect(await kubectl.ok("get pods -o name")).toBe("");
    });

    test("drain --disable-eviction deletes past a budget", async () => {
      const selector = { matchLabels: { app: "kept" } };
      const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "kept" } };
      await create({ ...budget, spec: { minAvailable: 1, selector } });
      await run("kept", { terminationGracePeriodSeconds: 1 });
      await kubectl.ok("label pod kept app=kept");
      await setStatus("pod kept", { phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
      await eventually(async () => {
        expect(await kubectl.ok("get pdb kept -o jsonpath={.status.currentHealthy}")).toBe("1");
      });
      expect(await kubectl.ok("drain node --force --disable-eviction")).toContain("pod/kept deleted\n");
      expect((await kubectl.run("get pod kept")).code).toBe(1);
    });
  });

  describe("auth commands", () => {
    test("can-i answers the cluster's administrator", async () => {
      expect(await kubectl.run("auth can-i create deployments.apps")).toEqual({ code: 0, stdout: "yes\n", stderr: "" });
      expect(await kubectl.ok(["auth", "can-i", "*", "*", "-A"])).toBe("yes\n");
      expect(await kubectl.ok("auth can-i get /healthz")).toBe("yes\n");
      expect(await kubectl.run("auth can-i get widgets")).toEqual({
        code: 0,
        stdout: "yes\n",
        stderr: "Warning: the server doesn't have a resource type 'widgets'\n\n",
      });
      expect(await kubectl.run("auth can-i get pods -q")).toEqual({ code: 0, stdout: "", stderr: "" });
    });

    test("whoami prints the certificate's user, groups and fingerprint, and the impersonated user", async () => {
      const me = JSON.parse(await kubectl.ok("auth whoami -o jsonpath={.status.userInfo}")) as object;
      expect(me).toEqual({
        username: "kubernetes-admin",
        groups: ["system:masters", "system:authenticated"],
        extra: {
          "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)],
        },
      });
      const jane = await kubectl.ok("auth whoami --as=jane --as-group=dev --as-uid=7 -o jsonpath={.status.userInfo}");
      expect(JSON.parse(jane)).toEqual({ username: "jane", uid: "7", groups: ["dev", "system:authenticated"] });
    });

    test("reconcile adds what a role and a binding lack", async () => {
      const role = (verbs: readonly string[]) =>
        JSON.stringify({
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: { name: "reader", namespace: "default" },
          rules: [{ apiGroups: [""], resources: ["pods"], verbs }],
        });
      const reconcile = (verbs: readonly string[]) => kubectl.run("auth reconcile -f -", role(verbs));
      const stdout = "role.rbac.authorization.k8s.io/reader reconciled\n";
      const required = (what: string) => expect.stringContaining(`\treconciliation required ${what}\n`) as string;
      expect(await reconcile(["get"])).toEqual({ code: 0, stdout, stderr: required("create") });
      expect(await reconcile(["get", "list"])).toEqual({ code: 0, stdout, stderr: required("update") });
      const { rules } = JSON.parse(await kubectl.ok("get role reader -o json")) as { rules: object[] };
      expect(rules).toEqual(["get", "list"].map((verb) => ({ apiGroups: [""], resources: ["pods"], verbs: [verb] })));
    });
  });
});
