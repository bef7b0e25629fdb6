import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { releaseOf, SERVED_VERSIONS } from "../../../src/api/facts/index.js";
import { featureGatesOf, serverGates } from "../../../src/api/gates/feature-gates.js";
import { FIELDS_BEHIND_GATES, GATES_OF_FIELDS } from "../../../src/api/gates/fields-behind-gates.js";
import { GatedFields, together, under } from "../../../src/api/gates/gated-fields.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { gatesWithoutEffect } from "../../../src/cluster/apiserver/feature-gates.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";

const off = { enabled: () => false };

describe("fields that need a feature gate", () => {
  const fields = new GatedFields(
    together({ A: ["list[].one|other.field", "map{}.field"], B: "holder?.field" }, under("deep", { A: "field" })),
  );
  const full = () => ({
    list: [{ one: { field: 1, kept: 1 } }, { other: { field: 1 } }, null],
    map: { x: { field: 1 } },
    holder: { field: 1 },
    deep: { field: 1 },
  });

  test("are dropped from a new object while their gate is off, with parents that become empty", () => {
    const draft = full();
    fields.dropOfNew(draft, off);
    expect(draft).toEqual({ list: [{ one: { kept: 1 } }, { other: {} }, null], map: { x: {} }, deep: {} });
    const holder = { holder: { field: 1, kept: 1 } };
    fields.dropOfNew(holder, off);
    expect(holder).toEqual({ holder: { kept: 1 } });
  });

  test("are kept while their gate is on", () => {
    const draft = full();
    fields.dropOfNew(draft, { enabled: (name) => name === "A" });
    const { holder: _, ...others } = full();
    expect(draft).toEqual(others);
  });

  test("are kept while the gate is off when the old object already has such a field", () => {
    const draft = full();
    fields.drop(draft, { map: { y: { field: 2 } } }, off, "others");
    const { holder: _, ...others } = full();
    expect(draft).toEqual(others);
  });

  test("are dropped only from the part (spec or status) that a write changes", () => {
    const both = new GatedFields({ A: ["spec.field", "status.field"] });
    const draft = () => ({ spec: { field: 1 }, status: { field: 1 } });
    const [others, status] = [draft(), draft()];
    both.drop(others, {}, off, "others");
    both.drop(status, {}, off, "status");
    expect(others).toEqual({ spec: {}, status: { field: 1 } });
    expect(status).toEqual({ spec: { field: 1 }, status: {} });
  });
});

test("K37-264: a field's feature gate follows the Kubernetes version, the user's setting, and the gate of its whole stage", () => {
  expect(serverGates("1.36").enabled("HPAScaleToZero")).toBe(false);
  expect(serverGates("1.37").enabled("HPAScaleToZero")).toBe(true);
  expect(serverGates("1.37", { HPAScaleToZero: false }).enabled("HPAScaleToZero")).toBe(false);
  expect(serverGates("1.36", { H2CContainerProbe: true }).enabled("NoSuchGate")).toBe(false);
  const alphas = serverGates("1.37", { AllAlpha: true, EmptyDirVolumeMode: false });
  expect(alphas.enabled("H2CContainerProbe")).toBe(true);
  expect(alphas.enabled("EmptyDirVolumeMode")).toBe(false);
  expect(alphas.enabled("GenericWorkload")).toBe(false);
});

/** All fields of a resource's table, each as an object that has this field alone. */
function objectsOf(resource: string): readonly (readonly [path: string, gate: string, object: object])[] {
  return Object.entries(FIELDS_BEHIND_GATES[resource] ?? {}).flatMap(([gate, paths]) =>
    [paths]
      .flat()
      .flatMap(alternatives)
      .map((path) => [path, gate, objectWith(path.split("."))] as const),
  );
}

