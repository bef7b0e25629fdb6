import type * as v1 from "../../api/types/apiextensions/v1.js";
import type { Status } from "../../machinery/errors/status-error.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import type { WebhookClientConfig } from "../../api/types/admissionregistration/v1.js";
import { object, list, text } from "../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import type { BatchConversion, Conversion } from "../../machinery/scheme/scheme.js";
import { prune } from "../../machinery/structural/pruning.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import type { CustomVersion } from "./custom-version.js";
import type { KnownDefinition } from "./known-definition.js";
import type { SentForms } from "./sent-forms.js";
import { errorMessage } from "../../base/text/error-message.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import { goQuote } from "../../base/text/go-quote.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import { type AnsweredReview, kindText, readReview } from "../webhook/read-review.js";
import { webhookTarget } from "../webhook/webhook-target.js";
import { type Blame, checkedObject } from "./converted-object.js";

/**
 * The way from another version to the stored one and back, by name alone. What the storage version does not have is on its way
 * there until the object is valid by the version that it came in.
 */
export const conversionByName = (version: CustomVersion): Conversion => ({
  toHub: (one) => one,
  fromHub: (one) => pruned(one, version),
});

/** The way from other versions to the stored one and back by the definition's webhook; `sent` remembers the objects of requests. */
export function conversionByWebhook(
  definition: KnownDefinition,
  stored: CustomVersion,
  webhooks: WebhookClients,
  sent: SentForms,
): (version: CustomVersion) => BatchConversion {
  const { listKind } = definition.accepted;
  let convert: ConvertObjects | undefined;
  const converter = (): ConvertObjects => {
    const { webhook }: FieldsOf<v1.CustomResourceConversion> = object(object(definition.read().spec).conversion);
    return (convert ??= conversionWebhook(object(webhook), webhooks));
  };
  const apiVersion = ({ name }: CustomVersion): string => `${definition.group}/${name}`;
  return (version) => ({
    convertMany: async (given, direction, caller) => {
      const target = direction === "toHub" ? stored : version;
      const converted = await converter()(given, apiVersion(target), { listKind, signal: caller?.signal });
      const shaped = converted.map((one) => pruned(one, target));
      const [form, draft, ...more] = [given[0], ...shaped];
      if (direction === "toHub" && form !== undefined && draft !== undefined && more.length === 0) {
        sent.remember(form, draft);
      }
      return shaped;
    },
  });
}

/** A copy with the fields that the version declares. */
function pruned(given: KubeObject, { structural }: CustomVersion): KubeObject {
  const copy = deepCopy(given) as JsonObject;
  prune(copy, structural, { isResourceRoot: true });
  return copy;
}

const GROUP = "apiextensions.k8s.io";

/** The versions of ConversionReview that there are. */
const REVIEW_VERSIONS = ["v1", "v1beta1"].map((version) => ({ group: GROUP, version }));

/** How much JSON one call asks for: more objects are converted in several calls, so that answers stay within bounds. */
const BYTES_OF_A_CALL = 1024 * 1024;

export interface ConversionOptions {
  /** The kind of lists, "CronTabList", which errors of more objects than one name. */
  readonly listKind: string;
  readonly signal?: AbortSignal | undefined;
}

/** Converts objects of a custom kind to another of its versions. */
type ConvertObjects = (
  objects: readonly KubeObject[],
  desiredApiVersion: string,
  options: ConversionOptions,
) => Promise<readonly KubeObject[]>;

/**
 * The conversion by the webhook of a CustomResourceDefinition: `webhook` is its spec.conversion.webhook. Objects of the
 * desired version are not sent. The answer has as many objects as were given, in their order; those that were given are not
 * changed. It rejects with an Error in the words of apiextensions-apiserver for any answer that is not exactly that. Throws for a
 * clientConfig that cannot be used.
 */
