import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

const map = (name: string, data: Readonly<Record<string, string>>, metadata: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data });

const labels = { app: "scaled" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const SCALED = [
  { apiVersion: "apps/v1", kind: "Deployment", spec: { selector: { matchLabels: labels }, template } },
  { apiVersion: "apps/v1", kind: "ReplicaSet", spec: { selector: { matchLabels: labels }, template } },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    spec: { selector: { matchLabels: labels }, template, serviceName: "s" },
  },
  { apiVersion: "v1", kind: "ReplicationController", spec: { selector: labels, template } },
];

describe.skipIf(missing !== undefined)("kubectl 1.37.1: replace, scale, set, label, annotate", () => {
  let cluster: Cluster;
  let kubectl: RealKubectl;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    kubectl = await realKubectl(cluster);
    const items = SCALED.map((object) => ({ ...object, metadata: { name: "scaled" } }));
    await kubectl.ok("create -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  });
  afterAll(async () => {
    await kubectl?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const get = async (what: string) =>
    JSON.parse(await kubectl.ok(`get ${what} -o json --show-managed-fields`)) as KubeObject;
  const version = (what: string) => kubectl.ok(`get ${what} -o jsonpath={.metadata.resourceVersion}`);
  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });

  describe("replace", () => {
    test("accepts a pod's manifest again without the fields that admission filled in", async () => {
      const spec = {
        serviceAccountName: "default",
        automountServiceAccountToken: false,
        containers: template.spec.containers,
      };
      const pod = (labels: object) =>
        JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "plain", labels }, spec });
      await kubectl.ok("create -f -", pod({ a: "1" }));
      expect(await kubectl.ok("replace -f -", pod({ a: "2" }))).toBe("pod/plain replaced\n");
      expect(await kubectl.ok("get pod plain -o jsonpath={.metadata.labels.a}{.spec.priority}")).toBe("20");
    });

    test("owns the whole object as kubectl-replace", async () => {
      await kubectl.ok("create -f -", map("whole", { a: "1" }));
      expect(await kubectl.ok("replace -f -", map("whole", { b: "1" }))).toBe("configmap/whole replaced\n");
      const whole = await get("cm whole");
      expect(whole["data"]).toEqual({ b: "1" });
      expect(fieldOwners(whole)).toEqual([
        'Update kubectl-create {"f:data":{}}',
        'Update kubectl-replace {"f:data":{"f:b":{}}}',
      ]);
      expect(await kubectl.ok("replace --dry-run=server -f -", map("whole", { c: "1" }))).toBe(
        "configmap/whole replaced (server dry run)\n",
      );
      expect((await get("cm whole"))["data"]).toEqual({ b: "1" });
    });

    test("is refused for another resourceVersion or uid, a missing object, and immutable fields", async () => {
      await kubectl.ok("create -f -", map("stale", { a: "1" }));
      const { uid = "" } = (await get("cm stale")).metadata ?? {};
      const replace = (body: string) => kubectl.run("replace -f -", body);
      expect(await replace(map("stale", { a: "2" }, { resourceVersion: "1" }))).toEqual(
        failed(
          `Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "stale": ${MODIFIED}\n`,
        ),
      );
      expect(await replace(map("stale", { a: "2" }, { uid: "other" }))).toEqual(
        failed(
          `Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "stale": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/stale, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}\n`,
        ),
      );
      expect(await replace(map("nope", { a: "2" }))).toEqual(
        failed('Error from server (NotFound): error when replacing "STDIN": configmaps "nope" not found\n'),
      );
      const other = { app: "other" };
      const deployment = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "scaled" },
        spec: { selector: { matchLabels: other }, template: { ...template, metadata: { labels: other } } },
      };
      expect(await replace(JSON.stringify(deployment))).toEqual(
        failed(
          'The Deployment "scaled" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable\n',
        ),
      );
    });

    test("--force deletes and creates, --grace-period=0 as well", async () => {
      await kubectl.ok("create -f -", map("forced", { a: "1" }));
      const before = (await get("cm forced")).metadata?.uid;
      const answer = 'configmap "forced" deleted from default namespace\nconfigmap/forced replaced\n';
      expect(await kubectl.ok("replace --force -f -", map("forced", { a: "2" }))).toBe(answer);
      const after = await get("cm forced");
      expect(after["data"]).toEqual({ a: "2" });
      expect(after.metadata?.uid).not.toBe(before);
      expect(await kubectl.ok("replace --force --grace-period=0 -f -", map("forced", { a: "3" }))).toBe(answer);
      expect(await kubectl.ok("replace --force -f -", map("made", { a: "1" }))).toBe("configmap/made replaced\n");
    });

    test("changes the image of a pod and nothing else", async () => {
      await kubectl.ok("run pod --image=one");
      const pod = await kubectl.ok("get pod pod -o json");
      expect(await kubectl.ok("replace -f -", pod.replaceAll('"image": "one"', '"image": "two"'))).toBe(
        "pod/pod replaced\n",
      );
      const { code, stderr } = await kubectl.run(
        "replace -f -",
        pod.replace('"restartPolicy": "Always"', '"restartPolicy": "Never"').replace(/"resourceVersion": "\d+",/, ""),
      );
      expect(code).toBe(1);
      expect(stderr).toContain(
        'The Pod "pod" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n',
      );
    });

    test("--subresource=status changes only the status, and --raw writes a Scale", async () => {
      const live = await get("deployment scaled");
      const body = { ...live, spec: { ...(live["spec"] as object), replicas: 9 }, status: { replicas: 2 } };
      expect(await kubectl.ok("replace --subresource=status -f -", JSON.stringify(body))).toBe(
        "deployment.apps/scaled replaced\n",
      );
      const replaced = await get("deployment scaled");
      expect(replaced).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
      expect(fieldOwners(replaced)).toContain('Update kubectl-replace/status {"f:status":{"f:replicas":{}}}');
      const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "scaled", namespace: "default" } };
      const raw = "replace --raw /apis/apps/v1/namespaces/default/deployments/scaled/scale -f -";
      expect(JSON.parse(await kubectl.ok(raw, JSON.stringify({ ...scale, spec: { replicas: 3 } })))).toMatchObject({
        kind: "Scale",
        spec: { replicas: 3 },
        status: { replicas: 2, selector: "app=scaled" },
      });
      expect(await get("deployment scaled")).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
    });
  });

  describe("scale", () => {
    const kinds = [
      ["deployment", "deployment.apps"],
      ["replicaset", "replicaset.apps"],
      ["statefulset", "statefulset.apps"],
      ["replicationcontroller", "replicationcontroller"],
    ] as const;

    test.each(kinds)("changes a %s, with preconditions", async (kind, named) => {
      const scale = (flags: string) => kubectl.run(`scale ${kind} scaled ${flags}`);
      const scaled = { code: 0, stdout: `${named}/scaled scaled\n`, stderr: "" };
      const { generation = 0 } = (await get(`${kind} scaled`)).metadata ?? {};
      expect(await scale("--replicas=5")).toEqual(scaled);
      expect(await scale("--current-replicas=2 --replicas=6")).toEqual(
        failed("error: Expected replicas to be 2, was 5\n"),
      );
      expect(await scale("--current-replicas=5 --replicas=6")).toEqual(scaled);
      const now = await version(`${kind} scaled`);
      expect(await scale("--resource-version=1 --replicas=7")).toEqual(
        failed(`error: Expected resource version to be 1, was ${now}\n`),
      );
      expect(await scale(`--resource-version=${now} --replicas=7`)).toEqual(scaled);
      expect(await scale("--replicas=8 --dry-run=server")).toEqual({
        ...scaled,
        stdout: `${named}/scaled scaled (server dry run)\n`,
      });
      const object = await get(`${kind} scaled`);
      expect(object).toMatchObject({ metadata: { generation: generation + 3 }, spec: { replicas: 7 } });
      expect(fieldOwners(object)).toContain('Update kubectl/scale {"f:spec":{"f:replicas":{}}}');
      const { status } = JSON.parse(await kubectl.ok(`get ${kind} scaled --subresource=scale -o json`)) as KubeObject;
      expect(status).toHaveProperty("selector", "app=scaled");
    });

    test("changes several objects, and --timeout waits for the status", async () => {
      expect(await kubectl.ok("scale rs/scaled sts/scaled rc/scaled --replicas=0 --timeout=10s")).toBe(
        "replicaset.apps/scaled scaled\nstatefulset.apps/scaled scaled\nreplicationcontroller/scaled scaled\n",
      );
    });

    test("is refused for a missing object, a kind without scale, and an impossible number", async () => {
      expect(await kubectl.run("scale deployment nope --replicas=1")).toEqual(
        failed('Error from server (NotFound): deployments.apps "nope" not found\n'),
      );
      expect(await kubectl.run("scale cm kube-root-ca.crt --replicas=1")).toEqual(
        failed("Error from server (NotFound): the server could not find the requested resource\n"),
      );
    });
  });

  describe("set", () => {
    beforeAll(async () => {
      await kubectl.ok("create deployment set --image=nginx:1");
    });
    const container = async () =>
      JSON.parse(await kubectl.ok("get deployment set -o jsonpath={.spec.template.spec.containers[0]}")) as object;

    test("image, env, resources and serviceaccount change the pod template, as kubectl-set", async () => {
      const says = async (argv: string, answer: string) =>
        expect(await kubectl.ok(`set ${argv}`)).toBe(`deployment.apps/set ${answer}\n`);
      await says("image deployment/set nginx=nginx:2", "image updated");
      await says("env deployment/set A=1 B=2", "env updated");
      await says("env deployment/set A-", "env updated");
      await says(
        "resources deployment/set --limits=cpu=1,memory=1Gi --requests=cpu=500m",
        "resource requirements updated",
      );
      await says("serviceaccount deployment/set robot", "serviceaccount updated");
      expect(await container()).toMatchObject({
        image: "nginx:2",
        env: [{ name: "B", value: "2" }],
        resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } },
      });
      const object = await get("deployment set");
      expect(object.metadata?.generation).toBe(6);
      expect(fieldOwners(object)).toContain(
        `Update kubectl-set ${JSON.stringify({
          "f:spec": {
            "f:template": {
              "f:spec": {
                "f:containers": {
                  'k:{"name":"nginx"}': {
                    "f:env": { ".": {}, 'k:{"name":"B"}': { ".": {}, "f:name": {}, "f:value": {} } },
                    "f:image": {},
                    "f:resources": {
                      "f:limits": { ".": {}, "f:cpu": {}, "f:memory": {} },
                      "f:requests": { ".": {}, "f:cpu": {} },
                    },
                  },
                },
                "f:serviceAccount": {},
                "f:serviceAccountName": {},
              },
            },
          },
        })}`,
      );
    });

    test("prints the server's refusal", async () => {
      expect(await kubectl.run("set image deployment/set nope=nginx:2")).toEqual(
        failed('error: unable to find container named "nope"\n'),
      );
      expect(await kubectl.run("set resources deployment/set --requests=cpu=5")).toEqual(
        failed(
          'error: failed to patch resources update to pod template Deployment.apps "set" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: "5": must be less than or equal to cpu limit of 1\n',
        ),
      );
    });

    test("selector changes a Service, subject a RoleBinding", async () => {
      await kubectl.ok("create service clusterip set --tcp=80");
      expect(await kubectl.ok("set selector service/set a=b")).toBe("service/set selector updated\n");
      expect(await kubectl.ok("get service set -o jsonpath={.spec.selector}")).toBe('{"a":"b"}');
      await kubectl.ok("create rolebinding set --clusterrole=view --user=u");
      expect(await kubectl.ok("set subject rolebinding set --group=g --serviceaccount=default:default")).toBe(
        "rolebinding.rbac.authorization.k8s.io/set subjects updated\n",
      );
      expect(JSON.parse(await kubectl.ok("get rolebinding set -o jsonpath={.subjects}"))).toEqual([
        { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "u" },
        { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "default", namespace: "default" },
      ]);
    });
  });

  describe.each([
    ["label", "labels", "labeled", "unlabeled", "error: 'a' already has a value (1), and --overwrite is false\n"],
    [
      "annotate",
      "annotations",
      "annotated",
      "annotated",
      "error: --overwrite is false but found the following declared annotation(s): 'a' already has a value (1)\n",
    ],
  ])("%s", (command, field, done, undone, taken) => {
    const run = (flags: string) => kubectl.run(`${command} cm ${command} ${flags}`);
    const says = (text: string) => ({ code: 0, stdout: `configmap/${command} ${text}\n`, stderr: "" });
    const value = () => kubectl.ok(`get cm ${command} -o jsonpath={.metadata.${field}.a}`);

    beforeAll(async () => {
      await kubectl.ok("create -f -", map(command, { a: "1" }));
    });

    test("sets, overwrites only with --overwrite, and removes", async () => {
      expect(await run("a=1")).toEqual(says(done));
      expect(await run("a=2")).toEqual(failed(taken));
      expect(await run("a=2 --overwrite")).toEqual(says(done));
      expect(fieldOwners(await get(`cm ${command}`))).toContain(
        `Update kubectl-${command} {"f:metadata":{"f:${field}":{".":{},"f:a":{}}}}`,
      );
      expect(await run("a-")).toEqual(says(undone));
      expect(await value()).toBe("");
    });

    test("with --resource-version must name the current one", async () => {
      const at = await version(`cm ${command}`);
      expect(await run(`a=3 --resource-version=${at}`)).toEqual(says(done));
      expect(await run(`a=4 --overwrite --resource-version=${at}`)).toEqual(
        failed(`Error from server (Conflict): Operation cannot be fulfilled on configmaps "${command}": ${MODIFIED}\n`),
      );
      expect(await value()).toBe("3");
    });

    test("changes nothing with --dry-run=server, and selects objects by -l and --all", async () => {
      expect(await run("a=5 --overwrite --dry-run=server")).toEqual(says(`${done} (server dry run)`));
      expect(await value()).toBe("3");
      await kubectl.ok(["label", "cm", command, "--overwrite", "chosen=yes"]);
      expect(await kubectl.ok(`${command} cm -l chosen=yes b=1 --overwrite`)).toContain(
        `configmap/${command} ${done}\n`,
      );
      expect(await kubectl.ok(`${command} cm --all c=1`)).toContain(`configmap/kube-root-ca.crt ${done}\n`);
      await kubectl.ok(`label cm ${command} chosen-`);
    });
  });

  test("an invalid label is refused by the server", async () => {
    expect(await kubectl.run(["label", "cm", "label", "bad key=1"])).toEqual(
      failed(
        `The ConfigMap "label" is invalid: metadata.labels: Invalid value: "bad key": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n`,
      ),
    );
  });
});
