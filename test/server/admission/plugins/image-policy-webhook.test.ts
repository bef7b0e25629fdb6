import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../../../src/base/time/manual-clock.js";
import type { ClientConfig } from "../../../../src/client/config/client-config.js";
import { configFromText } from "../../../../src/client/config/load-config.js";
import { enabledPlugins } from "../../../../src/server/admission/enabled-plugins.js";
import {
  type ImagePolicyWebhookConfiguration,
  readImagePolicyWebhookConfiguration,
} from "../../../../src/server/admission/plugins/image-policy-webhook.js";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import {
  create,
  expectAnswer,
  expectTaken,
  merge,
  podOf,
  textAt,
  PODS,
  tryCreate,
  tryMerge,
} from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { type AnswerCall, startWebhookServer, type WebhookServer } from "../../../helpers/webhook-server.js";

let hooks: WebhookServer;
let client: ClientConfig;

const kubeconfig = (server: string, bundle: string): string =>
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": bundle } }],
    users: [{ name: "u", user: { token: "secret-token" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });

beforeAll(async () => {
  hooks = await startWebhookServer();
  client = await configFromText(kubeconfig(`${hooks.url}/images`, hooks.caBundle));
});

afterAll(() => hooks[Symbol.asyncDispose]());

afterEach(() => {
  hooks.calls.length = 0;
});

const KIND = { apiVersion: "imagepolicy.k8s.io/v1alpha1", kind: "ImageReview" };
const status = (answer: object) => (): object => ({ ...KIND, status: answer });
const ALLOW = status({ allowed: true });

function started(more: Partial<ImagePolicyWebhookConfiguration> = {}, clock?: ManualClock): Promise<AdmittingServer> {
  const configuration = { ImagePolicyWebhook: { client, retryBackoff: -1, ...more } };
  const options = { enable: ["ImagePolicyWebhook"], disable: ["ServiceAccount"], configuration };
  return admittingServer(options, undefined, undefined, clock === undefined ? {} : { clock });
}

const denied = (message: string): string => `pods "p" is forbidden: ${message}`;
const notesOf = (requests: AdmittingServer["requests"]): object =>
  Object.fromEntries(requests.at(-1)?.annotations.entries() ?? []);
/** PodSecurity, which comes before the webhook, notes the policy of each pod. */
const BY_POD_SECURITY = { "pod-security.kubernetes.io/enforce-policy": "privileged:latest" };
const sent = (index = 0): unknown => JSON.parse(hooks.calls[index]?.body ?? "null");

describe("the admission plugin ImagePolicyWebhook asks its webhook", () => {
  test("with one review, at the path of the kubeconfig, with its credentials", async () => {
    hooks.on("/images", ALLOW);
    await using server = await started();
    await expectTaken(tryCreate(server.api, PODS, podOf()));
    const [asked] = hooks.calls;
    expect([asked?.path, asked?.headers.authorization]).toEqual(["/images?timeout=30s", "Bearer secret-token"]);
    expect(sent()).toEqual({
      ...KIND,
      metadata: {},
      spec: { containers: [{ image: "i" }], namespace: "default" },
      status: { allowed: false },
    });
  });

  const rows: readonly (readonly [title: string, spec: object, metadata: object, expected: object])[] = [
    [
      "names containers before init containers",
      {
        containers: [
          { name: "c", image: "a" },
          { name: "d", image: "b" },
        ],
        initContainers: [{ name: "i", image: "z" }],
      },
      {},
      { containers: [{ image: "a" }, { image: "b" }, { image: "z" }], namespace: "default" },
    ],
    [
      "has the annotations that are meant for it",
      {},
      { annotations: { "b.image-policy.k8s.io/x": "1", "a.image-policy.k8s.io/y": "2", "example.com/z": "3" } },
      {
        containers: [{ image: "i" }],
        annotations: { "a.image-policy.k8s.io/y": "2", "b.image-policy.k8s.io/x": "1" },
        namespace: "default",
      },
    ],
  ];
  test.each(rows)("about %s", async (_, spec, metadata, expected) => {
    hooks.on("/images", ALLOW);
    await using server = await started();
    await expectTaken(tryCreate(server.api, PODS, podOf(spec, metadata)));
    expect(sent()).toMatchObject({ spec: expected });
  });

  test("only about ephemeral containers when they are added, about changed pods, and not about a status", async () => {
    hooks.on("/images", ALLOW);
    await using server = await started({ allowTTL: -1 });
    await expectTaken(create(server.api, PODS, podOf()));
    await expectTaken(
      merge(server.api, `${PODS}/p/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ name: "e", image: "debug" }] },
      }),
    );
    expect(sent(1)).toMatchObject({ spec: { containers: [{ image: "debug" }] } });
    await expectTaken(tryMerge(server.api, `${PODS}/p`, { metadata: { labels: { a: "b" } } }));
    expect(sent(2)).toMatchObject({ spec: { containers: [{ image: "i" }] } });
    await expectTaken(tryMerge(server.api, `${PODS}/p/status`, { status: { phase: "Running" } }));
    await expectTaken(tryCreate(server.api, "/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } }));
    await expectTaken(call(server.api, "DELETE", `${PODS}/p?dryRun=All`));
    expect(hooks.calls.length).toBe(3);
  });
});

describe("the answer of an image policy webhook", () => {
  const unknown =
    'no kind "ImageReview" is registered for version "imagepolicy.k8s.io/v1beta1" in scheme "pkg/api/legacyscheme/scheme.go:30"';
  const rows: readonly (readonly [title: string, answer: AnswerCall, message: string])[] = [
    ["that allows lets the pod pass", ALLOW, ""],
    ["without a kind is a review", () => ({ status: { allowed: true } }), ""],
    [
      "that denies refuses the pod",
      status({ allowed: false }),
      denied("one or more images rejected by webhook backend"),
    ],
    ["without a status refuses the pod", () => KIND, denied("one or more images rejected by webhook backend")],
    [
      "that says why refuses the pod with the reason",
      status({ allowed: false, reason: "no latest" }),
      denied("image policy webhook backend denied one or more images: no latest"),
    ],
    ["of another version is a failure", () => ({ ...KIND, apiVersion: "imagepolicy.k8s.io/v1beta1" }), denied(unknown)],
    [
      "of a wrong type is a failure",
      status({ allowed: "yes" }),
      denied("json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool"),
    ],
  ];
  test.each(rows)("%s", async (_, answer, message) => {
    hooks.on("/images", answer);
    await using server = await started();
    await expectAnswer(tryCreate(server.api, PODS, podOf()), message);
  });

  const fails =
    (code: number, body = "") =>
    (_: unknown, response: Parameters<AnswerCall>[1]) => {
      response.writeHead(code, { "content-type": "application/json" });
      response.end(body);
    };
  const failures: readonly (readonly [title: string, answer: AnswerCall, begin: string, calls: number])[] = [
    ["that is no JSON", fails(200, "nonsense"), denied("couldn't get version/kind; json parse error: "), 1],
    [
      "that is empty",
      fails(200),
      denied("0-length response with status code: 200 and content type: application/json"),
      1,
    ],
    ["404", fails(404), denied("the server could not find the requested resource"), 1],
    ["500, which is tried five times", fails(500), denied("an error on the server"), 5],
    ["429, which is tried five times", fails(429), denied("the server has received too many requests"), 5],
  ];
  test.each(failures)("%s refuses the pod", async (_, answer, begin, calls) => {
    hooks.on("/images", answer);
    await using server = await started();
    const refused = await tryCreate(server.api, PODS, podOf());
    expect([refused.status, textAt(refused, "message").slice(0, begin.length)]).toEqual([403, begin]);
    expect(hooks.calls.length).toBe(calls);
  });

  test.each(failures)(
    "%s accepts the pod where the default is to allow, and the audit event has a note",
    async (_, answer) => {
      hooks.on("/images", answer);
      await using server = await started({ defaultAllow: true });
      await expectTaken(tryCreate(server.api, PODS, podOf()));
      const noted = notesOf(server.requests);
      expect(noted).toEqual({ ...BY_POD_SECURITY, "imagepolicywebhook.image-policy.k8s.io/failed-open": "true" });
    },
  );

  test("may have notes for the audit event", async () => {
    hooks.on("/images", status({ allowed: true, auditAnnotations: { policy: "p1", "no key": "x" } }));
    await using server = await started();
    await expectTaken(tryCreate(server.api, PODS, podOf()));
    const noted = notesOf(server.requests);
    expect(noted).toEqual({ ...BY_POD_SECURITY, "imagepolicywebhook.image-policy.k8s.io/policy": "p1" });
  });

  test("that does not come from a server refuses the pod with the reason", async () => {
    const nobody = await startWebhookServer();
    const gone = await configFromText(kubeconfig(nobody.url, nobody.caBundle));
    await nobody[Symbol.asyncDispose]();
    await using server = await started({ client: gone });
    const address = nobody.url.replace("https://", "");
    const message = `Post "${nobody.url}/?timeout=30s": dial tcp ${address}: connect: connection refused`;
    await expectAnswer(tryCreate(server.api, PODS, podOf()), denied(message));
  });
});

describe("ImagePolicyWebhook keeps an answer", () => {
  const rows: readonly (readonly [
    title: string,
    isAllowed: boolean,
    more: Partial<ImagePolicyWebhookConfiguration>,
    seconds: number,
    calls: number,
  ])[] = [
    ["one that allows, for five minutes", true, {}, 299, 1],
    ["one that allows, not longer", true, {}, 300, 2],
    ["one that allows, as configured", true, { allowTTL: 10 }, 9, 1],
    ["one that allows, not longer than configured", true, { allowTTL: 10 }, 10, 2],
    ["one that allows, not at all", true, { allowTTL: -1 }, 0, 2],
    ["one that denies, for half a minute", false, {}, 29, 1],
    ["one that denies, not longer", false, {}, 30, 2],
    ["one that denies, as configured", false, { denyTTL: 60 }, 59, 1],
    ["one that denies, not at all", false, { denyTTL: -1 }, 0, 2],
  ];
  test.each(rows)("%s", async (_, isAllowed, more, seconds, calls) => {
    hooks.on("/images", status({ allowed: isAllowed }));
    const clock = new ManualClock(Date.now());
    await using server = await started(more, clock);
    await tryCreate(server.api, PODS, podOf());
    clock.moveTo(clock.now() + seconds * 1000);
    const second = await tryCreate(server.api, PODS, podOf({}, { name: "q" }));
    expect([second.status, hooks.calls.length]).toEqual([isAllowed ? 201 : 403, calls]);
  });

  test("for the same images, annotations and namespace", async () => {
    hooks.on("/images", ALLOW);
    await using server = await started();
    await expectTaken(tryCreate(server.api, PODS, podOf()));
    await expectTaken(tryCreate(server.api, PODS, podOf({ containers: [{ name: "c", image: "other" }] })));
    await expectTaken(tryCreate(server.api, PODS, podOf({}, { annotations: { "a.image-policy.k8s.io/y": "2" } })));
    await expectTaken(create(server.api, "/api/v1/namespaces", { metadata: { name: "n" } }));
    await expectTaken(tryCreate(server.api, PODS.replace("default", "n"), podOf()));
    expect(hooks.calls.length).toBe(4);
  });
});

describe("the configuration of ImagePolicyWebhook", () => {
  const read = (text: string) =>
    readImagePolicyWebhookConfiguration(readConfigurationDocument(text), () => Promise.resolve(client));

  test("is read with its kubeconfig", async () => {
    const folder = await mkdtemp(join(tmpdir(), "image-policy-"));
    try {
      const file = join(folder, "kubeconfig");
      await writeFile(file, kubeconfig("https://images.example.com/policy", hooks.caBundle));
      const text = `imagePolicy: {kubeConfigFile: ${file}, allowTTL: 50, denyTTL: 60, retryBackoff: 500, defaultAllow: true}`;
      const configuration = await readImagePolicyWebhookConfiguration(readConfigurationDocument(text));
      expect(configuration).toMatchObject({
        allowTTL: 50,
        denyTTL: 60,
        retryBackoff: 500,
        defaultAllow: true,
        client: { server: "https://images.example.com/policy" },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const bounds: readonly (readonly [field: string, value: number, message: string])[] = [
    ["allowTTL", -2, "valid value is between 1s and 30m0s, got -2s"],
    ["allowTTL", 1801, "valid value is between 1s and 30m0s, got 30m1s"],
    ["denyTTL", 7200, "valid value is between 1s and 30m0s, got 2h0m0s"],
    ["retryBackoff", 300_001, "valid value is between 1ns and 5m0s, got 5m0.001s"],
    ["retryBackoff", -5, "valid value is between 1ns and 5m0s, got -5ms"],
  ];
  test.each(bounds)("is refused with the %s %d", async (field, value, message) => {
    await expect(read(`imagePolicy: {kubeConfigFile: k, ${field}: ${value}}`)).rejects.toThrow(new Error(message));
  });

  test.each([
    ["allowTTL: 1, denyTTL: 1800", 1],
    ["allowTTL: -1, denyTTL: 0", -1],
    ["allowTTL: 1800, retryBackoff: 300000", 1800],
  ])("accepts %s", async (fields, allowTTL) => {
    expect((await read(`imagePolicy: {${fields}}`)).allowTTL).toBe(allowTTL);
  });

  test("refuses an unknown field", async () => {
    const message = 'strict decoding error: unknown field "imagePolicy.ttl"';
    await expect(read("imagePolicy: {ttl: 1}")).rejects.toThrow(new Error(message));
  });

  test("names a missing kubeconfig, and a missing field", async () => {
    const load = (text: string) => readImagePolicyWebhookConfiguration(readConfigurationDocument(text));
    await expect(load("imagePolicy: {kubeConfigFile: /nowhere/kubeconfig}")).rejects.toThrow(
      "/nowhere/kubeconfig: no such file",
    );
    await expect(load("imagePolicy: {}")).rejects.toThrow('the name of the file is ""');
  });

  test("is required", () => {
    expect(() => enabledPlugins({ enable: ["ImagePolicyWebhook"] })).toThrow(
      'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": no config specified',
    );
  });
});
