import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { API_SERVICES } from "../../helpers/aggregated-backend.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion: { readonly version: string };
}

let cluster: Cluster;
let api: Transport;
beforeAll(async () => {
  cluster = await startCluster({ ...quietCluster, port: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

/** Creates the APIService of a server that nobody has started. */
async function register(group: string, version: string, groupPriority: number, versionPriority = 10): Promise<void> {
  const created = await call(api, "POST", API_SERVICES, {
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: groupPriority,
      versionPriority,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "nobody" },
    },
  });
  expect(created.status, created.text).toBe(201);
}

const groups = async (): Promise<Group[]> => JSON.parse((await call(api, "GET", "/apis")).text).groups;

/** The names of the groups, in the order of the aggregated discovery. */
const aggregated = async (): Promise<string[]> =>
  JSON.parse((await call(api, "GET", "/apis", undefined, { accept: AGGREGATED })).text).items.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  );

const listed = (group: string) =>
  eventually(async () => expect((await groups()).map(({ name }) => name)).toContain(group));

/** The versions of a group, preferred first, as `/apis/<group>` has them. */
async function versionsOf(group: string): Promise<string[]> {
  const { versions, preferredVersion } = JSON.parse((await call(api, "GET", `/apis/${group}`)).text) as Group;
  expect(preferredVersion).toEqual(versions[0]);
  return versions.map(({ version }) => version);
}

test("T9, A-APS-05, A-APS-10, DISC-1, C-AGG-06: groups stand in the order of their highest priorities, then of their names, behind the aggregator's own", async () => {
  await install(api, boxDefinition("defined.example.com", [versionOf("v1", {})]));
  await register("b.tie.example.com", "v1", 1500);
  await register("a.tie.example.com", "v1", 1500);
  await register("paas.example.com", "v1", 2000);
  await register("highest.example.com", "v1", 10);
  await register("highest.example.com", "v2", 2500);
  await register("front.example.com", "v1", 20_000);
  await listed("front.example.com");
  await listed("defined.example.com");
  const names = (await groups()).map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(["apiregistration.k8s.io", "front.example.com", "apps"]);
  expect(names.slice(names.indexOf("highest.example.com"))).toEqual([
    "highest.example.com",
    "paas.example.com",
    "a.tie.example.com",
    "b.tie.example.com",
    "defined.example.com",
  ]);
  expect(names).not.toContain("");
  expect(await aggregated()).toEqual(names);
  expect((await call(api, "GET", "/apis/")).text).toBe((await call(api, "GET", "/apis")).text);
  const paths = (await call(api, "GET", "/")).at("paths") as string[];
  expect(paths).toContain("/apis");
  expect(paths).not.toContain("/apis/");
});

test("T9, A-APS-06, DISC-2: the version of the highest priority is preferred, whatever its name", async () => {
  await register("preferred.example.com", "v2", 1200, 5);
  await register("preferred.example.com", "v1alpha1", 1200, 20);
  await listed("preferred.example.com");
  await eventually(async () => expect(await versionsOf("preferred.example.com")).toEqual(["v1alpha1", "v2"]));
  expect(await versionsOf("autoscaling")).toEqual(["v2", "v1"]);
});

test("T9, A-APS-07, AGG-3: versions of one priority stand in the order of Kubernetes' versions", async () => {
  const ordered = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  for (const version of ordered.toSorted()) await register("ordered.example.com", version, 1200);
  await eventually(async () => expect(await versionsOf("ordered.example.com")).toEqual(ordered));
});

test("DISC-3: the list of resources of apps/v1 has what the source texts show", async () => {
  const { kind, apiVersion, groupVersion, resources } = JSON.parse((await call(api, "GET", "/apis/apps/v1")).text);
  expect([kind, apiVersion, groupVersion]).toEqual(["APIResourceList", "v1", "apps/v1"]);
  expect(resources).toEqual(
    expect.arrayContaining([
      {
        name: "daemonsets",
        singularName: "daemonset",
        namespaced: true,
        kind: "DaemonSet",
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        shortNames: ["ds"],
        categories: ["all"],
        storageVersionHash: "dd7pWHUlMKQ=",
      },
    ]),
  );
});
