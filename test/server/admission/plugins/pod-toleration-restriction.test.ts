import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enabledPlugins } from "../../../../src/server/admission/enabled-plugins.js";
import { readPodTolerationRestrictionConfiguration } from "../../../../src/server/admission/plugins/pod-toleration-restriction.js";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import {
  create,
  expectAnswer,
  expectTaken,
  merge,
  podOf,
  tryCreate,
  tryMerge,
} from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";

const NAMESPACES = "/api/v1/namespaces";
const DEFAULTS = "scheduler.alpha.kubernetes.io/defaultTolerations";
const WHITELIST = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const conflict = (scope: string): string =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

const exists = (key: string, more: object = {}): object => ({ key, operator: "Exists", ...more });
const equal = (key: string, value: string, more: object = {}): object => ({ key, operator: "Equal", value, ...more });
const CLUSTER = exists("cluster");
const PRESSURE = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };

let server: AdmittingServer;

async function namespace(name: string, annotations: Readonly<Record<string, unknown>>): Promise<void> {
  const texts = Object.entries(annotations).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  await expectTaken(create(server.api, NAMESPACES, { metadata: { name, annotations: Object.fromEntries(texts) } }));
}

beforeAll(async () => {
  server = await admittingServer({
    enable: ["PodTolerationRestriction"],
    disable: ["ServiceAccount", "DefaultTolerationSeconds"],
    configuration: { PodTolerationRestriction: { default: [{ key: "cluster", operator: "Exists" }], whitelist: [] } },
  });
  await namespace("plain", {});
  await namespace("defaults", { [DEFAULTS]: [exists("ns")] });
  await namespace("none", { [DEFAULTS]: "" });
  await namespace("limited", {
    [DEFAULTS]: "",
    [WHITELIST]: [exists("a"), equal("b", "1"), exists("c", { effect: "NoExecute", tolerationSeconds: 60 })],
  });
  await namespace("open", { [DEFAULTS]: "", [WHITELIST]: [] });
  await namespace("all", { [DEFAULTS]: "", [WHITELIST]: [{ operator: "Exists" }] });
  await namespace("broken", { [DEFAULTS]: "{" });
  await namespace("mistyped", { [DEFAULTS]: "{}" });
  await namespace("mistyped-item", { [DEFAULTS]: '["a"]' });
  await namespace("mistyped-field", { [DEFAULTS]: '[{"key":1}]' });
  await namespace("null", { [DEFAULTS]: "null" });
});

afterAll(() => server[Symbol.asyncDispose]());

const attempt = (name: string, tolerations: readonly object[], more: object = {}) =>
  tryCreate(
    server.api,
    `${NAMESPACES}/${name}/pods`,
    podOf({ ...(tolerations.length > 0 && { tolerations }), ...more }),
  );

const asking = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] };

describe("PodTolerationRestriction and the tolerations of a new pod:", () => {
  const rows: readonly (readonly [
    title: string,
    namespace: string,
    own: readonly object[],
    expected: unknown,
    more?: object,
  ])[] = [
    ["are the cluster's without an annotation", "plain", [], [CLUSTER]],
    ["are the namespace's with one", "defaults", [], [exists("ns")]],
    ["are none with an empty annotation", "none", [], undefined],
    ["are none with null in the annotation", "null", [], undefined],
    ["come before the namespace's", "defaults", [exists("own")], [exists("own"), exists("ns")]],
    ["stay once where they are the namespace's too", "defaults", [exists("ns")], [exists("ns")]],
    ["leave out what the namespace's cover", "defaults", [equal("ns", "x")], [exists("ns")]],
    ["leave out the namespace's where they cover it", "defaults", [{ operator: "Exists" }], [{ operator: "Exists" }]],
    [
      "keep what is for an effect beside what is for another",
      "defaults",
      [exists("x", { effect: "NoSchedule" }), exists("x", { effect: "NoExecute" })],
      [exists("x", { effect: "NoSchedule" }), exists("x", { effect: "NoExecute" }), exists("ns")],
    ],
    [
      "leave out what is covered for all effects",
      "none",
      [exists("x", { effect: "NoSchedule" })],
      [exists("x", { effect: "NoSchedule" })],
    ],
    ["have memory pressure for a pod that asks for cpu", "defaults", [], [exists("ns"), PRESSURE], asking],
    ["have memory pressure alone where there are no others", "none", [], [PRESSURE], asking],
  ];
  test.each(rows.map(([title, name, own, expected, more = {}]) => [title, name, own, expected, more] as const))(
    "%s",
    async (_, name, own, expected, more) => {
      expect((await expectTaken(attempt(name, own, more))).at("spec.tolerations")).toEqual(expected);
    },
  );
});

