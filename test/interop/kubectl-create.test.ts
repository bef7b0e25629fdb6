import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../helpers/run-real-kubectl.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`kubectl interop is skipped: ${missing}\n`);

/** What a row's object must hold, and by what `get` finds it. */
type Row = readonly [argv: string, answer: string, get: string, holds: object];

const ROLE = "rbac.authorization.k8s.io";

const ROWS: readonly Row[] = [
  [
    "clusterrole one --verb=get,list --resource=pods,deployments.apps/scale",
    `clusterrole.${ROLE}/one`,
    "clusterrole one",
    {
      rules: [
        { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] },
        { verbs: ["get", "list"], apiGroups: ["apps"], resources: ["deployments/scale"] },
      ],
    },
  ],
  [
    "clusterrole two --verb=get --non-resource-url=/logs/*",
    `clusterrole.${ROLE}/two`,
    "clusterrole two",
    { rules: [{ verbs: ["get"], nonResourceURLs: ["/logs/*"] }] },
  ],
  [
    "clusterrole three --aggregation-rule=a=b",
    `clusterrole.${ROLE}/three`,
    "clusterrole three",
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] }, rules: null },
  ],
  [
    "clusterrolebinding one --clusterrole=one --user=u --group=g --serviceaccount=default:sa",
    `clusterrolebinding.${ROLE}/one`,
    "clusterrolebinding one",
    {
      roleRef: { apiGroup: ROLE, kind: "ClusterRole", name: "one" },
      subjects: [
        { apiGroup: ROLE, kind: "User", name: "u" },
        { apiGroup: ROLE, kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "sa", namespace: "default" },
      ],
    },
  ],
  ["configmap one --from-literal=a=1", "configmap/one", "configmap one", { data: { a: "1" } }],
  [
    "cronjob one --image=i --schedule=@hourly",
    "cronjob.batch/one",
    "cronjob one",
    { spec: { schedule: "@hourly", concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3 } },
  ],
  [
    "deployment one --image=i --replicas=2 --port=80 -- sh -c x",
    "deployment.apps/one",
    "deployment one",
    {
      metadata: { labels: { app: "one" } },
      spec: {
        replicas: 2,
        template: {
          spec: {
            containers: [{ name: "i", command: ["sh", "-c", "x"], ports: [{ containerPort: 80, protocol: "TCP" }] }],
          },
        },
      },
    },
  ],
  [
    "ingress one --rule=foo.com/bar=svc:80,tls=secret --class=c --default-backend=d:http",
    "ingress.networking.k8s.io/one",
    "ingress one",
    {
      spec: {
        ingressClassName: "c",
        defaultBackend: { service: { name: "d", port: { name: "http" } } },
        tls: [{ hosts: ["foo.com"], secretName: "secret" }],
        rules: [{ host: "foo.com", http: { paths: [{ path: "/bar", pathType: "Exact" }] } }],
      },
    },
  ],
  [
    "job one --image=i -- date",
    "job.batch/one",
    "job one",
    { spec: { completions: 1, parallelism: 1, backoffLimit: 6, template: { spec: { restartPolicy: "Never" } } } },
  ],
  [
    "job two --from=cronjob/one",
    "job.batch/two",
    "job two",
    {
      metadata: {
        annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "one", controller: true }],
      },
    },
  ],
  ["namespace one", "namespace/one", "namespace one", { status: { phase: "Active" } }],
  [
    "poddisruptionbudget one --min-available=50% --selector=a=b",
    "poddisruptionbudget.policy/one",
    "pdb one",
    { spec: { minAvailable: "50%", selector: { matchLabels: { a: "b" } } } },
  ],
  [
    "priorityclass one --value=1000 --description=d --preemption-policy=Never",
    "priorityclass.scheduling.k8s.io/one",
    "priorityclass one",
    { value: 1000, description: "d", preemptionPolicy: "Never" },
  ],
  [
    "quota one --hard=pods=1000 --scopes=BestEffort",
    "resourcequota/one",
    "quota one",
    { spec: { hard: { pods: "1k" }, scopes: ["BestEffort"] } },
  ],
  [
    "role one --verb=get --resource=pods --resource-name=a",
    `role.${ROLE}/one`,
    "role one",
    { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }] },
  ],
  [
    "rolebinding one --role=one --user=u",
    `rolebinding.${ROLE}/one`,
    "rolebinding one",
    { roleRef: { apiGroup: ROLE, kind: "Role", name: "one" } },
  ],
  ["secret generic one --from-literal=a=1", "secret/one", "secret one", { type: "Opaque", data: { a: "MQ==" } }],
  [
    "secret docker-registry two --docker-server=s --docker-username=u --docker-password=p",
    "secret/two",
    "secret two",
    { type: "kubernetes.io/dockerconfigjson" },
  ],
  [
    "service clusterip one --tcp=80:8080 --clusterip=None",
    "service/one",
    "service one",
    { spec: { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"], ports: [{ port: 80, targetPort: 8080 }] } },
  ],
  [
    "service externalname two --external-name=foo.com",
    "service/two",
    "service two",
    { spec: { type: "ExternalName", externalName: "foo.com" } },
  ],
  [
    "service loadbalancer three --tcp=80",
    "service/three",
    "service three",
    { spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: true, externalTrafficPolicy: "Cluster" } },
  ],
  [
    "service nodeport four --tcp=80 --node-port=30080",
    "service/four",
    "service four",
    { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] } },
  ],
  ["serviceaccount one", "serviceaccount/one", "serviceaccount one", {}],
];

