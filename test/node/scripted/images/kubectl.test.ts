import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineFiles } from "../../../../src/base/files/command-files.js";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { object } from "../../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../../src/machinery/meta/json.js";
import { call } from "../../../helpers/api-caller.js";
import { eventually } from "../../../helpers/eventually.js";

const CORE = "/api/v1/namespaces/default";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const KUBECTL = "docker.io/bitnami/kubectl:1.36";

let cluster: Cluster;
let api: Transport;
/** A folder of this machine, which no pod may see. */
let machine: string;

beforeAll(async () => {
  machine = mkdtempSync(join(tmpdir(), "kubets-pod-kubectl-"));
  cluster = await startCluster({ nodes: 1 });
  api = cluster.transport();
  await eventually(async () => expect((await call(api, "GET", `${CORE}/serviceaccounts/default`)).status).toBe(200));
  await create(`${CORE}/serviceaccounts`, { metadata: { name: "admin" } });
  await create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: "admin" },
    subjects: [{ kind: "ServiceAccount", name: "admin", namespace: "default" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  });
});
afterAll(async () => {
  await cluster.close();
  rmSync(machine, { recursive: true });
});

async function create(path: string, body: JsonObject): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

let pods = 0;

/** Runs a container to its end; gives its code and its log. */
async function run(container: JsonObject, account = "admin", more: JsonObject = {}) {
  const name = `run-${(pods += 1)}`;
  await create(`${CORE}/pods`, {
    metadata: { name },
    spec: { restartPolicy: "Never", serviceAccountName: account, containers: [{ name: "c", ...container }], ...more },
  });
  const code = await eventually(async () => {
    const pod = await call(api, "GET", `${CORE}/pods/${name}`);
    const { exitCode } = object(pod.at("status.containerStatuses.0.state.terminated"));
    expect(exitCode).toBeTypeOf("number");
    return exitCode;
  });
  return { code, log: (await call(api, "GET", `${CORE}/pods/${name}/log`)).text };
}

const script = (text: string, account?: string) => run({ image: "busybox", command: ["sh", "-c", text] }, account);
const kubectl = (...args: readonly string[]) => run({ image: KUBECTL, args: [...args] });

describe("a Job of a kubectl image", () => {
  const job = (name: string, account: string) => ({
    metadata: { name },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: "Never",
          serviceAccountName: account,
          initContainers: [
            { name: "wait", image: KUBECTL, args: ["wait", "--for=condition=Available", "deployment/web"] },
          ],
          containers: [
            {
              name: "patch",
              image: "registry.k8s.io/kubectl:v1.36.0",
              args: ["patch", "configmap", "state", "--type=merge", "-p", '{"data":{"web":"ready"}}'],
            },
          ],
        },
      },
    },
  });
  const ended = (name: string, condition: string) =>
    eventually(async () => {
      const found = await call(api, "GET", `/apis/batch/v1/namespaces/default/jobs/${name}`);
      expect(found.text).toContain(`"type":"${condition}"`);
    });

  beforeAll(async () => {
    const labels = { app: "web" };
    await create(`${CORE}/configmaps`, { metadata: { name: "state" } });
    await create("/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      },
    });
    await create(`${CORE}/serviceaccounts`, { metadata: { name: "patcher" } });
    await create(`${RBAC}/namespaces/default/roles`, {
      metadata: { name: "patcher" },
      rules: [
        { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "patch"] },
      ],
    });
    await create(`${RBAC}/namespaces/default/rolebindings`, {
      metadata: { name: "patcher" },
      subjects: [{ kind: "ServiceAccount", name: "patcher", namespace: "default" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patcher" },
    });
  });

  test("waits for a Deployment and patches a ConfigMap with its service account's rights", async () => {
    await create("/apis/batch/v1/namespaces/default/jobs", job("allowed", "patcher"));
    await ended("allowed", "Complete");
    expect((await call(api, "GET", `${CORE}/configmaps/state`)).at("data")).toEqual({ web: "ready" });
  });

  test("gets kubectl's error without a role", async () => {
    await create("/apis/batch/v1/namespaces/default/jobs", job("forbidden", "default"));
    await ended("forbidden", "Failed");
    const { items } = JSON.parse((await call(api, "GET", `${CORE}/pods?labelSelector=job-name%3Dforbidden`)).text) as {
      items: { metadata: { name: string } }[];
    };
    const log = await call(api, "GET", `${CORE}/pods/${items[0]?.metadata.name}/log?container=wait`);
    expect(log.text).toContain(
      'Error from server (Forbidden): deployments.apps "web" is forbidden: User "system:serviceaccount:default:default" cannot get resource "deployments" in API group "apps" in the namespace "default"',
    );
  });
});

