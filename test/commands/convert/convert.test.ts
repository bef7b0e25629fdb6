import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { allScheme } from "../../../src/api/scheme/all.js";
import { Converter } from "../../../src/commands/convert/convert.js";
import { runCli } from "../../helpers/run-cli.js";

// Sources: kubernetes pkg/kubectl/cmd/convert/{convert,import_known_versions}.go; apimachinery pkg/runtime/{scheme,error}.go
// and pkg/runtime/schema/group_version.go; cli-runtime pkg/resource/{builder,mapper,visitor}.go.

const folder = mkdtempSync(join(tmpdir(), "kubets-convert-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

async function convert(manifest: object | string, ...flags: readonly string[]) {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  const { code, stdout, stderr } = await runCli(["convert", "-f", path, "-o", "json", ...flags]);
  return {
    code,
    stderr: stderr.replace(path, "FILE"),
    object: stdout === "" ? undefined : (JSON.parse(stdout) as unknown),
  };
}

const SCHEME = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const list = (...items: object[]) => ({ apiVersion: "v1", kind: "List", items });

describe("the output of convert", () => {
  test("is a single object for a list of one in one file", async () => {
    const { object } = await convert(list(configMap("one")));
    expect(object).toEqual(configMap("one"));
  });

  test("is a list of one for one object from stdin", async () => {
    const stdin = JSON.stringify(configMap("one"));
    const { stdout } = await runCli(["convert", "-f", "-", "-o", "json"], { stdin });
    expect(JSON.parse(stdout)).toEqual({ ...list(configMap("one")), metadata: {} });
  });

  test("has the fields of a list in the order of Go's types", async () => {
    const path = join(folder, "two.yaml");
    writeFileSync(path, "{apiVersion: v1, kind: ConfigMap, data: {k: v}}\n---\n{apiVersion: v1, kind: ConfigMap}\n");
    const { stdout } = await runCli(["convert", "-f", path, "-o", "json"]);
    const text =
      '{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"kind":"ConfigMap","apiVersion":"v1","metadata":{},';
    expect(stdout.replaceAll(/\s/g, "").startsWith(text)).toBe(true);
  });

  test("has the items of nested lists after the other objects", async () => {
    const { object } = await convert(list(configMap("a"), list(configMap("b")), configMap("c")));
    expect(object).toEqual({ ...list(configMap("a"), configMap("c"), configMap("b")), metadata: {} });
  });

  test("has the items of a kind's own list, which may lack their kind", async () => {
    const spec = { template: { metadata: { labels: { app: "x" } }, spec: {} } };
    const { object } = await convert({
      apiVersion: "extensions/v1beta1",
      kind: "ReplicaSetList",
      items: [{ metadata: { name: "old" }, spec }],
    });
    // Labels and selector are what extensions/v1beta1 fills in from the template.
    expect(object).toMatchObject({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "old", labels: { app: "x" } },
      spec: { replicas: 1, selector: { matchLabels: { app: "x" } } },
    });
  });
});

describe("the version that convert chooses without --output-version", () => {
  const scheme = allScheme();
  const converter = new Converter(scheme, systemClock);

  test("is never in a group whose kinds have moved to another group", () => {
    const targets = scheme
      .kinds()
      .filter(({ group, kind }) => group === "extensions" && !kind.endsWith("List"))
      .map((gvk) =>
        converter.convertToPreferred(converter.read({ apiVersion: `${gvk.group}/${gvk.version}`, kind: gvk.kind })),
      )
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(targets.sort()).toEqual(
      expect.arrayContaining([
        "apps/v1 DaemonSet",
        "apps/v1 Deployment",
        "apps/v1 ReplicaSet",
        "networking.k8s.io/v1 Ingress",
        "networking.k8s.io/v1 NetworkPolicy",
      ]),
    );
  });

  test.each([
    ["events.k8s.io/v1", "Event", "v1"],
    ["autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling/v2"],
    ["policy/v1beta1", "PodDisruptionBudget", "policy/v1"],
    ["batch/v1beta1", "CronJob", "batch/v1"],
    ["rbac.authorization.k8s.io/v1alpha1", "ClusterRole", "rbac.authorization.k8s.io/v1"],
    ["discovery.k8s.io/v1beta1", "EndpointSlice", "discovery.k8s.io/v1"],
    ["v1", "Pod", "v1"],
  ])("for %s %s is %s", async (apiVersion, kind, expected) => {
    const { object } = await convert({ apiVersion, kind, metadata: { name: "x" } });
    expect(object).toMatchObject({ apiVersion: expected, kind, metadata: { name: "x" } });
  });

  test("is also chosen for an empty group and version", async () => {
    const { object } = await convert({ apiVersion: "apps/v1beta1", kind: "StatefulSet" }, "--output-version=/");
    expect(object).toMatchObject({ apiVersion: "apps/v1" });
  });
});

describe("convert with --output-version", () => {
  test.each([
    [configMap("x"), "apps/v1", `core.ConfigMap is not suitable for converting to "apps/v1" ${SCHEME}`],
    [configMap("x"), "apps/v1beta9", `core.ConfigMap is not suitable for converting to "apps/v1beta9" ${SCHEME}`],
    [configMap("x"), "v9", `no kind "ConfigMap" is registered for version "v9" ${SCHEME}`],
    [
      { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
      "v1",
      `networking.Ingress is not suitable for converting to "v1" ${SCHEME}`,
    ],
    [
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" },
      "apps/",
      `rbac.Role is not suitable for converting to "apps/" ${SCHEME}`,
    ],
    [
      { apiVersion: "apps/v1", kind: "StatefulSet" },
      "extensions/v1beta1",
      `apps.StatefulSet is not suitable for converting to "extensions/v1beta1" ${SCHEME}`,
    ],
    [configMap("x"), "__internal", "a versioned object must be passed to a printer"],
    [configMap("x"), "a/b/c", "unexpected GroupVersion string: a/b/c"],
  ])("refuses to convert %o to %s", async (manifest, version, message) => {
    const { code, stderr } = await convert(manifest, `--output-version=${version}`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${message}\n` });
  });

  test("moves kinds back to a group that they have left", async () => {
    const spec = { podSelector: {}, ingress: [{}] };
    const { object } = await convert(
      { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", spec },
      "--output-version=extensions/v1beta1",
    );
    expect(object).toMatchObject({ apiVersion: "extensions/v1beta1", spec: { ...spec, policyTypes: ["Ingress"] } });
  });

  test("leaves a list in its own version", async () => {
    const deployment = { apiVersion: "apps/v1beta2", kind: "Deployment" };
    const { object } = await convert(list(deployment, deployment), "--output-version=apps/v1beta1");
    expect(object).toMatchObject({
      apiVersion: "v1",
      kind: "List",
      items: [{ apiVersion: "apps/v1beta1" }, { apiVersion: "apps/v1beta1" }],
    });
  });
});

describe("convert of a manifest that cannot be decoded", () => {
  test.each([
    [
      { apiVersion: "example.com/v1", kind: "Widget" },
      `unable to decode "FILE": no kind "Widget" is registered for version "example.com/v1" ${SCHEME}`,
    ],
    [{ kind: "Pod" }, `unable to decode "FILE": Object 'apiVersion' is missing in '{"kind":"Pod"}'`],
    [{ apiVersion: "v1" }, `unable to decode "FILE": Object 'Kind' is missing in '{"apiVersion":"v1"}'`],
    [
      { apiVersion: "apps/v1", kind: "List", items: [] },
      `unable to decode "FILE": no kind "List" is registered for version "apps/v1" ${SCHEME}`,
    ],
    [
      { apiVersion: "v1", kind: "Pod", spec: { hostNetwork: "yes" } },
      'unable to decode "FILE": json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      list({ apiVersion: "example.com/v1", kind: "Widget" }),
      `no kind "Widget" is registered for version "example.com/v1" ${SCHEME}`,
    ],
    [list(), "no objects passed to convert"],
    [{ apiVersion: "v1", kind: "PodList" }, "no objects passed to convert"],
  ])("refuses %o", async (manifest, message) => {
    const { code, stderr } = await convert(manifest);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${message}\n` });
  });

  test("names everything that cannot be decoded, and prints nothing", async () => {
    const widget = { apiVersion: "example.com/v1", kind: "Widget" };
    const documents = [widget, configMap("fine"), { ...widget, kind: "Gadget" }];
    const { code, stderr, object } = await convert(documents.map((one) => JSON.stringify(one)).join("\n"));
    expect({ code, object }).toEqual({ code: 1, object: undefined });
    expect(stderr.split("\n").map((line) => /no kind "(\w+)"/.exec(line)?.[1])).toEqual([
      "Widget",
      "Gadget",
      undefined,
    ]);
  });
});
