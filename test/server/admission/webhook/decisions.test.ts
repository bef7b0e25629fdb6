import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { configure, CONFIG_MAPS, type Phase } from "../../../helpers/configured-webhooks.js";
import {
  allow,
  type AnswerCall,
  base64,
  deny,
  patch,
  startWebhookServer,
  type WebhookServer,
} from "../../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

let server: AdmittingServer;
let hooks: WebhookServer;

beforeAll(async () => {
  server = await admittingServer({});
  hooks = await startWebhookServer();
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(async () => {
  hooks.calls.length = 0;
  await call(server.api, "DELETE", MAPS);
});

/** Creates a config map while a webhook answers so. */
async function create(phase: Phase, answer: AnswerCall, fields: object = {}, query = "") {
  const clientConfig = hooks.on("/hook", answer);
  await using _ = await configure(server.api, phase, [{ clientConfig, ...fields }]);
  return await call(server.api, "POST", MAPS + query, { metadata: { name: "a" }, data: { a: "1" } });
}

const URL_OF_HOOK = /https:\/\/127\.0\.0\.1:\d+/g;
const UID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const plain = (text: unknown): string => String(text).replace(URL_OF_HOOK, "URL").replace(UID, "UID");

const FAILED = 'Internal error occurred: failed calling webhook "one.webhook.test": ';
const CALL = `${FAILED}failed to call webhook: `;
const INVALID = `${FAILED}received invalid webhook response: `;

describe("an admission webhook that denies a request", () => {
  const BY = 'admission webhook "one.webhook.test" denied the request';
  const rows: readonly (readonly [
    what: string,
    status: object | undefined,
    code: number,
    message: string,
    reason?: string,
  ])[] = [
    ["without a status", undefined, 400, `${BY} without explanation`],
    ["with an empty status", {}, 400, `${BY} without explanation`],
    ["with a message", { message: "no." }, 400, `${BY}: no.`],
    ["with a reason alone", { reason: "Forbidden" }, 400, `${BY}: Forbidden`, "Forbidden"],
    [
      "with message, reason and code",
      { message: "no.", reason: "Forbidden", code: 403 },
      403,
      `${BY}: no.`,
      "Forbidden",
    ],
    ["with a code of success", { message: "no.", code: 200 }, 400, `${BY}: no.`],
    ["with a code of a redirect", { message: "no.", code: 302 }, 400, `${BY}: no.`],
    ["with a code of the server", { message: "no.", code: 503 }, 503, `${BY}: no.`],
    ["with a code that HTTP has none of", { message: "no.", code: 1000 }, 500, `${BY}: no.`],
    ["with the status of a success", { status: "Success", message: "no." }, 400, `${BY}: no.`],
    ["with quotes in the message", { message: 'no "a" <b>\n' }, 400, `${BY}: no "a" <b>\n`],
  ];
  const both = rows.flatMap(([what, status, code, message, reason]) =>
    (["validating", "mutating"] as const).map((phase) => [what, phase, status, code, message, reason] as const),
  );
  test.each(both)("%s, as a %s one", async (_, phase, status, code, message, reason) => {
    const answer = await create(phase, (given) => deny(given, status));
    expect([answer.status, answer.at("code"), answer.at("status"), answer.at("message"), answer.at("reason")]).toEqual([
      code,
      code,
      "Failure",
      message,
      reason,
    ]);
    expect((await call(server.api, "GET", `${MAPS}/a`)).status).toBe(404);
  });

  test("passes its details to the client", async () => {
    const details = {
      name: "a",
      kind: "configmaps",
      causes: [{ reason: "R", message: "m", field: "data" }],
      retryAfterSeconds: 3,
    };
    const answer = await create("validating", (given) => deny(given, { message: "no.", details }));
    expect(answer.at("details")).toEqual(details);
  });

  test("denies with failure policy Ignore too", async () => {
    const answer = await create("validating", (given) => deny(given, { message: "no." }), { failurePolicy: "Ignore" });
    expect(answer.at("message")).toBe(`${BY}: no.`);
  });
});

describe("an admission webhook's answer that is no decision", () => {
  const raw =
    (
      text: string,
      status = 200,
      headers: Record<string, string> = { "content-type": "application/json" },
    ): AnswerCall =>
    (_, response) =>
      void response.writeHead(status, headers).end(text);
  const review =
    (response: object, more: object = {}): AnswerCall =>
    ({ request: { uid } }) => ({
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid, ...response },
      ...more,
    });
  const ALLOWED = { allowed: true };
  const rows: readonly (readonly [what: string, phase: Phase, answer: AnswerCall, message: string])[] = [
    [
      "nothing",
      "validating",
      raw(""),
      `${CALL}0-length response with status code: 200 and content type: application/json`,
    ],
    [
      "no JSON",
      "validating",
      raw("nonsense"),
      `${CALL}couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u')`,
    ],
    [
      "a list",
      "validating",
      raw("[]"),
      `${CALL}couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    [
      "JSON that breaks off",
      "validating",
      raw('{"kind":"AdmissionReview"'),
      `${CALL}couldn't get version/kind; json parse error: unexpected end of JSON input`,
    ],
    ["an empty object", "validating", raw("{}"), `${INVALID}webhook response was absent`],
    ["a null", "validating", raw("null"), `${INVALID}webhook response was absent`],
    [
      "no response",
      "validating",
      raw('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
      `${INVALID}webhook response was absent`,
    ],
    ["a null response", "validating", review({}, { response: null }), `${INVALID}webhook response was absent`],
    [
      "no kind",
      "validating",
      review(ALLOWED, { kind: "", apiVersion: "" }),
      `${INVALID}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
    ],
    [
      "no version",
      "validating",
      review(ALLOWED, { apiVersion: "" }),
      `${INVALID}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview`,
    ],
    [
      "another kind",
      "validating",
      review(ALLOWED, { kind: "Pod", apiVersion: "v1" }),
      `${CALL}no kind "Pod" is registered for version "v1" in scheme "pkg/util/webhook/client.go:71"`,
    ],
    [
      "another version",
      "validating",
      review(ALLOWED, { apiVersion: "admission.k8s.io/v2" }),
      `${CALL}no kind "AdmissionReview" is registered for version "admission.k8s.io/v2" in scheme "pkg/util/webhook/client.go:71"`,
    ],
    [
      "the other version",
      "validating",
      review(ALLOWED, { apiVersion: "admission.k8s.io/v1beta1" }),
      `${CALL}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
    ],
    ["another uid", "validating", review({ ...ALLOWED, uid: "x" }), `${INVALID}expected response.uid="UID", got "x"`],
    ["no uid", "validating", review({ ...ALLOWED, uid: undefined }), `${INVALID}expected response.uid="UID", got ""`],
    [
      "a text for allowed",
      "validating",
      review({ allowed: "yes" }),
      `${CALL}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
    ],
    [
      "a patch of a validating webhook",
      "validating",
      review({ ...ALLOWED, patch: base64([]) }),
      `${INVALID}validating webhook may not return response.patch`,
    ],
    [
      "a patch type of a validating webhook",
      "validating",
      review({ ...ALLOWED, patchType: "JSONPatch" }),
      `${INVALID}validating webhook may not return response.patchType`,
    ],
    [
      "a patch without a type",
      "mutating",
      review({ ...ALLOWED, patch: base64([]) }),
      `${INVALID}webhook returned response.patch but not response.patchType`,
    ],
    [
      "a type without a patch",
      "mutating",
      review({ ...ALLOWED, patchType: "JSONPatch" }),
      `${INVALID}webhook returned response.patchType but not response.patch`,
    ],
    [
      "an empty type",
      "mutating",
      review({ ...ALLOWED, patch: base64([]), patchType: "" }),
      `${INVALID}webhook returned invalid response.patchType of ""`,
    ],
    [
      "another type",
      "mutating",
      review({ ...ALLOWED, patch: base64([{}]), patchType: "MergePatch" }),
      `${FAILED}unsupported patch type "MergePatch"`,
    ],
    [
      "a patch that is no base64",
      "mutating",
      review({ ...ALLOWED, patch: "!", patchType: "JSONPatch" }),
      `${CALL}illegal base64 data at input byte 0`,
    ],
    [
      "a patch that is no JSON",
      "mutating",
      review({ ...ALLOWED, patch: base64("[{"), patchType: "JSONPatch" }),
      `${FAILED}received undecodable patch in webhook response: unexpected end of JSON input`,
    ],
    [
      "a patch that is no list",
      "mutating",
      review({ ...ALLOWED, patch: base64({}), patchType: "JSONPatch" }),
      `${FAILED}received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
    ],
    ["a 404", "validating", raw("", 404), `${CALL}the server could not find the requested resource`],
    ["a 403 with a text", "validating", raw("not you", 403, { "content-type": "text/plain" }), `${CALL}not you`],
    [
      "a 500 with a text",
      "validating",
      raw("out of order", 500, { "content-type": "text/plain" }),
      `${CALL}an error on the server ("out of order") has prevented the request from succeeding`,
    ],
    ["a 503", "validating", raw("", 503), `${CALL}the server is currently unable to handle the request`],
    [
      "a Status",
      "validating",
      raw('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"told so","code":409}', 409),
      `${CALL}told so`,
    ],
    [
      "a redirect",
      "validating",
      raw("", 302, { location: "/other" }),
      `${CALL}the server responded with the status code 302 but did not return more information`,
    ],
    [
      "a redirect that keeps the method",
      "validating",
      raw("", 307, { location: "https://127.0.0.1:1/" }),
      `${CALL}the server responded with the status code 307 but did not return more information`,
    ],
    [
      "a 304",
      "validating",
      raw("", 304),
      `${CALL}the server responded with the status code 304 but did not return more information`,
    ],
    ["no answer", "validating", (_, response) => void response.destroy(), `${CALL}Post "URL/hook?timeout=10s": EOF`],
    [
      "half an answer",
      "validating",
      (_, response) => {
        response.writeHead(200, { "content-length": "100", "content-type": "application/json" });
        response.write("{", () => response.destroy());
      },
      `${CALL}unexpected error when reading response body. Please retry. Original error: unexpected EOF`,
    ],
  ];
  test.each(rows)("fails the request for %s, of a %s webhook", async (_, phase, answer, message) => {
    const { status, at } = await create(phase, answer);
    expect([status, at("reason"), plain(at("message"))]).toEqual([500, "InternalError", message]);
    expect(hooks.calls).toHaveLength(1);
  });

  test.each(rows)("is ignored with failure policy Ignore: %s (%s)", async (_, phase, answer) => {
    expect((await create(phase, answer, { failurePolicy: "Ignore" })).status).toBe(201);
    const [key, value] =
      [...(server.requests.at(-2)?.annotations.entries() ?? [])].find(([name]) => name.startsWith("failed-open")) ?? [];
    const kind = phase === "mutating" ? "mutation" : "validating";
    expect([key, value]).toEqual([`failed-open.${kind}.webhook.admission.k8s.io/round_0_index_0`, "one.webhook.test"]);
  });
});

describe("an admission webhook with v1beta1, whose answer is checked less", () => {
  const V1BETA1 = { admissionReviewVersions: ["v1beta1"] };

  test("needs no uid, kind and version", async () => {
    expect((await create("validating", () => ({ response: { allowed: true } }), V1BETA1)).status).toBe(201);
    expect(JSON.parse(hooks.calls[0]?.body ?? "")).toMatchObject({ apiVersion: "admission.k8s.io/v1beta1" });
  });

  test("needs no type of a patch, and the patch of a validating webhook is ignored", async () => {
    const patched: AnswerCall = () => ({
      response: { allowed: true, patch: base64([{ op: "add", path: "/data/b", value: "2" }]) },
    });
    expect((await create("mutating", patched, V1BETA1)).at("data")).toEqual({ a: "1", b: "2" });
    await call(server.api, "DELETE", MAPS);
    expect((await create("validating", patched, V1BETA1)).at("data")).toEqual({ a: "1" });
  });

  test("is called with the first known version of its list", async () => {
    await create("validating", (given) => allow(given), { admissionReviewVersions: ["v9", "v1beta1", "v1"] });
    expect(JSON.parse(hooks.calls[0]?.body ?? "")).toMatchObject({ apiVersion: "admission.k8s.io/v1beta1" });
  });
});

describe("what an admission webhook returns beside its decision", () => {
  test("its warnings become headers, whether it allows or denies", async () => {
    const warnings = ["first", 'with "quotes"', "first", ""];
    const allowed = await create("validating", (given) => allow(given, { warnings }));
    const expected = ['299 - "first"', '299 - "with \\"quotes\\""'];
    expect(allowed.headers["warning"]).toEqual(expected);
    const denied = await create("mutating", (given) => ({
      ...deny(given),
      response: { uid: given.request["uid"], allowed: false, warnings },
    }));
    expect(denied.headers["warning"]).toEqual(expected);
  });

  test("its long warnings are truncated as in kube-apiserver", async () => {
    const warnings = ["a".repeat(3000), "b".repeat(3000), "c"];
    const { headers } = await create("validating", (given) => allow(given, { warnings }));
    expect(headers["warning"]).toEqual([`299 - "${"a".repeat(256)}"`, `299 - "${"b".repeat(256)}"`, '299 - "c"']);
  });

  test("its audit annotations are recorded under the webhook's name, without invalid keys", async () => {
    const auditAnnotations = { level: "high", "no key": "x", "a/b": "y" };
    await create("validating", (given) => allow(given, { auditAnnotations }));
    expect(Object.fromEntries(server.requests.at(-2)?.annotations.entries() ?? [])).toEqual({
      "one.webhook.test/level": "high",
    });
  });

  test("a mutating webhook's calls and patches are recorded for audit", async () => {
    const operations = [{ op: "add", path: "/data/b", value: "<2>" }];
    await create("mutating", (given) => patch(given, operations));
    expect(Object.fromEntries(server.requests.at(-2)?.annotations.entries() ?? [])).toEqual({
      "mutation.webhook.admission.k8s.io/round_0_index_0":
        '{"configuration":"config","webhook":"one.webhook.test","mutated":true}',
      "patch.webhook.admission.k8s.io/round_0_index_0":
        '{"configuration":"config","webhook":"one.webhook.test","patch":[{"op":"add","path":"/data/b","value":"\\u003c2\\u003e"}],"patchType":"JSONPatch"}',
    });
  });
});

describe("an admission webhook in a dry run", () => {
  test.each(["None", "NoneOnDryRun"])("is called with side effects %s", async (sideEffects) => {
    expect((await create("validating", (given) => allow(given), { sideEffects }, "?dryRun=All")).status).toBe(201);
    expect(hooks.calls[0]?.request).toMatchObject({ dryRun: true, options: { dryRun: ["All"] } });
    expect((await call(server.api, "GET", `${MAPS}/a`)).status).toBe(404);
  });
});

describe("an admission webhook whose stored configuration is invalid:", () => {
  const WEBHOOK = { name: "old.webhook.test", rules: [CONFIG_MAPS], admissionReviewVersions: ["v1"] };
  const rows: readonly (readonly [what: string, fields: object, query: string, status: number, message: string])[] = [
    [
      "with side effects, in a dry run",
      { sideEffects: "Some", failurePolicy: "Ignore" },
      "?dryRun=All",
      400,
      'admission webhook "old.webhook.test" does not support dry run',
    ],
    [
      "with unknown side effects, in a dry run",
      { sideEffects: "Unknown" },
      "?dryRun=All",
      400,
      'admission webhook "old.webhook.test" does not support dry run',
    ],
    [
      "that says nothing of side effects, in a dry run",
      {},
      "?dryRun=All",
      500,
      'Internal error occurred: failed calling webhook "old.webhook.test": Webhook SideEffects is nil',
    ],
    [
      "that takes no review of a known version",
      { admissionReviewVersions: ["v7"] },
      "",
      500,
      'Internal error occurred: failed calling webhook "old.webhook.test": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    ],
    [
      "that names no target",
      { clientConfig: {} },
      "",
      500,
      'Internal error occurred: failed calling webhook "old.webhook.test": could not get REST client: webhook configuration must have either service or URL',
    ],
  ];
  test.each(rows)("%s", async (_, fields, query, status, message) => {
    const kv = openMemoryKv();
    await using old = await admittingServer({}, kv);
    const clientConfig = hooks.on("/hook", (given) => allow(given));
    const configuration = {
      kind: "ValidatingWebhookConfiguration",
      apiVersion: "admissionregistration.k8s.io/v1",
      metadata: { name: "old" },
      webhooks: [{ ...WEBHOOK, clientConfig, namespaceSelector: {}, objectSelector: {}, ...fields }],
    };
    const key = "/registry/validatingwebhookconfigurations/old";
    await kv.create(key, Buffer.from(JSON.stringify(configuration)));
    await call(old.api, "GET", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations");
    const { at, ...answer } = await call(old.api, "POST", MAPS + query, { metadata: { name: "a" } });
    expect([answer.status, at("message")]).toEqual([status, message]);
    expect(hooks.calls).toEqual([]);
  });
});
