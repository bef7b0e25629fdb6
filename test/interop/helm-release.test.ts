import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { fieldOwners } from "../helpers/field-owners.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { realTool } from "../helpers/real-tools.js";
import { type RealHelm, realHelm } from "../helpers/run-real-helm.js";

const { missing } = realTool("helm");
if (missing !== undefined) process.stdout.write(`helm interop is skipped: ${missing}\n`);

const CHART = join(import.meta.dirname, "release-chart");
const NAMESPACE = "shop";

/** Where the chart's objects are, by "<plural>/<name>"; the release's own name stands for "store". */
const PATHS: Readonly<Record<string, string>> = {
  configmaps: "/api/v1",
  secrets: "/api/v1",
  services: "/api/v1",
  serviceaccounts: "/api/v1",
  deployments: "/apis/apps/v1",
  statefulsets: "/apis/apps/v1",
  cronjobs: "/apis/batch/v1",
  poddisruptionbudgets: "/apis/policy/v1",
  horizontalpodautoscalers: "/apis/autoscaling/v2",
  ingresses: "/apis/networking.k8s.io/v1",
  networkpolicies: "/apis/networking.k8s.io/v1",
  roles: "/apis/rbac.authorization.k8s.io/v1",
  rolebindings: "/apis/rbac.authorization.k8s.io/v1",
};

const ALWAYS = [
  "configmaps/store",
  "configmaps/store-after",
  "configmaps/store-before",
  "cronjobs/store",
  "deployments/store",
  "horizontalpodautoscalers/store",
  "poddisruptionbudgets/store",
  "rolebindings/store",
  "roles/store",
  "secrets/store",
  "serviceaccounts/store",
  "services/store",
  "statefulsets/store-db",
];

