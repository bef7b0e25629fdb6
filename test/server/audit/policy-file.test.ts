import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkPolicy, readPolicyFile } from "../../../src/server/audit/policy/audit-policy.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-audit-policy-"));
const file = join(folder, "policy.yaml");
const HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string): { readonly policy: unknown; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  writeFileSync(file, text);
  return { policy: readPolicyFile(file, (warning) => warnings.push(warning)), warnings };
}

describe("an audit policy file", () => {
  test("may be YAML or JSON", () => {
    const expected = { rules: [{ level: "Metadata", resources: [{ group: "", resources: ["pods"] }] }] };
    const yaml = `${HEAD}rules:\n- level: Metadata\n  resources:\n  - group: ""\n    resources: [pods]\n`;
    expect(read(yaml).policy).toMatchObject(expected);
    expect(read(JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", ...expected })).policy).toMatchObject(
      expected,
    );
  });

  test("is used without its unknown fields, and the server warns", () => {
    const { policy, warnings } = read(`${HEAD}rules:\n- level: Metadata\n  verb: [get]\n`);
    expect(policy).toMatchObject({ rules: [{ level: "Metadata" }] });
    expect(warnings).toEqual([
      'Audit policy contains errors, falling back to lenient decoding: strict decoding error: unknown field "rules[0].verb"',
    ]);
  });

  test("that is missing is named in the error", () => {
    const missing = join(folder, "missing.yaml");
    expect(() => readPolicyFile(missing, () => {})).toThrow(
      `loading audit policy file: failed to read file path "${missing}": open ${missing}: no such file or directory`,
    );
  });

  test.each([
    ["", `failed decoding: Object 'Kind' is missing in ''`],
    ["kind: Policy\nrules: []\n", `failed decoding: Object 'apiVersion' is missing in 'kind: Policy\nrules: []\n'`],
    [
      "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n",
      `failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30"`,
    ],
    [HEAD, "loaded illegal policy with 0 rules"],
    [`${HEAD}rules:\n- users: [ana]\n`, `rules[0].level: Required value`],
    [
      `${HEAD}rules:\n- level: Everything\n`,
      `rules[0].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse"`,
    ],
    [
      `${HEAD}omitStages: [Received]\nrules:\n- level: None\n`,
      `omitStages[0]: Invalid value: "Received": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic`,
    ],
    [
      `${HEAD}rules:\n- level: None\n- level: None\n  nonResourceURLs: [healthz]\n`,
      `rules[1].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character`,
    ],
    [
      `${HEAD}rules:\n- level: None\n  nonResourceURLs: ["/a*b"]\n`,
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      `${HEAD}rules:\n- level: None\n  nonResourceURLs: ["/a"]\n  namespaces: [b]\n`,
      `rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs`,
    ],
    [
      `${HEAD}rules:\n- level: None\n  resources:\n  - resourceNames: [a]\n`,
      `rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource`,
    ],
    [
      `${HEAD}rules:\n- level: x\n  omitStages: [z]\n`,
      `[rules[0].level: Unsupported value: "x": supported values: "None", "Metadata", "Request", "RequestResponse", ` +
        `rules[0].omitStages[0]: Invalid value: "z": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic]`,
    ],
  ])("with the text %j is refused with place and reason", (text, reason) => {
    expect(() => read(text)).toThrow(`loading audit policy file: ${reason}: from file ${file}`);
  });

  test("is refused for a version in place of an API group, which the error names", () => {
    expect(() => read(`${HEAD}rules:\n- level: None\n  resources:\n  - group: apps/v1\n`)).toThrow(
      'rules[0].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain must consist of',
    );
  });

  test("is refused for a value of another type", () => {
    expect(() => read(`${HEAD}rules:\n- level: [None]\n`)).toThrow(/failed decoding: .*rules\.level/);
  });
});

test("an audit policy given in code is validated like a file", () => {
  expect(() => checkPolicy({ rules: [] })).toThrow("audit.policy: loaded illegal policy with 0 rules");
  expect(checkPolicy({ rules: [{ level: "None" }] })).toEqual({ rules: [{ level: "None" }] });
});
