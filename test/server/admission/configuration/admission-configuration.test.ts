import { describe, expect, test } from "vitest";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import { decodeAdmissionConfiguration } from "../../../../src/server/admission/configuration/admission-configuration.js";

const decode = (text: string) => [...decodeAdmissionConfiguration(readConfigurationDocument(text)).values()];
const V1 = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
const SCHEME = 'in scheme "pkg/server/options/admission.go:51"';

describe("an AdmissionConfiguration file", () => {
  test("names plugins with a file or with the configuration itself, in both versions and as JSON", () => {
    const plugins = "plugins:\n- name: A\n  path: a.yaml\n- name: B\n  configuration: {kind: K, x: 1}\n";
    const expected = [
      { name: "A", path: "a.yaml" },
      { name: "B", configuration: { kind: "K", x: 1 } },
    ];
    expect(decode(V1 + plugins)).toEqual(expected);
    expect(decode(V1.replace("apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1") + plugins)).toEqual(expected);
    const json = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins: expected };
    expect(decode(JSON.stringify(json))).toEqual(expected);
  });

  test("may name no plugin, and only the first entry of a plugin counts", () => {
    expect(decode(V1)).toEqual([]);
    expect(decode(`${V1}plugins: null\n`)).toEqual([]);
    expect(decode(`${V1}plugins: [{name: A, path: first}, {name: A, path: second}]\n`)).toEqual([
      { name: "A", path: "first" },
    ]);
  });

  test("may be the configuration of a plugin alone, as ImagePolicyWebhook and PodNodeSelector once had it", () => {
    const value = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "a=b" } };
    expect(decode("podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: a=b}\n")).toEqual([
      { name: "ImagePolicyWebhook", configuration: value },
      { name: "PodNodeSelector", configuration: value },
    ]);
    expect(decode('{"imagePolicy":{}}').map(({ name }) => name)).toEqual(["ImagePolicyWebhook", "PodNodeSelector"]);
  });

  const faults: readonly (readonly [name: string, text: string, message: string])[] = [
    ["nothing", "", "Object 'Kind' is missing in ''"],
    ["no kind", "a: b\n", "Object 'Kind' is missing in 'a: b\n'"],
    [
      "no version",
      "kind: AdmissionConfiguration\n",
      "Object 'apiVersion' is missing in 'kind: AdmissionConfiguration\n'",
    ],
    [
      "an unknown version",
      V1.replace("/v1", "/v2"),
      `no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v2" ${SCHEME}`,
    ],
    [
      "a version of the other group",
      V1.replace("/v1", "/v1alpha1"),
      `no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v1alpha1" ${SCHEME}`,
    ],
    ["another kind", "apiVersion: v1\nkind: Pod\n", `no kind "Pod" is registered for version "v1" ${SCHEME}`],
    ["a field that is not there", `${V1}plugin: []\n`, 'strict decoding error: unknown field "plugin"'],
    [
      "an unknown field of a plugin",
      `${V1}plugins:\n- name: A\n  file: x\n`,
      'strict decoding error: unknown field "plugins[0].file"',
    ],
    [
      "a key that JSON has twice",
      '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AdmissionConfiguration","plugins":[],"plugins":[]}',
      'strict decoding error: duplicate field "plugins"',
    ],
    [
      "a key that YAML has twice",
      `${V1}plugins: []\nplugins: []\n`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "plugins" already set in map',
    ],
    [
      "a list that is none",
      `${V1}plugins: x\n`,
      "json: cannot unmarshal string into Go struct field AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration",
    ],
    [
      "a name that is a number",
      `${V1}plugins: [{name: 1}]\n`,
      "json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string",
    ],
    ["YAML that is half written", `${V1}plugins: [\n`, "yaml: line 3: did not find expected node content"],
    [
      "JSON that is half written",
      '{"kind":',
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
  ];
  test.each(faults)("is rejected with %s", (_name, text, message) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ message }));
  });
});
