import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { kubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { readFeatureGates } from "../../../src/cluster/apiserver/feature-gates.js";
import { type Answer, call } from "../../helpers/api-caller.js";

/** A 1.37 that emulates 1.36, with every API version on, beside a 1.37 and a 1.36. */
const STARTS = {
  emulating: { kubernetesVersion: "1.37", emulation: { version: "kube=1.36" } },
  "1.37": { kubernetesVersion: "1.37" },
  "1.36": { kubernetesVersion: "1.36" },
} as const;
type Name = keyof typeof STARTS;

const clusters = new Map<Name, Cluster>();
const warnings: string[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-emulation-"));
  await Promise.all(
    (Object.keys(STARTS) as Name[]).map(async (name) => {
      const cluster = await startCluster({
        ...STARTS[name],
        port: false,
        controllers: false,
        scheduler: false,
        storage: `files:${join(folder, name)}`,
        runtimeConfig: { "api/all": true },
        onWarning: (text) => void warnings.push(`${name}: ${text}`),
      });
      clusters.set(name, cluster);
    }),
  );
});

afterAll(async () => {
  await Promise.all([...clusters.values()].map((cluster) => cluster.close()));
  await rm(folder, { recursive: true, force: true });
});

const read = (name: Name, path: string): Promise<Answer> =>
  call((clusters.get(name) as Cluster).transport(), "GET", path);
const readJson = async (name: Name, path: string): Promise<unknown> => JSON.parse((await read(name, path)).text);

describe("a server of Kubernetes 1.37 that emulates 1.36 (K37-260)", () => {
  test("reports its version, the emulated one and the minimal compatible one at /version", async () => {
    const versions = { major: "1", minor: "37", emulationMinor: "36", minCompatibilityMinor: "35" };
    expect(await readJson("emulating", "/version")).toMatchObject({ ...versions, gitVersion: "v1.37.1+kubets" });
  });

  test("warns once at its start about the parts that are not emulated", () => {
    const ours = warnings.filter((text) => text.startsWith("emulating:") && text.includes("emulates 1.36"));
    expect(ours).toEqual([
      "emulating: the server is Kubernetes 1.37 and emulates 1.36: life cycles, feature gates, stored versions and CEL are those of 1.36; fields, schemas, texts and columns stay those of 1.37. A server that is 1.36 in everything has the kubernetesVersion 1.36 (--kubernetes-version)",
    ]);
  });

  test.each([
    ["/apis/lifecycle.k8s.io/v1alpha1", { emulating: 404, "1.37": 200, "1.36": 404 }],
    ["/apis/scheduling.k8s.io/v1beta1", { emulating: 404, "1.37": 200, "1.36": 404 }],
    ["/apis/storagemigration.k8s.io/v1", { emulating: 404, "1.37": 200, "1.36": 404 }],
    ["/apis/certificates.k8s.io/v1/clustertrustbundles", { emulating: 404, "1.37": 200, "1.36": 404 }],
    ["/apis/certificates.k8s.io/v1beta1/clustertrustbundles", { emulating: 200, "1.37": 200, "1.36": 200 }],
    // What 1.37 has removed from its code does not come back (K37-005).
    ["/apis/scheduling.k8s.io/v1alpha2", { emulating: 404, "1.37": 404, "1.36": 200 }],
  ] as const)("serves %s by the life cycle of the API (K37-263)", async (path, expected) => {
    for (const name of Object.keys(expected) as Name[])
      expect([name, (await read(name, path)).status]).toEqual([name, expected[name]]);
  });

  test("warns of the deprecations of 1.36, not of those of 1.37 (K37-006)", async () => {
    const warningOf = async (name: Name): Promise<unknown> => {
      const { headers } = await read(name, "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations");
      return [headers["warning"]].flat()[0];
    };
    expect(await warningOf("1.37")).toMatch(/is deprecated in v1.37\+/);
    expect(await warningOf("emulating")).toBeUndefined();
    expect(await warningOf("1.36")).toBeUndefined();
  });

  test("has the fields and OpenAPI schemas of 1.37", async () => {
    const hasField = async (name: Name): Promise<boolean> =>
      (await read(name, "/openapi/v3/api/v1")).text.includes('"bindMountOptions"');
    expect([await hasField("emulating"), await hasField("1.37"), await hasField("1.36")]).toEqual([true, true, false]);
  });
});