describe("kubectl in a pod's script", () => {
  test("reads names in a loop and labels each", async () => {
    const names = ["first", "second"];
    for (const name of names) {
      const containers = [{ name: "c", image: "busybox", command: ["sleep", "1000"] }];
      await create(`${CORE}/pods`, { metadata: { name, labels: { loop: "yes" } }, spec: { containers } });
    }
    const { code, log } = await script(
      "kubectl get pods -l loop=yes -o name | while read p; do kubectl label $p seen=yes; done",
    );
    expect({ code, log }).toEqual({ code: 0, log: "pod/first labeled\npod/second labeled\n" });
    const found = await call(api, "GET", `${CORE}/pods?labelSelector=seen%3Dyes`);
    expect(found.text.match(/"name":"(?:first|second)"/g)).toHaveLength(2);
  });

  test("reads and writes the files of its container", async () => {
    const { code, log } = await script(`
mkdir -p conf k && cd conf
printf a > one; printf b > two
kubectl create configmap files --from-file=. --from-file=three=one -o jsonpath='{.data}{"\\n"}'
cat > ../k/kustomization.yaml <<END
configMapGenerator:
- {name: built, literals: [x=y], options: {disableNameSuffixHash: true}}
END
kubectl apply -k ../k
kubectl kustomize ../k -o built.yaml && kubectl get -f built.yaml -o name
kubectl get cm built -o yaml | sed s/y$/z/ | kubectl replace --force -f -
echo '{"data":{"x":"w"}}' > p.json && kubectl patch cm built --patch-file p.json
kubectl create cm dry --dry-run=client -o yaml | kubectl apply -f /dev/stdin
kubectl apply -f <(kubectl create cm piped --dry-run=client -o yaml --from-file=key=<(echo bytes)); kubectl get cm piped -o jsonpath={.data.key}
kubectl delete -f 'b*.yaml'
kubectl config set-context here --namespace=kube-system >/dev/null && cat ~/.kube/config | grep namespace
ls /tmp ~/.kube
`);
    expect(log).toBe(`{"one":"a","three":"a","two":"b"}
configmap/built created
configmap/built
configmap "built" deleted from default namespace
configmap/built replaced
configmap/built patched
configmap/dry created
configmap/piped created
bytes
configmap "built" deleted from default namespace
    namespace: kube-system
/tmp:

/root/.kube:
config
`);
    expect(code).toBe(0);
  });

  test("ends with the command's code, and when its pipe is closed", async () => {
    const { log } = await script(
      "kubectl get cm absent; echo $?; kubectl get; echo $?; kubectl get ns -o yaml | head -n 1; echo ${PIPESTATUS[0]}",
    );
    expect(log).toContain('Error from server (NotFound): configmaps "absent" not found\n1\n');
    expect(log).toMatch(/\n1\napiVersion: v1\n(?:0|141)\n$/);
  });

  test("is killed when its container ends", async () => {
    const containers = [{ name: "c", image: KUBECTL, args: ["get", "pods", "--watch"] }];
    await create(`${CORE}/pods`, {
      metadata: { name: "watcher" },
      spec: { serviceAccountName: "admin", terminationGracePeriodSeconds: 1, containers },
    });
    await eventually(async () =>
      expect((await call(api, "GET", `${CORE}/pods/watcher/log`)).text).toMatch(/^watcher +1\/1/m),
    );
    expect((await call(api, "DELETE", `${CORE}/pods/watcher`)).status).toBe(200);
    await eventually(async () => expect((await call(api, "GET", `${CORE}/pods/watcher`)).status).toBe(404));
  });

  test("is anonymous without a token", async () => {
    const image = { image: KUBECTL, args: ["get", "pods"] };
    const { code, log } = await run(image, "admin", { automountServiceAccountToken: false });
    expect(log).toContain("The connection to the server localhost:8080 was refused");
    expect(code).toBe(1);
    const api = ["--server=https://kubernetes.default.svc", "--insecure-skip-tls-verify"];
    const asked = await kubectl("get", "pods", ...api);
    expect(asked).toEqual({ code: 1, log: expect.stringContaining("Please enter Username: ") });
    const refused = await kubectl("get", "pods", ...api, "--token=no-one");
    expect(refused.log).toMatch(/\nerror: You must be logged in to the server \(Unauthorized\)\n$/);
  });
});