describe("PodTolerationRestriction's whitelist", () => {
  const rows: readonly (readonly [title: string, namespace: string, own: readonly object[], message: string])[] = [
    ["allows what it has", "limited", [exists("a")], ""],
    ["allows what one of its tolerations covers", "limited", [equal("a", "v", { effect: "NoSchedule" })], ""],
    ["allows the value that it has", "limited", [equal("b", "1")], ""],
    ["refuses another value", "limited", [equal("b", "2")], conflict("namespace")],
    ["refuses every value where it has one", "limited", [exists("b")], conflict("namespace")],
    ["refuses another key", "limited", [exists("z")], conflict("namespace")],
    ["refuses every key", "limited", [{ operator: "Exists" }], conflict("namespace")],
    ["refuses one of two", "limited", [exists("a"), exists("z")], conflict("namespace")],
    ["allows a shorter time", "limited", [exists("c", { effect: "NoExecute", tolerationSeconds: 30 })], ""],
    [
      "refuses a longer time",
      "limited",
      [exists("c", { effect: "NoExecute", tolerationSeconds: 90 })],
      conflict("namespace"),
    ],
    ["refuses no end", "limited", [exists("c", { effect: "NoExecute" })], conflict("namespace")],
    ["refuses another effect", "limited", [exists("c", { effect: "NoSchedule" })], conflict("namespace")],
    ["allows a pod without tolerations", "limited", [], ""],
    ["allows everything while it is empty", "open", [exists("z")], ""],
    ["allows everything by a toleration of every key", "all", [exists("z"), equal("y", "1")], ""],
  ];
  test.each(rows)("%s", async (_, name, own, message) => {
    await expectAnswer(attempt(name, own), message, 500);
  });

  test("of the namespace applies to updates too", async () => {
    const path = `${NAMESPACES}/changing`;
    await namespace("changing", { [DEFAULTS]: "" });
    await expectTaken(create(server.api, `${path}/pods`, podOf({ tolerations: [exists("a")] })));
    await expectTaken(
      merge(server.api, path, { metadata: { annotations: { [WHITELIST]: JSON.stringify([exists("z")]) } } }),
    );
    await expectAnswer(
      tryMerge(server.api, `${path}/pods/p`, { metadata: { labels: { x: "y" } } }),
      conflict("namespace"),
      500,
    );
  });

  test("of the cluster applies where the namespace has none", async () => {
    await using other = await admittingServer({
      enable: ["PodTolerationRestriction"],
      disable: ["ServiceAccount", "DefaultTolerationSeconds"],
      configuration: { PodTolerationRestriction: { whitelist: [{ key: "a", operator: "Exists" }] } },
    });
    const pods = `${NAMESPACES}/default/pods`;
    await expectAnswer(tryCreate(other.api, pods, podOf({ tolerations: [exists("a")] })), "");
    await expectAnswer(tryCreate(other.api, pods, podOf({ tolerations: [exists("b")] })), conflict("cluster"), 500);
    await expectAnswer(tryCreate(other.api, pods, podOf(asking)), conflict("cluster"), 500);
  });
});

describe("PodTolerationRestriction refuses an invalid annotation of a namespace:", () => {
  test.each([
    ["broken", "unexpected end of JSON input"],
    ["mistyped", "json: cannot unmarshal object into Go value of type []v1.Toleration"],
    ["mistyped-item", "json: cannot unmarshal string into Go value of type v1.Toleration"],
    ["mistyped-field", "json: cannot unmarshal number into Go struct field Toleration.key of type string"],
  ])("%s: %s", async (name, message) => {
    await expectAnswer(attempt(name, []), message, 500);
  });
});

describe("the configuration of PodTolerationRestriction", () => {
  const V1 = "apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n";
  const read = (text: string) => readPodTolerationRestrictionConfiguration(readConfigurationDocument(text));

  test("has default tolerations and a whitelist", () => {
    const text = `${V1}default: [{key: a, operator: Exists}]\nwhitelist: [{key: b, operator: Equal, value: c, effect: NoExecute, tolerationSeconds: 5}]\n`;
    expect(read(text)).toMatchObject({
      default: [exists("a")],
      whitelist: [equal("b", "c", { effect: "NoExecute", tolerationSeconds: 5 })],
    });
  });

  test.each([
    ["an unknown field", `${V1}defaults: []\n`, 'strict decoding error: unknown field "defaults"'],
    [
      "an unknown field of a toleration",
      `${V1}default: [{name: a}]\n`,
      'strict decoding error: unknown field "default[0].name"',
    ],
    ["no kind", "default: []\n", "Object 'Kind' is missing in 'default: []\n'"],
    [
      "another version",
      V1.replace("v1alpha1", "v1"),
      'no kind "Configuration" is registered for version "podtolerationrestriction.admission.k8s.io/v1" in scheme "pkg/admission/podtolerationrestriction/config.go:32"',
    ],
  ])("is refused with %s", (_, text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ message }));
  });

  const wrong = (toleration: object): string => {
    try {
      enabledPlugins({
        enable: ["PodTolerationRestriction"],
        configuration: { PodTolerationRestriction: { default: [toleration], whitelist: [toleration] } },
      });
    } catch (error) {
      return String(error);
    }
    return "";
  };

  test("keeps a server from starting with wrong tolerations, each named by its field", () => {
    const message = (field: string): string =>
      `podtolerationrestriction.${field}[0].effect: Unsupported value: "Later": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`;
    expect(wrong({ key: "a", operator: "Exists", effect: "Later" })).toBe(
      `Error: failed to apply admission: couldn't init admission plugin "PodTolerationRestriction": invalid config: [${message("default")} ${message("whitelist")}]`,
    );
    expect(wrong({ key: "a", operator: "Exists" })).toBe("");
  });
});
