import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapFlowControl } from "../../src/api/bootstrap/flow-control.js";
import { SERVED_VERSIONS } from "../../src/api/facts/index.js";
import { dataOfVersion } from "../../tools/api-facts/facts-of-version.mjs";
import { dataWithFacts, readVersionData, versionBefore } from "../../tools/api-facts/version-data.mjs";
import { report } from "../../tools/next-version/report.js";
import { undecided } from "../../tools/next-version/undecided.js";
import type { FlowControlObject, GoField, Line, VersionData } from "../../tools/next-version/version-data.js";

const root = join(import.meta.dirname, "../..");
const served = (version: string): VersionData => readVersionData(join(root, "tools/api-data"), version);

test.each(SERVED_VERSIONS.slice(0, -1))("every change of Kubernetes %s has a recorded decision", async (version) => {
  const [next, before] = [served(version), served(versionBefore(version) ?? "")];
  const lines = await undecided({ next, before, root });
  expect(lines, report(next, before, lines)).toEqual([]);
});

const V1 = "io.k8s.api.core.v1";
const text = (json: string, ...markers: string[]): GoField => ({ type: "string", json, markers });

/** 1.37 with what a version may bring. */
function madeUp(): VersionData {
  const { openApi, go } = dataOfVersion("1.37");
  const types = go.types as Record<string, { readonly markers: readonly string[]; readonly fields: GoField[] }>;
  const addField = (type: string, field: GoField): void => {
    types[type]?.fields.push(field);
    (openApi.definitions[type] ??= {}).properties ??= {};
    Object.assign(openApi.definitions[type]?.properties ?? {}, { [field.json ?? ""]: { type: "string" } });
  };
  const fieldOf = (type: string, json: string) => types[type]?.fields.find((field) => field.json === json);
  const setMarkers = (type: string, json: string, change: (markers: readonly string[]) => readonly string[]): void => {
    const field = fieldOf(type, json);
    Object.assign(field ?? {}, { markers: change(field?.markers ?? []) });
  };
  const meta: GoField[] = [
    { type: "metav1.TypeMeta", inline: true },
    { type: "metav1.ObjectMeta", json: "metadata" },
  ];
  types["io.k8s.api.apps.v1.Gadget"] = { markers: [], fields: [...meta, text("wheel", "k8s:maxLength=8")] };
  Object.assign(openApi.definitions, {
    "io.k8s.api.apps.v1.Gadget": {
      properties: { apiVersion: {}, kind: {}, metadata: {}, wheel: { type: "string" } },
      "x-kubernetes-group-version-kind": [{ group: "apps", version: "v1", kind: "Gadget" }],
    },
  });
  const gadgets = { groupVersion: "apps/v1", plural: "gadgets", kind: "Gadget", namespaced: true };
  openApi.resources.push({ ...gadgets, verbs: ["create", "get"], subresources: {} });
  const at = openApi.resources.findIndex(
    (one) => one["plural"] === "leasecandidates" && one["groupVersion"] === "coordination.k8s.io/v1alpha2",
  );
  openApi.resources.splice(at, 1);
  const leases = openApi.resources.find((one) => one["plural"] === "leases");
  Object.assign(leases ?? {}, { verbs: ["create", "get"] });

  addField(`${V1}.PodSpec`, text("wheels", "k8s:maxLength=8", "featureGate=Wheels"));
  addField(`${V1}.PodSpec`, text("spokes"));
  addField(`${V1}.PodSpec`, text("priorityClassNames", 'k8s:beta(since: "1.38")=+k8s:customValidation'));
  setMarkers(`${V1}.ContainerPort`, "protocol", () => ["default=ref(ProtocolUDP)"]);
  setMarkers("io.k8s.api.storage.v1.StorageClass", "provisioner", (old) => [...old, "k8s:maxLength=5"]);
  setMarkers("io.k8s.api.storage.v1.StorageClass", "parameters", (old) =>
    old.filter((mark) => !mark.endsWith("k8s:immutable")),
  );
  setMarkers("io.k8s.api.node.v1.RuntimeClass", "handler", (old) => [...old, "k8s:update=NoUnset"]);
  setMarkers(`${V1}.VolumeMount`, "bindMountOptions", () => []);
  Object.assign(types["io.k8s.api.apps.v1.Deployment"] ?? {}, {
    markers: ["k8s:prerelease-lifecycle-gen:deprecated=1.38"],
  });
  (go.values as Record<string, string[]>)[`${V1}.Protocol`]?.push("WARP");
  const objects = bootstrapFlowControl() as unknown as readonly FlowControlObject[];
  return dataWithFacts({
    version: "1.38",
    openApi,
    go,
    gates: {
      ...served("1.37").gates,
      Wheels: [{ version: "1.38", stage: "ALPHA", default: false }],
      HPAScaleToZero: [{ version: "1.38", stage: "GA", default: true, locked: true }],
    },
    components: {
      flags: {
        "kube-apiserver": {
          "wheel-count": { type: "int", default: "4" },
          profiling: { type: "bool", default: "maybe" },
        },
      },
      metrics: {
        "kube-scheduler": { scheduler_wheels_total: { type: "counter", stability: "ALPHA", labels: ["wheel"] } },
      },
      flowControl: [...objects, { kind: "FlowSchema", metadata: { name: "wheels" }, spec: {} }],
    },
  });
}