function alternatives(path: string): readonly string[] {
  return path.split(".").reduce<readonly string[]>(
    (paths, step) => {
      const [, names = "", mark = ""] = /^([^[{?]+)(.*)$/.exec(step) ?? [];
      return paths.flatMap((before) => names.split("|").map((name) => `${before}${before && "."}${name}${mark}`));
    },
    [""],
  );
}

function objectWith([step = "", ...rest]: readonly string[]): object {
  const inner = rest.length === 0 ? "set" : objectWith(rest);
  if (step.endsWith("[]")) return { [step.slice(0, -2)]: [inner] };
  if (step.endsWith("{}")) return { [step.slice(0, -2)]: { key: inner } };
  return { [step.replace("?", "")]: inner };
}

describe.each(Object.keys(FIELDS_BEHIND_GATES))("a field of %s that needs a feature gate", (resource) => {
  test.each(objectsOf(resource))(
    "%s is dropped while its gate %s is off, unless the old object has it",
    async (path, gate, object) => {
      const [group = "", name = ""] = resource.split("/");
      const { strategy } = builtinRecord(group, name) ?? {};
      const release = await releaseOf("1.37");
      const isStatus = path.startsWith("status.");
      const write = (old: KubeObject | undefined, enabled: boolean): object => {
        const draft = structuredClone(object) as KubeObject;
        const context = {
          release,
          gates: { enabled: (one: string) => one !== gate || enabled },
          now: 0,
          warn: () => {},
        };
        const args = [context as unknown as StrategyContext] as const;
        if (old === undefined) strategy?.prepareForCreate?.(draft, ...args);
        else if (isStatus) strategy?.prepareForStatusUpdate?.(draft, old, ...args);
        else strategy?.prepareForUpdate?.(draft, old, ...args);
        return draft;
      };
      const has = (draft: object): boolean => JSON.stringify(draft).includes('"set"');
      expect(has(write({}, false))).toBe(false);
      expect(has(write(structuredClone(object) as KubeObject, false))).toBe(true);
      expect(has(write({}, true))).toBe(true);
      if (!isStatus) expect([has(write(undefined, false)), has(write(undefined, true))]).toEqual([false, true]);
    },
  );
});

/** Fields that are marked with a gate and that are not in the table, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "CompositePodGroup compositePodGroupTemplates": "refused by its rule: a workload would have no templates without it",
  "ContainerStopSignals stopSignal":
    "the status of containers, which kubelets write; lifecycle.stopSignal is in the table",
  "CoordinatedLeaderElection preferredHolder": "as Kubernetes 1.36 was served before",
  "CoordinatedLeaderElection strategy": "as Kubernetes 1.36 was served before",
  "CrossNamespaceVolumeDataSource namespace": "claims drop the whole source: alignDataSources",
  "DRAListTypeAttributes bools": "as Kubernetes 1.36 was served before",
  "DRAListTypeAttributes ints": "as Kubernetes 1.36 was served before",
  "DRAListTypeAttributes strings": "as Kubernetes 1.36 was served before",
  "DRAListTypeAttributes versions": "as Kubernetes 1.36 was served before",
  "DRANodeAllocatableResources nodeAllocatableResourceMappings":
    "as Kubernetes 1.36 was served before; 1.37 has another field",
  "ImageVolumeWithDigest image": "the status of volumes, which kubelets write",
  "PodLogsQuerySplitStreams stream": "an option of a request",
  "ShardedListAndWatch shardInfo": "the answer to an option of a request",
  "ShardedListAndWatch shardSelector": "an option of a request",
  "WorkloadAwarePreemption disruptionMode": "as Kubernetes 1.36 was served before",
  "WorkloadAwarePreemption priority": "as Kubernetes 1.36 was served before",
  "WorkloadAwarePreemption priorityClassName": "as Kubernetes 1.36 was served before",
};

interface GoTypes {
  readonly types: Record<
    string,
    { readonly fields?: readonly { readonly json?: string; readonly markers?: readonly string[] }[] }
  >;
}

test.each(SERVED_VERSIONS)(
  "every field that k8s.io/api %s marks with a disabled feature gate is in our table of gated fields",
  (version) => {
    const file = new URL(`../../../tools/api-data/kubernetes-${version}-go-types.json.gz`, import.meta.url);
    const { types } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as GoTypes;
    const gates = featureGatesOf(version);
    const marked = Object.values(types).flatMap(({ fields = [] }) =>
      fields.flatMap(({ json = "", markers = [] }) =>
        markers
          .filter((mark) => mark.startsWith("featureGate="))
          .flatMap((mark) => mark.slice("featureGate=".length).split(","))
          .filter((gate) => gates.get(gate)?.enabled === false)
          .map((gate) => `${gate} ${json}`),
      ),
    );
    const listed = new Set(
      Object.values(FIELDS_BEHIND_GATES).flatMap((fields) =>
        Object.entries(fields).flatMap(([gate, paths]) =>
          [paths].flat().map((path) => `${gate} ${path.slice(path.lastIndexOf(".") + 1)}`),
        ),
      ),
    );
    const missing = [...new Set(marked)].filter((field) => !listed.has(field) && !Object.hasOwn(ELSEWHERE, field));
    expect(missing.sort()).toEqual([]);
  },
);

test("every feature gate that our code asks for exists, and kubets apiserver does not report it as without effect", () => {
  const src = new URL("../../../src", import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const asked = files.flatMap((path) => {
    const text = readFileSync(join(fileURLToPath(src), path), "utf8");
    return [...text.matchAll(/(?:\bgates\??\.enabled\(|hasGeneration: )"(\w+)"/g)].map(([, name = ""]) => name);
  });
  expect(asked.length).toBeGreaterThan(4);
  for (const name of [...asked, ...GATES_OF_FIELDS]) {
    const version = SERVED_VERSIONS.find((one) => featureGatesOf(one).has(name));
    expect(version, name).toBeDefined();
    const gate = featureGatesOf(version ?? "").get(name);
    const entries = gate?.locked === true ? [] : [`${name}=${String(gate?.enabled !== true)}`];
    expect(gatesWithoutEffect(entries, version === undefined ? {} : { kubernetesVersion: version }), name).toEqual([]);
  }
});

test("every feature gate in our table of gated fields exists in a served Kubernetes version", () => {
  const known = new Set(SERVED_VERSIONS.flatMap((version) => [...featureGatesOf(version).keys()]));
  expect(GATES_OF_FIELDS.filter((gate) => !known.has(gate))).toEqual([]);
});