export function conversionWebhook(webhook: FieldsOf<v1.WebhookConversion>, clients: WebhookClients): ConvertObjects {
  const config: FieldsOf<v1.WebhookClientConfig> = object(webhook.clientConfig);
  const target = webhookTarget(
    isBlank(text(config.caBundle)) ? ({ ...config, caBundle: "" } satisfies FieldsOf<WebhookClientConfig>) : config,
  );
  clients.of(target);
  const accepted = list(webhook.conversionReviewVersions).map(text);
  const version = accepted.find((one) => REVIEW_VERSIONS.some((known) => known.version === one));

  async function ask(batch: Batch, desiredApiVersion: string, signal: AbortSignal | undefined): Promise<JsonValue[]> {
    if (version === undefined) throw new Error("no supported conversion review versions");
    const review: GroupVersionKind = { group: GROUP, version, kind: "ConversionReview" };
    const uid = clients.reviewUid();
    const body = encodeReview(review, uid, desiredApiVersion, batch.json);
    const answered = await readReview(await clients.of(target).post(body, { signal }), review, REVIEW_VERSIONS);
    return convertedIn(answered, review, uid);
  }

  return async (objects, desiredApiVersion, { listKind, signal }) => {
    const [first] = objects;
    if (first === undefined) return objects;
    const isList = objects.length > 1;
    const from = { ...parseGroupVersion(first.apiVersion ?? ""), kind: isList ? listKind : (first.kind ?? "") };
    const blamed = `conversion webhook for ${kindText(from)}`;
    const result = [...objects];
    let sent = 0;
    for await (const batch of batches(objects, desiredApiVersion)) {
      let converted: JsonValue[];
      try {
        converted = await ask(batch, desiredApiVersion, signal);
      } catch (error) {
        throw new Error(`${blamed} failed: ${errorMessage(error)}`, {
          cause: error,
        });
      }
      const { places } = batch;
      if (converted.length !== places.length) {
        throw new Error(`${blamed} returned ${converted.length} objects, expected ${places.length}`);
      }
      for (const [index, place] of places.entries()) {
        const [original, answer] = [objects[place], converted[index]];
        if (original === undefined || answer === undefined) continue;
        result[place] = checkedObject(original, answer, desiredApiVersion, blameOf(blamed, isList, sent + index));
        if (sliceIsSpent()) await nextSlice();
      }
      sent += places.length;
    }
    return result;
  };
}

/** Objects that go into one call. */
interface Batch {
  /** Where they are among the objects that were given. */
  readonly places: readonly number[];
  readonly json: readonly string[];
}

/** The objects that are not of the desired version, encoded in slices of the event loop. */
async function* batches(objects: readonly KubeObject[], desiredApiVersion: string): AsyncGenerator<Batch> {
  let places: number[] = [];
  let json: string[] = [];
  let bytes = 0;
  for (const [place, one] of objects.entries()) {
    if (one.apiVersion === desiredApiVersion) continue;
    const encoded = encodeJson(one);
    if (bytes > 0 && bytes + encoded.length > BYTES_OF_A_CALL) {
      yield { places, json };
      [places, json, bytes] = [[], [], 0];
    }
    places.push(place);
    json.push(encoded);
    bytes += encoded.length;
    if (sliceIsSpent()) await nextSlice();
  }
  if (places.length > 0) yield { places, json };
}

function encodeReview(
  { group, version, kind }: GroupVersionKind,
  uid: string,
  desiredApiVersion: string,
  objects: readonly string[],
): Uint8Array {
  const apiVersion = formatGroupVersion({ group, version });
  const request = `{"uid":${encodeJson(uid)},"desiredAPIVersion":${encodeJson(desiredApiVersion)},"objects":[${objects.join()}]}`;
  const response = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';
  return Buffer.from(`{"kind":"${kind}","apiVersion":"${apiVersion}","request":${request},"response":${response}}\n`);
}

/** The objects of an answer that says it is one to this request, and a success; v1beta1 need not say the former. */
function convertedIn({ stated, response }: AnsweredReview, review: GroupVersionKind, uid: string): JsonValue[] {
  const isStrict = review.version === "v1";
  if (isStrict && kindText(stated) !== kindText(review)) {
    throw new Error(`expected webhook response of ${kindText(review)}, got ${kindText(stated)}`);
  }
  if (response === undefined) throw new Error("no response provided");
  const answer: FieldsOf<v1.ConversionResponse> = response;
  const given = text(answer.uid);
  if (isStrict && given !== uid) {
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(given.slice(0, SHOWN_UID))}`);
  }
  const result: FieldsOf<Status> = object(answer.result);
  const status = text(result.status);
  if (status !== "Success") {
    throw new Error(text(result.message) || `response.result.status was '${status}', not 'Success'`);
  }
  return [...list(answer.convertedObjects)] as JsonValue[];
}

/** How much of a wrong uid an error shows. */
const SHOWN_UID = 256;

/** apiextensions-apiserver has other words for an object of a list. */
function blameOf(blamed: string, isList: boolean, index: number): Blame {
  if (!isList) {
    return {
      object: `${blamed} returned invalid object`,
      kind: `${blamed} returned invalid object at index 0`,
      metadata: `${blamed} returned invalid metadata`,
    };
  }
  const object = `${blamed} returned invalid converted object at index ${index}`;
  return { object, kind: object, metadata: `${blamed} returned invalid metadata in object at index ${index}` };
}

const isBlank = (bundle: string): boolean => Buffer.from(bundle, "base64").toString("latin1").trim() === "";
