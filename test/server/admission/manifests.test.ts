import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ClusterOptions, startCluster } from "../../../src/cluster/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { replaceFile } from "../../helpers/replace-file.js";
import { startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

let folder: string;
let hooks: WebhookServer;
let count = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-manifests-"));
  hooks = await startWebhookServer();
});
afterAll(async () => {
  await hooks[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const opened: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

const GROUP = "admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const path = join(folder, `f${(count += 1)}`);
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

type Plugin =
  | "ValidatingAdmissionPolicy"
  | "MutatingAdmissionPolicy"
  | "ValidatingAdmissionWebhook"
  | "MutatingAdmissionWebhook";

/** Starts a server whose AdmissionConfiguration names the folder for the plugin. */
async function start(
  plugin: Plugin,
  staticManifestsDir: string,
  options: Pick<ClusterOptions, "kubernetesVersion" | "featureGates"> = {},
): Promise<{ readonly api: Transport; readonly faults: unknown[] }> {
  const kind = plugin.endsWith("Webhook") ? "WebhookAdmissionConfiguration" : `${plugin}Configuration`;
  const configurationFile = join(folder, `configuration-${(count += 1)}.yaml`);
  writeFileSync(
    configurationFile,
    `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ${plugin}
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ${kind}
    staticManifestsDir: ${staticManifestsDir}
`,
  );
  const faults: unknown[] = [];
  const server = await startCluster({
    port: false,
    controllers: false,
    ...options,
    admission: { configurationFile },
    onError: (error) => void faults.push(error),
  });
  opened.push(server);
  return { api: server.transport(), faults };
}

const policy = (name: string, spec = ""): string => `apiVersion: ${GROUP}
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, DELETE], resources: [configmaps, validatingadmissionpolicies]}
  validations:
  - {expression: "!has(object.metadata) || object.metadata.name != 'refused'", message: of a file}
${spec}`;

const binding = (name: string, policyName: string, spec = ""): string => `apiVersion: ${GROUP}
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec:
  policyName: ${policyName}
  validationActions: [Deny]
${spec}`;

const both = (name: string): string => `${policy(name)}---\n${binding(name, name)}`;

const makeMap = (api: Transport, name: string) => call(api, "POST", MAPS, { metadata: { name } });

describe("K37-108: admission policies from a folder of manifests", () => {
  test("are in force from the start, and not in the API", async () => {
    const { api } = await start("ValidatingAdmissionPolicy", folderWith({ "a.yaml": both("a.static.k8s.io") }));
    const refused = await makeMap(api, "refused");
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(
      "ValidatingAdmissionPolicy 'a.static.k8s.io' with binding 'a.static.k8s.io' denied request: of a file",
    );
    expect((await makeMap(api, "taken")).status).toBe(201);
    const listed = await call(api, "GET", `/apis/${GROUP}/validatingadmissionpolicies`);
    expect(listed.at("items")).toEqual([]);
  });

  test("apply to policies in the API, while those do not apply to them", async () => {
    const { api } = await start("ValidatingAdmissionPolicy", folderWith({ "a.yaml": both("a.static.k8s.io") }));
    const validations = [{ expression: "true" }];
    const spec = {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      },
      validations,
    };
    const answer = await call(api, "POST", `/apis/${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: "refused" },
      spec,
    });
    expect(answer.status).toBe(422);
    expect(answer.at("message")).toContain("of a file");
  });

  test("follow changes while the server runs; invalid files change nothing", async () => {
    const files = folderWith({ "a.yaml": both("a.static.k8s.io") });
    const { api, faults } = await start("ValidatingAdmissionPolicy", files);
    expect((await makeMap(api, "refused")).status).toBe(422);
    replaceFile(join(files, "b.yaml"), binding("b.static.k8s.io", "none.static.k8s.io"));
    await eventually(async () => expect(faults).toHaveLength(1));
    expect(String(faults.pop())).toContain(
      'binding "b.static.k8s.io" references policy "none.static.k8s.io" which does not exist in the manifest directory',
    );
    expect((await makeMap(api, "refused")).status).toBe(422);
    rmSync(join(files, "b.yaml"));
    replaceFile(join(files, "a.yaml"), "");
    await eventually(async () => expect((await makeMap(api, "refused")).status).toBe(201));
    expect(faults).toEqual([]);
  });

  test("change objects where they are mutating policies", async () => {
    const text = `apiVersion: v1
kind: List
items:
- apiVersion: ${GROUP}
  kind: MutatingAdmissionPolicy
  metadata: {name: label.static.k8s.io}
  spec:
    failurePolicy: Fail
    reinvocationPolicy: Never
    matchConstraints:
      resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"from": "a-file"}}}'}
- apiVersion: ${GROUP}
  kind: MutatingAdmissionPolicyBinding
  metadata: {name: label.static.k8s.io}
  spec: {policyName: label.static.k8s.io}
`;
    const { api } = await start("MutatingAdmissionPolicy", folderWith({ "list.yml": text }));
    const made = await makeMap(api, "labelled");
    expect(made.at("metadata.labels"), made.text).toEqual({ from: "a-file" });
  });

  const FAULTS: readonly (readonly [what: string, files: Readonly<Record<string, string>>, message: string])[] = [
    ["a name", { "a.yaml": both("a") }, '"a" in file "FOLDER/a.yaml" must have a name ending with ".static.k8s.io"'],
    [
      "a name that there is already",
      {
        "a.yaml": both("a.static.k8s.io"),
        "b.json": JSON.stringify({
          apiVersion: GROUP,
          kind: "ValidatingAdmissionPolicyBinding",
          metadata: { name: "a.static.k8s.io" },
          spec: { policyName: "a.static.k8s.io", validationActions: ["Deny"] },
        }),
      },
      'error loading FOLDER/b.json: duplicate name "a.static.k8s.io" found in file "FOLDER/b.json" (previously seen in "FOLDER/a.yaml")',
    ],
    [
      "parameters",
      { "a.yaml": policy("a.static.k8s.io", "  paramKind: {apiVersion: v1, kind: ConfigMap}\n") },
      'ValidatingAdmissionPolicy "a.static.k8s.io": spec.paramKind is not supported for static manifests',
    ],
    [
      "a parameter of a binding",
      {
        "a.yaml": `${policy("a.static.k8s.io")}---\n${binding("b.static.k8s.io", "a.static.k8s.io", "  paramRef: {name: p, parameterNotFoundAction: Deny}\n")}`,
      },
      'binding "b.static.k8s.io": spec.paramRef is not supported for static manifests',
    ],
    [
      "a binding of a policy of the API",
      { "a.yaml": binding("b.static.k8s.io", "of-the-api") },
      'binding "b.static.k8s.io": spec.policyName "of-the-api" must end with ".static.k8s.io"',
    ],
    [
      "an unknown field",
      { "a.yaml": policy("a.static.k8s.io", "  colour: red\n") },
      'strict decoding error: unknown field "spec.colour"',
    ],
    [
      "a policy that is not valid",
      { "a.yaml": policy("a.static.k8s.io", "  failurePolicy: Sometimes\n") },
      'ValidatingAdmissionPolicy "a.static.k8s.io": spec.failurePolicy: Unsupported value: "Sometimes"',
    ],
    [
      "an object of another plugin",
      {
        "a.yaml": `apiVersion: ${GROUP}\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w.static.k8s.io}\nwebhooks: []\n`,
      },
      "unsupported resource type *v1.ValidatingWebhookConfiguration",
    ],
    [
      "an object of another group",
      { "a.yaml": "apiVersion: v1\nkind: Pod\n" },
      'no kind "Pod" is registered for version "v1"',
    ],
  ];
  test.each(FAULTS)("keep a server from starting for %s", async (_, files, message) => {
    const path = folderWith(files);
    const place = `failed to load static policy manifests from "${path}"`;
    const starting = start("ValidatingAdmissionPolicy", path);
    await expect(starting).rejects.toThrow(message.replaceAll("FOLDER", path));
    await expect(starting).rejects.toThrow(place);
  });

  test("keep a server from starting when the folder is missing or its path is relative", async () => {
    const missing = join(folder, "missing");
    await expect(start("ValidatingAdmissionPolicy", missing)).rejects.toThrow(
      `staticManifestsDir: Invalid value: "${missing}": unable to read: stat ${missing}: no such file or directory`,
    );
    await expect(start("ValidatingAdmissionPolicy", "here")).rejects.toThrow(
      'staticManifestsDir: Invalid value: "here": must be an absolute file path',
    );
  });

  test("are ignored in 1.36, whose feature gate is off", async () => {
    const { api } = await start("ValidatingAdmissionPolicy", folderWith({ "a.yaml": both("a.static.k8s.io") }), {
      kubernetesVersion: "1.36",
    });
    expect((await makeMap(api, "refused")).status).toBe(201);
  });
});

describe("K37-108: admission webhooks from a folder of manifests", () => {
  const webhooks = (clientConfig: object, name = "w.static.k8s.io") =>
    JSON.stringify({
      apiVersion: GROUP,
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [
        {
          name: "one.webhook.test",
          clientConfig,
          rules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
            {
              apiGroups: ["admissionregistration.k8s.io"],
              apiVersions: ["v1"],
              operations: ["CREATE"],
              resources: ["*"],
            },
            { apiGroups: ["authorization.k8s.io"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["*"] },
          ],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });

  test("are called, also for webhook configurations in the API, but not for access reviews (K37-103)", async () => {
    const config = hooks.on("/folder", ({ request }) => ({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request["uid"], allowed: false, status: { message: "not today" } },
    }));
    const { api } = await start("ValidatingAdmissionWebhook", folderWith({ "w.json": webhooks(config) }));
    const refused = await makeMap(api, "m");
    expect(refused.at("message")).toBe('admission webhook "one.webhook.test" denied the request: not today');
    const configuration = { metadata: { name: "c" }, webhooks: [] };
    const path = `/apis/${GROUP}/mutatingwebhookconfigurations`;
    expect((await call(api, "POST", path, configuration)).at("message")).toContain("not today");
    const review = { spec: { nonResourceAttributes: { path: "/", verb: "get" } } };
    const asked = await call(api, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
    expect(asked.status, asked.text).toBe(201);
  });

  test.each([
    [
      { service: { namespace: "n", name: "s" } },
      "clientConfig.service is not supported for static manifests; use clientConfig.url instead",
    ],
  ])("keep a server from starting with: %j", async (config, message) => {
    const path = folderWith({ "w.json": webhooks(config) });
    await expect(start("ValidatingAdmissionWebhook", path)).rejects.toThrow(
      `webhook "one.webhook.test" in "w.static.k8s.io" (file "${path}/w.json"): ${message}`,
    );
  });
});

test.each([
  ["1.36", {}, 201],
  ["1.36", { ManifestBasedAdmissionControlConfig: true }, 422],
  ["1.37", {}, 422],
  ["1.37", { ManifestBasedAdmissionControlConfig: false }, 201],
] as const)(
  "K37-108: the API reserves names of manifests while the feature gate is on (%s, %j: %i)",
  async (kubernetesVersion, featureGates, status) => {
    const server = await startCluster({ port: false, controllers: false, kubernetesVersion, featureGates });
    opened.push(server);
    const configuration = { metadata: { name: "w.static.k8s.io" }, webhooks: [] };
    const path = `/apis/${GROUP}/validatingwebhookconfigurations`;
    const answer = await call(server.transport(), "POST", path, configuration);
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer.at("message")).toContain("cannot be managed via the API");
  },
);

test("K37-108: a server whose feature gate is off ignores the folder of manifests", async () => {
  const path = folderWith({ "a.yaml": both("a.static.k8s.io") });
  const { api } = await start("ValidatingAdmissionPolicy", path, {
    featureGates: { ManifestBasedAdmissionControlConfig: false },
  });
  expect((await makeMap(api, "refused")).status).toBe(201);
});

test.each([
  ["1.36", {}, 400],
  ["1.37", {}, 201],
  ["1.37", { ExcludeAdmissionWebhookVirtualResources: false }, 400],
] as const)(
  "K37-103: webhooks in the API are not called for access reviews while the feature gate is on (%s, %j: %i)",
  async (kubernetesVersion, featureGates, status) => {
    const config = hooks.on("/reviews", ({ request }) => ({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: request["uid"], allowed: false, status: { code: 400, message: "no questions" } },
    }));
    const server = await startCluster({ port: false, controllers: false, kubernetesVersion, featureGates });
    opened.push(server);
    const api = server.transport();
    await call(api, "POST", `/apis/${GROUP}/validatingwebhookconfigurations`, {
      metadata: { name: "w" },
      webhooks: [
        {
          name: "one.webhook.test",
          clientConfig: config,
          rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["selfsubjectreviews"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    const asked = await call(api, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(asked.status, asked.text).toBe(status);
  },
);