describe("comparing the data of a Kubernetes version that is not served yet", () => {
  let [next, before, lines]: [VersionData, VersionData, readonly Line[]] = [] as never;
  beforeAll(async () => {
    [next, before] = [madeUp(), served("1.37")];
    const decisions = { "1.38": [{ reason: "None is needed.", of: ["core.PodSpec.spokes", "core.PodSpec.hubs"] }] };
    lines = await undecided({ next, before, root, decisions });
  });

  test.each([
    ["a resource", "kinds", "apps/v1 gadgets", "new resource Gadget (create get)"],
    ["a resource without a record", "kinds", "apps/gadgets record", "no record: marks tell 1 rules"],
    ["a version that is gone", "kinds", "coordination.k8s.io/v1alpha2 leasecandidates", "gone, as its life cycle told"],
    ["a verb that is gone", "kinds", "coordination.k8s.io/v1 leases verb -list", "verb -list"],
    ["a field", "fields", "core.PodSpec.wheels new, of type string", "new, of type string"],
    ["a rule of a new field", "fields", "core.PodSpec.wheels maxLength=8", "maxLength=8 (STABLE): no rule here"],
    ["a field behind a gate", "fields", "core.PodSpec.wheels featureGate=Wheels", "nothing drops it"],
    [
      "a rule that cannot be tried",
      "fields",
      "core.PodSpec.priorityClassNames customValidation",
      "look whether there is a rule",
    ],
    ["a value of an enum", "fields", "core.Protocol WARP", "new value, which we refuse"],
    ["a default", "marks", 'core.ContainerPort.protocol default "TCP" -> "UDP"', "default"],
    ["a rule of a field that stays", "marks", "storage.StorageClass.provisioner maxLength=5", "no rule here"],
    ["a rule that is gone", "marks", "storage.StorageClass.parameters -immutable", "immutable is gone; we obey it"],
    ["a gate", "gates", "Wheels row", "new: ALPHA off"],
    ["a gate that changed", "gates", "HPAScaleToZero row", "BETA on -> GA on locked"],
    [
      "a gate that fields left",
      "gates",
      "VolumeBindMountOptions marks",
      "core.VolumeMount.bindMountOptions: it may be stable",
    ],
    ["a field without a description", "texts", "core.PodSpec description", "no description of wheels, spokes"],
    ["a warning", "texts", "apps/v1 deployments warning", "apps/v1 Deployment is deprecated in v1.38+"],
    ["a flag", "components", "kube-apiserver --wheel-count", "no such flag here: int, default 4"],
    ["a default of a flag", "components", "kube-apiserver --profiling", "default true -> maybe"],
    ["a metric", "components", "kube-scheduler scheduler_wheels_total", "no such metric here: counter"],
    ["an object of priority and fairness", "components", "FlowSchema wheels", "new"],
    ["a decision that nothing asks for", "decisions", "core.PodSpec.hubs", "no line has this id"],
  ])("lists %s", (_what, section, id, told) => {
    const found = lines.filter((line) => line.id === id && line.section === section);
    expect(found, lines.map((line) => line.id).join("\n")).toHaveLength(1);
    expect(found[0]?.text).toContain(told);
    expect(found[0]?.where).not.toBe("");
  });

  test.each([
    ["what is decided", "core.PodSpec.spokes"],
    ["a rule that we obey", "node.RuntimeClass.handler update=NoUnset"],
  ])("does not list %s", (_what, id) => {
    expect(lines.map((line) => line.id)).not.toContain(id);
  });

  test("makes a report with a part for each section, and names what the data do not contain", () => {
    const told = report(next, before, lines);
    expect(told).toContain(`Kubernetes 1.38 beside 1.37: ${lines.length} things to decide.`);
    expect(told).toContain("  core.PodSpec.wheels\n      new, of type string");
    expect(told).not.toContain("The data do not have:");
    expect(report({ ...next, components: undefined }, before, lines)).toContain("metrics of the three programs");
  });
});

describe("the tool tools/next-version.mjs", () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(root, "tools/next-version.mjs"), ...words], { encoding: "utf8" });

  test("prints for a served version that nothing is left to decide", () => {
    const { stdout, stderr, status } = run(join(root, "tools/api-data"), SERVED_VERSIONS[0] ?? "");
    expect(stderr).toBe("");
    expect(stdout).toContain("nothing is left to decide");
    expect(status).toBe(0);
  });

  test.each([
    [[], "Usage: node tools/next-version.mjs FOLDER VERSION"],
    [[root, "2.0"], 'error: "2.0" is no version of Kubernetes, such as 1.38 or 1.38-beta.0'],
    [[root, "1.99"], "has no kubernetes-1.99-api.json, plain or with .gz"],
    [[join(root, "tools/api-data"), SERVED_VERSIONS.at(-1) ?? ""], "error: no served version is older than"],
  ])("refuses %j", (words, told) => {
    const { stderr, status } = run(...words);
    expect(stderr).toContain(told);
    expect(status).toBe(2);
  });
});