/** Paths that are given to node:fs meanwhile, but for modules that are loaded. */
function filesLookedAt() {
  const paths: string[] = [];
  const own = join(import.meta.dirname, "../../../..");
  const undo = [fs, fs.promises].flatMap((functions) =>
    Object.entries(functions as object).flatMap(([name, real]) => {
      if (typeof real !== "function" || /^[A-Z_]/.test(name)) return [];
      const spied = function (this: unknown, ...args: readonly unknown[]): unknown {
        const [path] = args;
        if (typeof path === "string" && !path.startsWith(own)) paths.push(`${name} ${path}`);
        return Reflect.apply(real, this, args);
      };
      Object.assign(functions, { [name]: Object.assign(spied, real) });
      return [() => Object.assign(functions, { [name]: real })];
    }),
  );
  syncBuiltinESMExports();
  return {
    paths,
    [Symbol.dispose]: () => {
      for (const one of undo) one();
      syncBuiltinESMExports();
    },
  };
}

describe("kubectl in a pod's script cannot reach on this machine", () => {
  test("a file", async () => {
    const manifest = join(machine, "manifest.yaml");
    writeFileSync(manifest, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-the-machine}\n");
    expect(await kubectl("apply", "-f", "/etc/passwd")).toEqual({
      code: 1,
      log: 'error: the path "/etc/passwd" does not exist\n',
    });
    expect(await kubectl("apply", "-f", manifest)).toEqual({
      code: 1,
      log: `error: the path "${manifest}" does not exist\n`,
    });
    for (const args of [
      ["apply", "-k", machine],
      ["kustomize", machine],
      ["create", "configmap", "x", `--from-file=${manifest}`],
      ["create", "configmap", "x", `--from-env-file=${manifest}`],
      ["create", "secret", "tls", "x", `--cert=${manifest}`, `--key=${manifest}`],
      ["patch", "ns", "default", `--patch-file=${manifest}`],
      ["get", "ns", "-o", `jsonpath-file=${manifest}`],
      ["create", "--raw", "/api/v1/namespaces", "-f", manifest],
      ["get", "ns", `--certificate-authority=${manifest}`, "--server=https://kubernetes.default.svc"],
    ]) {
      const { code, log } = await kubectl(...args);
      expect({ args, code, log }).toEqual({ args, code: 1, log: expect.stringContaining("no such file or directory") });
    }
  });

  test("the existence of a file", async () => {
    using looks = filesLookedAt();
    const { code, log } = await script(`
kubectl create cm looks --from-literal=a=b && kubectl get cm looks -o yaml > looks.yaml
kubectl apply -f looks.yaml 2>/dev/null && kubectl describe cm looks >/dev/null && kubectl get -k absent
kubectl explain pods.spec >/dev/null && kubectl api-resources >/dev/null && kubectl auth can-i get pods
kubectl config set-context x && kubectl version && kubectl unknown
`);
    expect(log).toContain('unknown command "unknown"');
    expect(code).toBe(1);
    expect(looks.paths).toEqual([]);
    machineFiles.existsSync("/nowhere");
    expect(looks.paths).toEqual(["existsSync /nowhere"]);
  });

  test("a kubeconfig", async () => {
    const config = join(machine, "config");
    writeFileSync(config, "apiVersion: v1\nkind: Config\ncurrent-context: machine\n");
    const { code, log } = await kubectl("get", "ns", `--kubeconfig=${config}`);
    expect({ code, log }).toEqual({ code: 1, log: `error: stat ${config}: no such file or directory\n` });
    expect((await kubectl("config", "view", `--kubeconfig=${config}`)).log).toContain('current-context: ""');
    expect((await script("kubectl get ns --kubeconfig ~/.kube/config")).log).toBe(
      "error: stat /root/.kube/config: no such file or directory\n",
    );
    process.env["KUBECONFIG"] = config;
    try {
      expect((await kubectl("config", "current-context")).log).toBe("error: current-context is not set\n");
    } finally {
      delete process.env["KUBECONFIG"];
    }
  });

  test.each([
    ["https://example.com", "dial tcp: lookup example.com on 10.96.0.10:53: no such host"],
    ["https://192.0.2.1:6443", "dial tcp 192.0.2.1:6443: connect: network is unreachable"],
    ["http://localhost:8080", "The connection to the server localhost:8080 was refused"],
  ])("another server: %s", async (server, text) => {
    const { code, log } = await kubectl("get", "ns", `--server=${server}`, "--token=t");
    expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining(text) });
  });

  test("a port of this machine, by whatever name the API listens there", async () => {
    const { code, log } = await kubectl(
      "get",
      "ns",
      `--server=${cluster.url}`,
      "--insecure-skip-tls-verify",
      "--token=t",
    );
    expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining("was refused") });
  });

  test("a manifest on the web, or a proxy", async () => {
    const { code, log } = await kubectl("apply", "-f", "https://example.com/manifest.yaml");
    expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining("no such host") });
    const proxied = await script("HTTPS_PROXY=http://example.com:3128 kubectl get ns");
    expect(proxied.log).toContain("proxyconnect tcp: dial tcp: lookup example.com on 10.96.0.10:53: no such host");
  });

  test("a credential plugin, an editor or a plugin", async () => {
    const { log } = await script(`
mkdir -p ~/.kube && cat > ~/.kube/config <<END
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: https://kubernetes.default.svc, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ${process.execPath}, interactiveMode: Never}}}]
END
kubectl get ns
rm ~/.kube/config
kubectl create cm edited --dry-run=client -o yaml > cm.yaml
EDITOR=${process.execPath} kubectl create -f cm.yaml --edit
kubectl fetch-things
`);
    expect(log).toContain(`plugin "${process.execPath}" not allowed: policy set to "DenyAll"`);
    expect(log).toContain(`there was a problem with the editor "${process.execPath}"`);
    expect(log).toContain('error: unknown command "fetch-things" for "kubectl"');
  });

  test.each([
    [["proxy"], "proxy"],
    [["-n", "default", "port-forward", "pod/x", "8080:80"], "port-forward"],
    [["cp", "/etc/passwd", "pod:/tmp"], "cp"],
    [["edit", "cm/state"], "edit"],
    [["diff", "-f", "x"], "diff"],
    [["apply", "edit-last-applied", "cm/state"], "apply edit-last-applied"],
    [["cluster-info", "dump", "--output-directory=/tmp"], "cluster-info dump"],
    [["plugin", "list"], "plugin"],
    [["completion", "install"], "completion"],
    [["__complete", "get", ""], "__complete"],
    [["cluster", "start"], "cluster"],
    [["apiserver"], "apiserver"],
  ] as const)("the command %j", async (args, command) => {
    expect(await kubectl(...args)).toEqual({
      code: 1,
      log: `error: kubectl ${command} is not available in a simulated container\n`,
    });
  });
});