const REFUSED: readonly (readonly [name: string, argv: readonly string[], stderr: string])[] = [
  ["a name twice", ["configmap", "one"], 'error: failed to create configmap: configmaps "one" already exists\n'],
  [
    "a name that is none",
    ["configmap", "Bad/Name"],
    `error: failed to create configmap: ConfigMap "Bad/Name" is invalid: metadata.name: Invalid value: "Bad/Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n`,
  ],
  [
    "a namespace that is not there",
    ["deployment", "x", "--image=i", "-n", "nowhere"],
    'error: failed to create deployment: namespaces "nowhere" not found\n',
  ],
  [
    "a priority above the users' own",
    ["priorityclass", "x", "--value=1000000001"],
    'error: failed to create priorityclass: PriorityClass.scheduling.k8s.io "x" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000\n',
  ],
  [
    "a quota of what its scope does not count",
    ["quota", "x", "--hard=cpu=1", "--scopes=BestEffort"],
    'error: failed to create quota: ResourceQuota "x" is invalid: spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource\n',
  ],
  [
    "a node port that is taken",
    ["service", "nodeport", "x", "--tcp=80", "--node-port=30080"],
    'error: failed to create NodePort service: Service "x" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated\n',
  ],
  [
    "a node port out of range",
    ["service", "nodeport", "x", "--tcp=80", "--node-port=80"],
    'error: failed to create NodePort service: Service "x" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767\n',
  ],
  ["a token of nobody", ["token", "nobody"], 'error: failed to create token: serviceaccounts "nobody" not found\n'],
  [
    "a token of a minute",
    ["token", "default", "--duration=1m"],
    'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes\n',
  ],
];

describe.skipIf(missing !== undefined)("kubectl 1.37.1 create, run, expose, autoscale", () => {
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

  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });
  const get = async (what: string) => JSON.parse(await kubectl.ok(`get ${what} -o json`)) as object;

  test.each(ROWS)("create %s", async (argv, answer, what, holds) => {
    expect(await kubectl.run(`create ${argv}`)).toEqual({ code: 0, stdout: `${answer} created\n`, stderr: "" });
    expect(await get(what)).toMatchObject(holds);
  });

  test.each(REFUSED)("%s is refused", async (_, argv, stderr) => {
    expect(await kubectl.run(["create", ...argv])).toEqual(failed(stderr));
  });

  test("create token makes a token that is bound to an object, and is refused once that is deleted", async () => {
    await kubectl.ok("create secret generic bound");
    const review = async (token: string) => {
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
      return kubectl.ok("create -f - -o jsonpath={.status}", JSON.stringify(body));
    };
    const token = await kubectl.ok("create token one --bound-object-kind=Secret --bound-object-name=bound");
    expect(JSON.parse(await review(token.trim()))).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:default:one" },
    });
    await kubectl.ok("delete secret bound");
    expect(JSON.parse(await review(token.trim()))).toHaveProperty("error");
  });

  test("run creates a pod, and with --expose a Service after it", async () => {
    expect(await kubectl.ok("run pod --image=i --port=80 --labels=a=b --env=A=1 --expose")).toBe(
      "pod/pod created\nservice/pod created\n",
    );
    expect(await get("pod pod")).toMatchObject({
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "pod", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] }] },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
    expect(await get("service pod")).toMatchObject({ spec: { selector: { a: "b" }, ports: [{ port: 80 }] } });
    expect(await kubectl.run("run pod --image=i")).toEqual(
      failed('Error from server (AlreadyExists): pods "pod" already exists\n'),
    );
  });

  test("expose takes selector and ports from the object that it exposes", async () => {
    expect(await kubectl.ok("expose deployment one --name=exposed")).toBe("service/exposed exposed\n");
    expect(await get("service exposed")).toMatchObject({
      spec: { type: "ClusterIP", selector: { app: "one" }, ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
    });
    expect(await kubectl.run("expose deployment one --name=exposed")).toEqual(
      failed('Error from server (AlreadyExists): services "exposed" already exists\n'),
    );
    await kubectl.ok("expose service exposed --name=outside --type=NodePort --port=90 --target-port=8080");
    expect(await get("service outside")).toMatchObject({
      spec: { type: "NodePort", ports: [{ port: 90, targetPort: 8080, nodePort: expect.any(Number) as number }] },
    });
  });

  test("autoscale creates an autoscaler, by utilization and by value", async () => {
    expect(await kubectl.ok("autoscale deployment one --min=2 --max=5 --cpu=50% --memory=100Mi")).toBe(
      "horizontalpodautoscaler.autoscaling/one autoscaled\n",
    );
    expect(await get("hpa one")).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: {
        minReplicas: 2,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "one" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } } },
        ],
      },
    });
    expect(await kubectl.ok("get hpa one --no-headers")).toMatch(
      /^one +Deployment\/one +cpu: <unknown>\/50%, memory: <unknown>\/100Mi +2 +5 +0 +\d+s\n$/,
    );
    expect(await get("horizontalpodautoscalers.v1.autoscaling one")).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { targetCPUUtilizationPercentage: 50 },
    });
  });
});
