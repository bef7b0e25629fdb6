import { inOrder } from "../../base/async/turns.js";
import { inSlices } from "../../base/async/time-slice.js";
import { decodeJsonSteps } from "../../machinery/wire/json/json-decoder.js";
import { statedKind } from "../../machinery/wire/stated-kind.js";
import { decodeObjectSteps, decodeObject } from "../../machinery/wire/strict-decode.js";
import { formatGroupVersion, type GroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { getOwn } from "../../machinery/patch/json-values.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { WebhookAnswer } from "./webhook-client.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import type { RestResponse } from "../../client/rest/rest-client.js";

/** A webhook's answer, with the kind that it states; missing parts are "". */
export interface AnsweredReview {
  readonly stated: GroupVersionKind;
  readonly response: ReadonlyFields | undefined;
}

/**
 * Parses the answer of a webhook as a review of the expected kind, in slices of the event loop. `versions` has the group versions
 * in which the kind exists. Rejects with an Error in apimachinery's words for anything else.
 */
export async function readReview(
  { status, contentType, body }: WebhookAnswer,
  expected: GroupVersionKind,
  versions: readonly GroupVersion[],
): Promise<AnsweredReview> {
  if (body.length === 0) {
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  const { value } = await inSlices(decodeJsonSteps(body, { maxDepth: MAX_DEPTH })).catch((error: unknown) => {
    throw new Error(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ""}`);
  });
  const stated = statedKind(value);
  const kind = {
    group: stated.version === "" ? expected.group : stated.group,
    version: stated.version === "" ? expected.version : stated.version,
    kind: stated.kind === "" ? expected.kind : stated.kind,
  };
  const known = versions.some(({ group, version }) => group === kind.group && version === kind.version);
  if (kind.kind !== expected.kind || !known) {
    throw new Error(
      `no kind "${kind.kind}" is registered for version "${formatGroupVersion(kind)}" in scheme "pkg/util/webhook/client.go:71"`,
    );
  }
  if (kind.version !== expected.version) {
    throw new Error(
      `converting (${kind.version}.${kind.kind}) to (${expected.version}.${expected.kind}): unknown conversion`,
    );
  }
  const { allDefinitions } = await inOrder(import("../../api/facts/unpublished.js"));
  const schema = allDefinitions.schemaFor(expected);
  if (schema === undefined) throw new Error(`no schema for ${expected.kind} in version "${expected.version}"`);
  const { object } = await inSlices(decodeObjectSteps(responseIn(value, schema), schema, { mode: "Ignore" }));
  const { response } = object;
  return { stated, response: response === null ? undefined : (response as ReadonlyFields | undefined) };
}

/** The response alone, with those of its fields that there are: the rest of an answer may be long, and is not looked at. */
function responseIn(value: JsonValue, { byName }: StructSchema): JsonValue {
  const response = isJsonObject(value) ? getOwn(value, "response") : undefined;
  if (response === undefined) return {};
  const schema = byName.get("response")?.schema;
  if (!isJsonObject(response) || schema?.type !== "struct") return { response };
  const known: JsonObject = {};
  for (const { name } of schema.fields) {
    const held = getOwn(response, name);
    if (held !== undefined) known[name] = held;
  }
  return { response: known };
}

/** As deep as a request's body may nest. */
const MAX_DEPTH = 1000;

/** "admission.k8s.io/v1, Kind=AdmissionReview", as Go prints a GroupVersionKind. */
export const kindText = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

/** As deep as an answer may nest. */
const POSTED_DEPTH = 100;

/** Where kube-apiserver makes the scheme that most webhooks' reviews are read with; errors name it. */
const CLIENT_SCHEME = "k8s.io/client-go/kubernetes/scheme/register.go:83";

/**
 * Reads what a webhook answered to a posted review as a review of the same version: an answer that names no kind is one. Rejects
 * with an Error in client-go's words for anything else.
 */
export async function readPostedReview(
  { status, headers, body }: RestResponse,
  expected: GroupVersionKind,
  schema: StructSchema,
  scheme = CLIENT_SCHEME,
): Promise<JsonObject> {
  if (body.length === 0) {
    const type = headers["content-type"];
    throw new Error(
      `0-length response with status code: ${status} and content type: ${typeof type === "string" ? type : ""}`,
    );
  }
  const value = decoded(body);
  const stated = statedKind(value);
  const answered = {
    group: stated.version === "" ? expected.group : stated.group,
    version: stated.version || expected.version,
    kind: stated.kind || expected.kind,
  };
  if (answered.kind !== expected.kind || answered.group !== expected.group || answered.version !== expected.version) {
    throw new Error(await wrongKind(answered, expected, scheme));
  }
  return decodeObject(value, schema, { mode: "Ignore" }).object as JsonObject;
}

function decoded(body: Uint8Array): JsonValue {
  try {
    return decodeJson(body, { maxDepth: POSTED_DEPTH }).value;
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}

/** A kind that Kubernetes has cannot be converted; any other it does not know. */
async function wrongKind(answered: GroupVersionKind, expected: GroupVersionKind, scheme: string): Promise<string> {
  const { allDefinitions } = await inOrder(import("../../api/facts/unpublished.js"));
  if (allDefinitions.schemaFor(answered) === undefined) {
    return `no kind "${answered.kind}" is registered for version "${formatGroupVersion(answered)}" in scheme "${scheme}"`;
  }
  return `converting (${answered.version}.${answered.kind}) to (${expected.version}.${expected.kind}): unknown conversion`;
}