describe("the version in which a server that emulates 1.36 stores objects (K37-104)", () => {
  const MAP = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "one" },
    spec: { policyName: "nobody" },
  } as const;
  const RULE = {
    apiVersion: "resource.k8s.io/v1beta2",
    kind: "DeviceTaintRule",
    metadata: { name: "one" },
    spec: { taint: { key: "a.example.com/b", effect: "NoSchedule" } },
  } as const;
  async function storedVersion(name: Name, kind: string): Promise<unknown> {
    const all = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
    for (const file of all.filter((one) => one.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), "utf8");
      if (new RegExp(`"?kind"?: ?"?${kind}\\b`).test(text)) return /"?apiVersion"?: ?"?([\w./]+)/.exec(text)?.[1];
    }
    return undefined;
  }

  test.each([
    [MAP, { "1.36": "v1beta1", emulating: "v1beta1", "1.37": "v1" }],
    [RULE, { "1.36": "v1alpha3", emulating: "v1beta2", "1.37": "v1beta2" }],
  ] as const)("is for the kind $kind as 1.36 needs it", async (object, expected) => {
    for (const name of Object.keys(expected) as Name[]) {
      const client = kubernetesClient({ transport: () => (clusters.get(name) as Cluster).transport() });
      const resource = client.of<KubeObject & { spec: object }>(object.apiVersion, object.kind);
      const made = await resource.create(object);
      expect(made).toMatchObject({ apiVersion: object.apiVersion, spec: object.spec });
      const [group = ""] = object.apiVersion.split("/");
      expect([name, await storedVersion(name, object.kind)]).toEqual([name, `${group}/${expected[name]}`]);
      expect(await resource.get("one")).toEqual(made);
      const changed = { ...made, metadata: { ...made.metadata, labels: { a: "b" } } };
      await resource.update(changed);
      expect((await resource.list()).items[0]?.metadata.labels).toEqual({ a: "b" });
    }
  });

  test("is part of the hashes in discovery", async () => {
    const hashOf = async (name: Name): Promise<unknown> => {
      const { resources } = (await readJson(name, "/apis/admissionregistration.k8s.io/v1")) as {
        resources: { name: string; storageVersionHash?: string }[];
      };
      return resources.find((one) => one.name === "mutatingadmissionpolicies")?.storageVersionHash;
    };
    expect(await hashOf("1.37")).toBe("mHCkTKpUTrE=");
    expect(await hashOf("emulating")).toBe(await hashOf("1.36"));
    expect(await hashOf("1.36")).toBe("LYmCf+UMVdg=");
  });

  test("is newer when --min-compatibility-version says that no older server is left", async () => {
    const cluster = await startCluster({
      kubernetesVersion: "1.37",
      emulation: { minCompatibility: "1.37" },
      port: false,
      controllers: false,
      scheduler: false,
    });
    const path = "/apis/certificates.k8s.io/v1";
    const { text } = await call(cluster.transport(), "GET", path);
    await cluster.close();
    const hash = /"name":"clustertrustbundles".*?"storageVersionHash":"([^"]+)"/.exec(text)?.[1];
    expect(hash).toBeDefined();
    expect(hash).not.toBe(
      /"name":"clustertrustbundles".*?"storageVersionHash":"([^"]+)"/.exec((await read("1.37", path)).text)?.[1],
    );
  });
});

