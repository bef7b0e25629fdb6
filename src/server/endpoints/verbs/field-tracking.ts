import type { FieldsOf } from "../../../machinery/meta/received.js";
import { atOnce, type Steps, waitFor } from "../../../base/async/steps.js";
import { encodedView, encodedViewSteps } from "../../../machinery/apply/encoded-view.js";
import { FieldManager } from "../../../machinery/apply/field-manager.js";
import { excluding, type FieldFilter } from "../../../machinery/apply/field-filter.js";
import { type Equal, withoutNewTimesSteps } from "../../../machinery/apply/managed-fields.js";
import { describe } from "../../../machinery/apply/type-descriptor.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import { deepEqual, deepEqualSteps } from "../../../machinery/patch/json-values.js";
import type { ConversionCaller } from "../../../machinery/scheme/scheme.js";
import { assign, metadataOf, timestamp } from "../../registry/metadata.js";
import type { StoredObject } from "../../storage/store.js";
import { andThen, convertOne, type NowOrLater } from "../representation/convert.js";
import type { ServedResource } from "../served-resource.js";
import { headerText } from "../../../base/text/header-text.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { WriteOptions } from "../options/write-options.js";

const trackings = new WeakMap<ServedResource, Map<string, FieldTracking>>();

/** Returns the tracking of a resource's objects, or of a subresource ("status"): the same instance for the same one. */
export function fieldTracking(resource: ServedResource, subresource = ""): FieldTracking {
  let known = trackings.get(resource);
  if (known === undefined) {
    known = new Map();
    trackings.set(resource, known);
  }
  let tracking = known.get(subresource);
  if (tracking === undefined) {
    tracking = new FieldTracking(resource, subresource);
    known.set(subresource, tracking);
  }
  return tracking;
}

/** Keeps metadata.managedFields of hub objects, as requests of one version and subresource change them. */
export class FieldTracking {
  readonly #manager: FieldManager;
  /** The last converted object: a patch needs it twice. */
  #lastShown: { readonly object: KubeObject; readonly view: JsonObject } | undefined;

  constructor(
    private readonly resource: ServedResource,
    subresource: string,
  ) {
    const { codec } = resource;
    const { strategy } = resource;
    const reset = strategy.resetFields?.[subresource] ?? usualResetFields(resource, subresource);
    this.#manager = new FieldManager({
      kind: codec.gvk,
      subresource,
      versions: {
        typeOf: (apiVersion) => {
          const schema = apiVersion === codec.apiVersion ? codec.schema : codec.kindAt(apiVersion)?.schema;
          return schema && describe(schema);
        },
        convert: (object, from, to) => this.#convert(object, from, to),
        resetFields: () => reset,
      },
      empty: {
        ...encodedView({}, codec.schema),
        apiVersion: codec.apiVersion,
        kind: codec.gvk.kind,
      } satisfies FieldsOf<ApiObject>,
      now: secondsOf(resource.now),
    });
  }

  /**
   * Makes `manager` the owner of the fields that `draft` changes. The draft is changed in place. `current` is undefined for a new object.
   * Not for a kind that converts later.
   */
  track(draft: KubeObject, current: StoredObject | undefined, manager: string): void {
    atOnce(this.trackSteps(draft, current, manager, false));
  }

  /** {@link track} in steps, for any kind. Work that is not long has few of them. `caller` is the request: conversions end with it. */
  *trackSteps(
    draft: KubeObject,
    current: StoredObject | undefined,
    manager: string,
    isLongWork: boolean,
    caller?: ConversionCaller,
  ): Steps<void> {
    const metadata = metadataOf(draft);
    const live = current && (yield* this.shownSteps(current, isLongWork, caller));
    yield;
    const next = yield* this.#viewSteps(draft, isLongWork, caller);
    yield;
    const managedFields = yield* this.#manager.updateSteps(live, next, manager, metadata.managedFields);
    yield;
    assign(metadata, "managedFields", yield* settleSteps(live, next, managedFields, isLongWork));
  }

  /** The draft of what `applied` makes of the current object, in steps. Throws a StatusError. */
  *applySteps(
    current: StoredObject | undefined,
    applied: JsonObject,
    manager: string,
    force: boolean,
    isLongWork: boolean,
    caller?: ConversionCaller,
  ): Steps<KubeObject> {
    const live = current && (yield* this.shownSteps(current, isLongWork, caller));
    yield;
    const { managedFields, draft } = yield* this.#mergeSteps(live, applied, manager, force, isLongWork, caller);
    yield;
    const next = yield* this.#viewSteps(draft, isLongWork, caller);
    yield;
    assign(metadataOf(draft), "managedFields", yield* settleSteps(live, next, managedFields, isLongWork));
    return draft;
  }

  /** What an apply makes is read into its type, also on the way to another version: a value that does not fit is the client's. */
  *#mergeSteps(
    live: JsonObject | undefined,
    applied: JsonObject,
    manager: string,
    force: boolean,
    isLongWork: boolean,
    caller: ConversionCaller | undefined,
  ): Steps<{ readonly managedFields: JsonObject[] | undefined; readonly draft: KubeObject }> {
    try {
      const merged = yield* this.#manager.applySteps(live, applied, manager, force);
      yield;
      const { managedFields, ...rest } = merged["metadata"] as JsonObject;
      const draft = yield* this.#decodeSteps(
        { ...merged, metadata: rest } satisfies FieldsOf<ApiObject>,
        isLongWork,
        caller,
      );
      return { managedFields: managedFields as JsonObject[] | undefined, draft };
    } catch (error) {
      if (error instanceof UnmarshalError) throw badRequest(error.message);
      throw error;
    }
  }

  /**
   * A stored object as its JSON reads in the version of the requests, empty structs included, in steps. It is shared and must not be
   * changed.
   */
  *shownSteps(stored: StoredObject, isLongWork: boolean, caller?: ConversionCaller): Steps<JsonObject> {
    const object = stored.object();
    if (this.#lastShown?.object === object) return this.#lastShown.view;
    const { codec } = this.resource;
    yield;
    const shown = codec.shown(stored, caller);
    const one = shown instanceof Promise ? yield* waitFor(shown) : shown;
    const view = isLongWork ? yield* encodedViewSteps(one, codec.schema) : encodedView(one, codec.schema);
    this.#lastShown = { object, view };
    return view;
  }

  *#decodeSteps(value: JsonObject, isLongWork: boolean, caller: ConversionCaller | undefined): Steps<KubeObject> {
    const { codec } = this.resource;
    const { object } = yield* codec.decodePatchedSteps(value, "Ignore", { isLongWork, sharesNothing: true });
    yield;
    return yield* waitFor(codec.toHub(object, caller));
  }

  /** A hub object in the version of the requests, as its JSON reads. */
  *#viewSteps(object: KubeObject, isLongWork: boolean, caller: ConversionCaller | undefined): Steps<JsonObject> {
    const { codec } = this.resource;
    const shown = codec.fromHub(object, caller);
    const one = shown instanceof Promise ? yield* waitFor(shown) : shown;
    return isLongWork ? yield* encodedViewSteps(one, codec.schema) : encodedView(one, codec.schema);
  }

  #convert(object: JsonObject, from: string, to: string): NowOrLater<JsonObject | undefined> {
    const { codec } = this.resource;
    const [source, target] = [codec.kindAt(from), codec.kindAt(to)];
    if (source === undefined || target === undefined) return undefined;
    const decoded = decodeObject<KubeObject>(object, source.schema, { mode: "Ignore" }).object;
    const hub = convertOne(source, decoded, "toHub");
    const converted = andThen(hub, (one) => convertOne(target, one, "fromHub"));
    return andThen(converted, (one) => encodedView(one, target.schema));
  }
}

