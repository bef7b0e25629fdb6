import { inOrder } from "../../base/async/turns.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { statedKind } from "../../machinery/wire/stated-kind.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { RestResponse } from "../../client/rest/rest-client.js";

/** As deep as an answer may nest. */
const MAX_DEPTH = 100;

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
    return decodeJson(body, { maxDepth: MAX_DEPTH }).value;
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