test.each([
  ["1.37", { version: "1.35" }, "emulation version 1.35 is not between [1.36, 1.37]"],
  ["1.36", { version: "1.37" }, "emulation version 1.37 is not between [1.36, 1.36]"],
  ["1.37", { version: "kube=1.36.1" }, "patch version not allowed, got: kube=1.36.1"],
  ["1.37", { version: "wardle=1.36" }, "component not registered: wardle"],
  ["1.37", { version: "1.36,1.37" }, "duplicate version flag, kube=1.36 and kube=1.37"],
  [
    "1.37",
    { version: "1.36", minCompatibility: "1.37" },
    "minCompatibilityVersion version 1.37 is not between [1.31, 1.36]",
  ],
  [
    "1.37",
    { forwardCompatible: true },
    "ServerRunOptions.EmulationForwardCompatible cannot be set to true if the emulation version is the same as the binary version",
  ],
])("a server of %s with the emulation options %j does not start: %s", async (kubernetesVersion, emulation, message) => {
  await expect(startCluster({ kubernetesVersion, emulation, port: false })).rejects.toThrow(message);
});

describe("API versions that came after the emulated Kubernetes version", () => {
  const start = (emulation: object, runtimeConfig: Readonly<Record<string, boolean>>): Promise<Cluster> =>
    startCluster({
      kubernetesVersion: "1.37",
      emulation: { version: "1.36", ...emulation },
      port: false,
      controllers: false,
      scheduler: false,
      runtimeConfig,
    });

  test("are refused when --runtime-config names them", async () => {
    await expect(start({}, { "scheduling.k8s.io/v1beta1": true })).rejects.toThrow(
      "cannot enable version scheduling.k8s.io/v1beta1 in runtime-config because all the resources have been introduced after the current version 1.36. Consider setting --runtime-config-emulation-forward-compatible=true",
    );
  });

  test.each([
    [{ runtimeConfigForwardCompatible: true }, { "scheduling.k8s.io/v1beta1": true }, "scheduling.k8s.io/v1beta1"],
    [{ forwardCompatible: true }, { "storagemigration.k8s.io/v1beta1": true }, "storagemigration.k8s.io/v1"],
  ])("are served with the emulation options %j", async (emulation, runtimeConfig, groupVersion) => {
    const cluster = await start(emulation, runtimeConfig);
    const { status } = await call(cluster.transport(), "GET", `/apis/${groupVersion}`);
    await cluster.close();
    expect(status).toBe(200);
  });
});

test("a feature gate that came after the emulated Kubernetes version cannot be set (K37-080)", () => {
  const { faults } = readFeatureGates(["EmptyDirVolumeMode=true"], {
    kubernetesVersion: "1.37",
    emulation: { version: "1.36" },
  });
  expect(faults).toEqual([
    "cannot set feature gate EmptyDirVolumeMode to true, feature is PreAlpha at emulated version 1.36, min compatibility version 1.35",
  ]);
  expect(readFeatureGates(["EmptyDirVolumeMode=true"], { kubernetesVersion: "1.37" }).faults).toEqual([]);
});

test.each([
  [{ version: "1.36" }, 422],
  [{ minCompatibility: "1.36" }, 422],
  [{ minCompatibility: "1.37" }, 201],
])(
  "a new CEL rule that uses functions of 1.37, with the emulation %j, is answered %i (K37-240)",
  async (emulation, expected) => {
    const cluster = await startCluster({
      kubernetesVersion: "1.37",
      emulation,
      port: false,
      controllers: false,
      scheduler: false,
    });
    const tags = { type: "array", maxItems: 3, items: { type: "string", maxLength: 5 } };
    const rules = [{ rule: 'self.tags.includes("a")', message: "it has no tag a" }];
    const { status, text } = await call(
      cluster.transport(),
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      {
        metadata: { name: "lamps.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "lamps", kind: "Lamp" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: {
                    spec: {
                      type: "object",
                      required: ["tags"],
                      properties: { tags },
                      "x-kubernetes-validations": rules,
                    },
                  },
                },
              },
            },
          ],
        },
      },
    );
    await cluster.close();
    expect(status, text).toBe(expected);
    if (expected === 422) expect(text).toContain("undeclared reference to 'includes'");
  },
);