describe.skipIf(missing !== undefined)("helm 4.3.1 with server-side apply, on a release", () => {
  let cluster: Cluster;
  let api: Transport;
  let helm: RealHelm;

  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster });
    api = cluster.transport();
    helm = await realHelm(cluster);
  });
  afterAll(async () => {
    await helm?.[Symbol.asyncDispose]();
    await cluster.close();
  });

  const pathOf = (plural: string) => `${PATHS[plural]}/namespaces/${NAMESPACE}/${plural}`;
  const get = async (where: string): Promise<KubeObject> => {
    const [plural = "", name = ""] = where.split("/");
    return JSON.parse((await call(api, "GET", `${pathOf(plural)}/${name}`)).text) as KubeObject;
  };
  /** What there is in the release's namespace, without what every namespace has and helm's own records. */
  const objects = async (): Promise<readonly string[]> => {
    const found = Object.keys(PATHS).map(async (plural) => {
      const { items } = JSON.parse((await call(api, "GET", pathOf(plural))).text) as { items: KubeObject[] };
      return items.map(({ metadata }) => `${plural}/${metadata?.name}`);
    });
    const own = /^(configmaps\/kube-root-ca\.crt|serviceaccounts\/default|secrets\/sh\.helm\..*)$/;
    return (await Promise.all(found))
      .flat()
      .filter((name) => !own.test(name))
      .toSorted();
  };
  const here = ["--namespace", NAMESPACE];
  const upgrade = (...flags: readonly string[]) => helm.run("upgrade", "store", CHART, ...here, ...flags);
  const history = async () => {
    const text = await helm.ok("history", "store", ...here, "--output", "json");
    return (JSON.parse(text) as { revision: number; status: string }[]).map(
      ({ revision, status }) => `${revision} ${status}`,
    );
  };
  const data = async (name: string) => (await get(`configmaps/${name}`))["data"];

  test("installs every kind, runs the hooks before and after, and leaves what a hook leaves", async () => {
    const answer = await helm.ok("install", "store", CHART, ...here, "--create-namespace");
    expect(answer).toContain("STATUS: deployed\nREVISION: 1\n");
    // store-passing was there, and went when it had succeeded.
    expect(await objects()).toEqual([...ALWAYS, "ingresses/store"].toSorted());
    expect(await data("store-before")).toEqual({ revision: "1" });
    const { status } = await call(api, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/store");
    expect(status).toBe(200);
    expect(await history()).toEqual(["1 deployed"]);
    expect(await helm.run("install", "store", CHART, ...here)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "Error: INSTALLATION FAILED: release name check failed: cannot reuse a name",
      ) as string,
    });
  });

  test("owns the fields of its chart by apply", async () => {
    const service = await get("services/store");
    expect(service).toMatchObject({ spec: { type: "ClusterIP", ports: [{ name: "http", port: 80 }] } });
    expect(service.metadata?.labels).toEqual({ "app.kubernetes.io/managed-by": "Helm" });
    expect(fieldOwners(service)).toEqual([
      `Apply helm ${JSON.stringify({
        "f:metadata": {
          "f:annotations": { "f:meta.helm.sh/release-name": {}, "f:meta.helm.sh/release-namespace": {} },
          "f:labels": { "f:app.kubernetes.io/managed-by": {} },
        },
        "f:spec": {
          "f:ports": {
            'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {}, "f:port": {}, "f:targetPort": {} },
          },
          "f:selector": {},
        },
      })}`,
    ]);
  });

  test("upgrades: adds, changes and removes fields and objects", async () => {
    const { code, stdout } = await upgrade("--set", "debug=true,ingress=false,image=nginx:1.28");
    expect([code, stdout.split("\n")[0]]).toEqual([0, 'Release "store" has been upgraded. Happy Helming!']);
    expect(await objects()).toEqual([...ALWAYS, "networkpolicies/store"].toSorted());
    expect(await data("store")).toEqual({ image: "nginx:1.28", debug: "true" });
    expect(await get("deployments/store")).toMatchObject({
      metadata: { generation: 2 },
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: "nginx:1.28",
                env: [
                  { name: "MODE", value: "shop" },
                  { name: "DEBUG", value: "1" },
                ],
              },
            ],
          },
        },
      },
    });
    expect([await data("store-before"), await data("store-after")]).toEqual([{ revision: "2" }, { revision: "2" }]);
    expect(await history()).toEqual(["1 superseded", "2 deployed"]);
  });

  test("fails an upgrade that the server refuses, and leaves the release as it was", async () => {
    const refused = await upgrade("--set", "brokenService=true");
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(
        'Error: UPGRADE FAILED: server-side apply failed for object shop/store /v1, Kind=Service: Service "store" is invalid: spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive\n',
      ) as string,
    });
    const hook = await upgrade("--set", "failingHook=true");
    expect([hook.code, hook.stderr]).toEqual([
      1,
      expect.stringContaining(
        `server-side apply failed for object shop/store-after /v1, Kind=ConfigMap: ConfigMap "store-after" is invalid: data[bad key]: Invalid value: "bad key": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
      ),
    ]);
    expect(await history()).toEqual(["1 superseded", "2 deployed", "3 failed", "4 failed"]);
  });

  test("rolls back to the objects of the installation", async () => {
    expect(await helm.ok("rollback", "store", "1", ...here)).toBe("Rollback was a success! Happy Helming!\n");
    expect(await objects()).toEqual([...ALWAYS, "ingresses/store"].toSorted());
    expect(await data("store")).toEqual({ image: "nginx:1.27", quiet: "true" });
    expect(await get("deployments/store")).toHaveProperty("spec.template.spec.containers.0.env", [
      { name: "MODE", value: "shop" },
    ]);
    expect(await data("store-after")).toEqual({ revision: "1" });
    expect((await history()).at(-1)).toBe("5 deployed");
  });

  test("reports a field that another client changed as a conflict, and takes it over by force", async () => {
    const scale = { spec: { replicas: 7 } };
    const path = `${pathOf("deployments")}/store/scale?fieldManager=operator`;
    await call(api, "PATCH", path, scale, { type: "application/merge-patch+json" });
    expect(await upgrade()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Error: UPGRADE FAILED: conflict occurred while applying object shop/store apps/v1, Kind=Deployment: Apply failed with 1 conflict: conflict with "operator" with subresource "scale" using apps/v1: .spec.replicas\n',
      ) as string,
    });
    expect((await upgrade("--force-conflicts")).code).toBe(0);
    expect(await get("deployments/store")).toHaveProperty("spec.replicas", 2);
  });

  test("uninstalls with --wait all but kept objects and hooks without a deletion policy", async () => {
    expect(await helm.ok("uninstall", "store", ...here, "--wait", "--timeout", "30s")).toBe(
      'These resources were kept due to the resource policy:\n[Secret] store\n\nrelease "store" uninstalled\n',
    );
    expect(await objects()).toEqual(["configmaps/store-after", "configmaps/store-before", "secrets/store"]);
    expect(await helm.run("history", "store", ...here)).toMatchObject({
      code: 1,
      stderr: "Error: release: not found\n",
    });
  });

  test("K37-221: waits with install --wait until the workloads are ready", async () => {
    const flags = ["--namespace", "ready", "--create-namespace", "--wait", "--timeout", "40s"];
    const installing = helm.run("install", "waited", CHART, ...flags);
    const workloads = "/apis/apps/v1/namespaces/ready";
    const ready = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    const conditions = [
      { type: "Available", status: "True" },
      { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
    ];
    const statuses = {
      "deployments/waited": { ...ready, conditions },
      "statefulsets/waited-db": {
        ...ready,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        currentReplicas: 1,
      },
    };
    for (const [name, status] of Object.entries(statuses)) {
      await eventually(async () => {
        const path = `${workloads}/${name}/status`;
        const answer = await call(api, "PATCH", path, { status }, { type: "application/merge-patch+json" });
        expect(answer.status).toBe(200);
      });
    }
    const { code, stdout, stderr } = await installing;
    // helm ends its own watches when it is done, and client-go warns of one that ends in the middle of an event.
    expect([code, stderr.replace(/^[IW]\d{4} .*context canceled.*\n/gm, "")]).toEqual([0, ""]);
    expect(stdout).toContain("STATUS: deployed\n");
    expect(await helm.ok("uninstall", "waited", "--namespace", "ready", "--keep-history")).toContain("uninstalled\n");
    const kept = JSON.parse(await helm.ok("history", "waited", "--namespace", "ready", "--output", "json")) as object[];
    expect(kept).toMatchObject([{ revision: 1, status: "uninstalled" }]);
  });

  test("installs by upgrade --install, and a later client-side upgrade changes the release too", async () => {
    const flags = ["--namespace", "sides", "--create-namespace"];
    expect(await helm.ok("upgrade", "--install", "sides", CHART, ...flags)).toContain("STATUS: deployed\n");
    await helm.ok("upgrade", "sides", CHART, ...flags, "--server-side=false", "--set", "debug=true");
    const { text } = await call(api, "GET", "/api/v1/namespaces/sides/configmaps/sides");
    const map = JSON.parse(text) as KubeObject;
    expect(map["data"]).toEqual({ image: "nginx:1.27", debug: "true" });
    expect(fieldOwners(map).map((entry) => entry.split(" ", 2).join(" "))).toEqual(["Apply helm", "Update helm"]);
  });
});
