import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemTimers } from "../../../src/base/time/timers.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { conversionWebhook } from "../../../src/server/extensions/custom-conversion.js";
import { WebhookClients } from "../../../src/server/webhook/webhook-clients.js";
import {
  type AnswerCall,
  NO_CALL,
  startWebhookServer,
  type WebhookCall,
  type WebhookServer,
} from "../../helpers/webhook-server.js";

const V1 = "stable.example.com/v1";
const V2 = "stable.example.com/v2";
const listKind = "CronTabList";

let hooks: WebhookServer;
const clients = new WebhookClients(
  { clock: systemClock, timers: systemTimers, env: {}, locate: () => Promise.reject(new Error("no services here")) },
  systemRandom,
);

beforeAll(async () => {
  hooks = await startWebhookServer();
});

afterAll(async () => {
  await clients.close();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(() => {
  hooks.calls.length = 0;
});

const cronTab = (name: string, more: object = {}): KubeObject => ({
  apiVersion: V1,
  kind: "CronTab",
  metadata: {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    generation: 3,
    labels: { a: "1" },
    annotations: { b: "2" },
  },
  spec: { cron: "* * * * */5" },
  ...more,
});

const objectsOf = ({ request }: WebhookCall): JsonObject[] => request["objects"] as JsonObject[];

/** A success with these objects. */
const success = (call: WebhookCall, convertedObjects: unknown, more: object = {}): object => ({
  kind: "ConversionReview",
  apiVersion: (JSON.parse(call.body) as { apiVersion: string }).apiVersion,
  response: { uid: call.request["uid"], result: { status: "Success" }, convertedObjects, ...more },
});

/** What the webhook of the tests makes of an object. */
const converted = (object: JsonObject): JsonObject => {
  const { spec, ...rest } = object as JsonObject & { spec: { cron: string } };
  return { ...rest, apiVersion: V2, spec: { cronSpec: spec.cron } };
};

const convert = (answer: AnswerCall, objects: readonly KubeObject[], fields: object = {}) => {
  const clientConfig = hooks.on("/convert", answer);
  const convertObjects = conversionWebhook({ clientConfig, conversionReviewVersions: ["v1"], ...fields }, clients);
  return convertObjects(objects, V2, { listKind });
};

describe("a custom resource conversion", () => {
  const answer: AnswerCall = (call) => success(call, objectsOf(call).map(converted));

  test.each(["v1", "v1beta1"])("of one object by ConversionReview %s", async (version) => {
    const before = structuredClone(cronTab("a"));
    const object = cronTab("a");
    expect(await convert(answer, [object], { conversionReviewVersions: ["v7", version] })).toEqual([
      { ...before, apiVersion: V2, spec: { cronSpec: "* * * * */5" } },
    ]);
    expect(object).toEqual(before);
    const [{ body, path } = NO_CALL] = hooks.calls;
    expect(JSON.parse(body)).toMatchObject({
      kind: "ConversionReview",
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, desiredAPIVersion: V2, objects: [before] },
    });
    expect(path).toBe("/convert?timeout=30s");
  });

  test("of many objects is one call, without those that have the desired version already", async () => {
    const there = { ...cronTab("b"), apiVersion: V2 };
    const result = await convert(answer, [cronTab("a"), there, cronTab("c")]);
    expect(result.map(({ apiVersion, metadata }) => [apiVersion, metadata?.name])).toEqual([
      [V2, "a"],
      [V2, "b"],
      [V2, "c"],
    ]);
    expect(result[1]).toBe(there);
    expect(hooks.calls.map((call) => objectsOf(call).length)).toEqual([2]);
  });

  test("of no objects, or of none that needs it, calls no webhook", async () => {
    expect(await convert(answer, [])).toEqual([]);
    await convert(answer, [{ ...cronTab("b"), apiVersion: V2 }]);
    expect(hooks.calls).toEqual([]);
  });

  test("of very many bytes is several calls", async () => {
    const objects = Array.from({ length: 30 }, (_, index) =>
      cronTab(`n${index}`, { spec: { cron: "x".repeat(100_000) } }),
    );
    const result = await convert(answer, objects);
    expect(result.map(({ metadata }) => metadata?.name)).toEqual(objects.map(({ metadata }) => metadata?.name));
    expect(hooks.calls.map((call) => objectsOf(call).length)).toEqual([10, 10, 10]);
  });

  test("may change labels and annotations, and no other metadata", async () => {
    const [result] = await convert(
      (call) =>
        success(
          call,
          objectsOf(call).map((object) => ({
            ...converted(object),
            metadata: {
              name: "a",
              namespace: "default",
              uid: "uid-a",
              generation: 9,
              finalizers: ["x"],
              labels: { c: "3" },
            },
          })),
        ),
      [cronTab("a")],
    );
    expect(result?.metadata).toEqual({
      name: "a",
      namespace: "default",
      uid: "uid-a",
      generation: 3,
      labels: { c: "3" },
    });
  });

  test("keeps integers beyond 2^53", async () => {
    const [result] = await convert(
      (call) =>
        call.body &&
        JSON.stringify(success(call, objectsOf(call).map(converted))).replace('"* * * * */5"', "9007199254740993"),
      [cronTab("a")],
    );
    expect(result?.["spec"]).toEqual({ cronSpec: 9007199254740993n });
  });
});

describe("an invalid answer of a conversion webhook", () => {
  const OF = "conversion webhook for stable.example.com/v1, Kind=CronTab";
  const FAILED = `${OF} failed: `;
  const INVALID = `${OF} returned invalid object at index 0: `;
  const META = `${OF} returned invalid metadata: `;
  const with_ =
    (change: (object: JsonObject) => unknown): AnswerCall =>
    (call) =>
      success(
        call,
        objectsOf(call).map((object) => change(converted(object))),
      );
  const metadata = (more: object) =>
    with_((object) => ({ ...object, metadata: { ...(object["metadata"] as object), ...more } }));
  const raw =
    (text: string, status = 200): AnswerCall =>
    (_, response) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(text);
  const review =
    (response: unknown, more: object = {}): AnswerCall =>
    (call) => ({
      ...success(call, []),
      ...(response !== undefined && { response: { uid: call.request["uid"], ...(response as object) } }),
      ...more,
    });

  const rows: readonly (readonly [what: string, answer: AnswerCall, message: string])[] = [
    ["nothing", raw(""), `${FAILED}0-length response with status code: 200 and content type: application/json`],
    [
      "no JSON",
      raw("<html>"),
      `${FAILED}couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value`,
    ],
    ["a 500", raw("", 500), `${FAILED}an error on the server ("unknown") has prevented the request from succeeding`],
    [
      "a redirect",
      (_, response) => void response.writeHead(301, { location: "/elsewhere" }).end(),
      `${FAILED}the server responded with the status code 301 but did not return more information`,
    ],
    [
      "another kind",
      raw('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
      `${FAILED}no kind "AdmissionReview" is registered for version "admission.k8s.io/v1" in scheme "pkg/util/webhook/client.go:71"`,
    ],
    [
      "no kind",
      review(undefined, { kind: "", apiVersion: "" }),
      `${FAILED}expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    [
      "another version",
      review(undefined, { apiVersion: "apiextensions.k8s.io/v1beta1" }),
      `${FAILED}converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
    ],
    ["no response", review(undefined, { response: null }), `${FAILED}no response provided`],
    [
      "another uid",
      review({ uid: "x", result: { status: "Success" } }),
      `${FAILED}expected response.uid="UID", got "x"`,
    ],
    ["no result", review({}), `${FAILED}response.result.status was '', not 'Success'`],
    [
      "a failure",
      review({ result: { status: "Failed" } }),
      `${FAILED}response.result.status was 'Failed', not 'Success'`,
    ],
    [
      "a failure with a message",
      review({ result: { status: "Failed", message: "no such cron" } }),
      `${FAILED}no such cron`,
    ],
    [
      "a result of a wrong type",
      review({ result: "Success" }),
      `${FAILED}json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status`,
    ],
    [
      "too few objects",
      review({ result: { status: "Success" }, convertedObjects: [] }),
      `${OF} returned 0 objects, expected 1`,
    ],
    [
      "too many objects",
      (call) => success(call, [...objectsOf(call), ...objectsOf(call)]),
      `${OF} returned 2 objects, expected 1`,
    ],
    [
      "the same version",
      with_((object) => ({ ...object, apiVersion: V1 })),
      `${INVALID}invalid groupVersion (expected ${V2}, received ${V1})`,
    ],
    [
      "no version",
      with_((object) => ({ ...object, apiVersion: undefined })),
      `${INVALID}invalid groupVersion (expected ${V2}, received )`,
    ],
    [
      "another kind of object",
      with_((object) => ({ ...object, kind: "Tab" })),
      `${INVALID}invalid kind (expected CronTab, received Tab)`,
    ],
    [
      "no kind of object",
      with_(({ apiVersion }) => ({ apiVersion: apiVersion ?? "" })),
      `${INVALID}Object 'Kind' is missing in '{"apiVersion":"${V2}"}'`,
    ],
    ["a null for the object", with_(() => null), `${INVALID}unexpected end of JSON input`],
    ["another name", metadata({ name: "b" }), `${OF} returned invalid object: must have the same name: a != b`],
    [
      "another namespace",
      metadata({ namespace: "b" }),
      `${OF} returned invalid object: must have the same namespace: default != b`,
    ],
    [
      "another uid of the object",
      metadata({ uid: "b" }),
      `${OF} returned invalid object: must have the same UID: uid-a != b`,
    ],
    [
      "no metadata",
      with_((object) => ({ ...object, metadata: undefined })),
      `${OF} returned invalid object: must have the same name: a != `,
    ],
    [
      "labels that are no object",
      metadata({ labels: ["a"] }),
      `${META}invalid metadata.labels of type []interface {} in converted object`,
    ],
    [
      "a label that is a number",
      metadata({ labels: { a: 1 } }),
      `${META}metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      "a label that is none",
      metadata({ labels: { a: "no label" } }),
      `${META}metadata.labels: Invalid value: "no label": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      "an annotation with a wrong key",
      metadata({ annotations: { "a/b/c": "x" } }),
      `${META}metadata.annotation: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters`,
    ],
  ];
  test.each(rows)("%s is an error", async (_, answer, message) => {
    const failing = convert(answer, [cronTab("a")]).then(
      () => "converted",
      (error: unknown) =>
        String(error)
          .replace("Error: ", "")
          .replace(/response\.uid="[^"]+"/, 'response.uid="UID"'),
    );
    const said = await failing;
    if (message.endsWith("alphanumeric characters"))
      expect(said.startsWith(`${META}metadata.annotation: Invalid value: "a/b/c": `)).toBe(true);
    else expect(said).toBe(message);
  });

  test("names the place of the failing object among many", async () => {
    const objects = [cronTab("a"), cronTab("b")];
    const OF_LIST = "conversion webhook for stable.example.com/v1, Kind=CronTabList";
    const only =
      (change: (object: JsonObject) => JsonObject): AnswerCall =>
      (call) =>
        success(
          call,
          objectsOf(call).map((object, index) => (index === 1 ? change(converted(object)) : converted(object))),
        );
    await expect(
      convert(
        only((object) => ({ ...object, kind: "Tab" })),
        objects,
      ),
    ).rejects.toThrow(
      `${OF_LIST} returned invalid converted object at index 1: invalid kind (expected CronTab, received Tab)`,
    );
    const labelled = only((object) => ({
      ...object,
      metadata: { ...(object["metadata"] as object), labels: { a: false } },
    }));
    await expect(convert(labelled, objects)).rejects.toThrow(
      `${OF_LIST} returned invalid metadata in object at index 1: metadata.labels[a] must be a string, but is bool in converted object`,
    );
    await expect(convert((call) => success(call, [converted(objectsOf(call)[0] ?? {})]), objects)).rejects.toThrow(
      `${OF_LIST} returned 1 objects, expected 2`,
    );
  });

  test("is not one that keeps labels which were invalid before", async () => {
    const object = cronTab("a", { metadata: { name: "a", labels: { a: "no label" } } });
    const [result] = await convert((call) => success(call, objectsOf(call).map(converted)), [object]);
    expect(result?.metadata?.labels).toEqual({ a: "no label" });
  });

  test("may in v1beta1 lack uid, kind and version", async () => {
    const answer: AnswerCall = (call) => ({
      response: { result: { status: "Success" }, convertedObjects: objectsOf(call).map(converted) },
    });
    expect(await convert(answer, [cronTab("a")], { conversionReviewVersions: ["v1beta1"] })).toHaveLength(1);
  });

  test("cannot come from a webhook that accepts no known review version: it is not called", async () => {
    await expect(convert(() => undefined, [cronTab("a")], { conversionReviewVersions: ["v3"] })).rejects.toThrow(
      `${FAILED}no supported conversion review versions`,
    );
    expect(hooks.calls).toEqual([]);
  });

  test("is also a connection on which nothing listens", async () => {
    const clientConfig = { ...hooks.on("/convert", () => undefined), url: "https://127.0.0.1:1/convert" };
    await expect(convert(() => undefined, [cronTab("a")], { clientConfig })).rejects.toThrow(
      `${FAILED}Post "https://127.0.0.1:1/convert?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused`,
    );
  });

  test("is prevented for a wrong caBundle, refused at once; blanks count as no caBundle", () => {
    const blank = { ...hooks.on("/convert", () => undefined), caBundle: Buffer.from(" \n").toString("base64") };
    expect(() => conversionWebhook({ clientConfig: blank }, clients)).not.toThrow();
    const wrong = { ...blank, caBundle: Buffer.from("x").toString("base64") };
    expect(() => conversionWebhook({ clientConfig: wrong }, clients)).toThrow(
      "unable to load root certificates: unable to parse bytes as PEM block",
    );
  });
});