/** A clock's time as text, made once a second. */
function secondsOf(now: () => number): () => string {
  let second = Number.NaN;
  let text = "";
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      text = timestamp(current * 1000);
    }
    return text;
  };
}

/** managedFields without new times where nothing else is new: nothing is written then. In steps. */
function* settleSteps(
  live: JsonObject | undefined,
  next: JsonObject,
  managedFields: JsonObject[] | undefined,
  isLongWork: boolean,
): Steps<JsonObject[] | undefined> {
  if (live === undefined) return managedFields;
  const before = (live["metadata"] as JsonObject)["managedFields"] as JsonObject[] | undefined;
  const equal: Equal = isLongWork ? deepEqualSteps : deepEqual;
  return yield* withoutNewTimesSteps(before, managedFields, equal, () => equal(unmanaged(live), unmanaged(next)));
}

function unmanaged(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata } satisfies FieldsOf<ApiObject>;
}

/** Where the strategy says nothing: an object is written without its status, and its status without the rest. */
function usualResetFields({ facts }: ServedResource, subresource: string): FieldFilter | undefined {
  const hasStatus = facts.subresources.some(({ name }) => name === "status");
  if (subresource === "") return hasStatus ? WITHOUT_STATUS : undefined;
  return subresource === "status" ? WITHOUT_SPEC : undefined;
}

const WITHOUT_STATUS = excluding("status");
const WITHOUT_SPEC = excluding("spec");

const MAX_BYTES = 128;

/** Returns the field manager of a write: the query's fieldManager, else the part of the User-Agent before the first slash. */
export function fieldManagerName({ exchange }: ApiRequest, { fieldManager }: WriteOptions): string {
  return fieldManager === "" ? prefixOfUserAgent(exchange.headers["user-agent"] ?? "") : fieldManager;
}

const PRINTABLE_ASCII = /^[ -.0-~]{0,128}(?=\/|$)/;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Printable characters only, as many as are kept. */
function prefixOfUserAgent(agent: string): string {
  const plain = PRINTABLE_ASCII.exec(agent);
  if (plain !== null) return plain[0];
  let prefix = "";
  for (const char of headerText(agent).split("/", 1)[0] ?? "") {
    if (!PRINTABLE.test(char)) continue;
    if (Buffer.byteLength(prefix + char) > MAX_BYTES) break;
    prefix += char;
  }
  return prefix;
}
