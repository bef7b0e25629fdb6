import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { CancellationToken } from "../../../base/async/cancellation.js";
import type { Steps } from "../../../base/async/steps.js";
import type { DecodeOptions } from "../negotiation/decode-body.js";
import type { MediaTypeName, ResponseFormat } from "../negotiation/response-format.js";
import type { TypedObject } from "../../../machinery/wire/decode-typed.js";
import type { Status } from "../../../machinery/errors/status-error.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { ObjectMeta, ListMeta, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ListOfObjects, StoredEvent, StoredObject } from "../../storage/store.js";
import type { ServedResource } from "../served-resource.js";

/** The part of an object that a table row contains. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** The version and the shape in which one request wants the objects of a resource. */
export interface View {
  readonly resource: ServedResource;
  readonly format: ResponseFormat;
  readonly include: IncludeObject;
}

type Eventually<T> = T | Promise<T>;

/**
 * Encodes documents in one media type; no other code knows their encoding. Callers pass only shapes that {@link negotiate} offers
 * for the media type.
 */
export interface Serializer {
  readonly mediaType: MediaTypeName;
  /** Encodes one stored object. */
  object(view: View, stored: StoredObject): Eventually<Uint8Array>;
  /**
   * Encodes an object that is not stored (a Status, a Scale, discovery). With a schema it is encoded as Go writes the type; without one JSON
   * keeps the object as it is, and protobuf looks the schema up by kind and apiVersion.
   */
  value(value: object, format: Pick<ResponseFormat, "pretty">, schema?: StructSchema): Eventually<Uint8Array>;
  /** Encodes a list in parts, which are made while the caller iterates over them, once. `token` is the request's. */
  list(view: View, list: ListOfObjects, token?: CancellationToken): Eventually<Iterable<Uint8Array>>;
  /** Absent for a media type without watches. */
  readonly stream?: StreamSerializer;
  /** Absent for a media type that no store is kept in. */
  readonly storage?: StorageFormat;
  /** Decodes a request body. Throws a 400 StatusError. */
  decode(body: Uint8Array, options: DecodeOptions): Eventually<TypedObject>;
}

/** The media types that objects can be stored in, as kube-apiserver's --storage-media-type. */
export const STORAGE_MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf"] as const;

export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

/** The encoding of stored objects in one media type. */
export interface StorageFormat {
  /** Encodes an object that has its kind and apiVersion. Fields that the schema does not store are left out. Deterministic. */
  encode(object: KubeObject, schema: StructSchema): Uint8Array;
  /** As {@link encode}, in steps. */
  encodeSteps(object: KubeObject, schema: StructSchema): Steps<Uint8Array>;
  /** False when decoded objects lack defaults, as those in protobuf do: an embedded object there does not say its kind. */
  readonly isComplete: boolean;
  /** Decodes an object in the version in which it was stored. `schemaOf` throws for an unknown kind. */
  decode(bytes: Uint8Array, schemaOf: (kind: GroupVersionKind) => StructSchema): KubeObject;
}

/** The watches of one media type. */
export interface StreamSerializer {
  /** The Content-Type of the answer. */
  readonly contentType: string;
  /** Opens a writer for the frames of one watch. `capacity` is about the number of bytes that the caller takes at a time. */
  open(view: View, capacity: number): FrameWriter;
  /** Splits the output of a {@link FrameWriter} into the messages of a WebSocket. */
  messages(frames: Uint8Array): Iterable<Uint8Array>;
  readonly messageType: "text" | "binary";
}

/** Collects the frames of one watch. */
export interface FrameWriter {
  /** The number of bytes added since the last {@link take}. */
  readonly length: number;
  /**
   * Adds the frame of an event. `following` is the largest number of events that come before the next {@link take}. `isShared` is true when
   * other watches of the resource are likely to send the same event, so that its frame is cached.
   */
  addEvent(event: StoredEvent, following: number, isShared: boolean): void;
  /** Adds the frame that tells the client why the watch ends. */
  addError(status: Status): void;
  take(): Uint8Array;
}

/** The metadata of a bookmark, which tells the client how far the watch is. */
export interface BookmarkMetadata {
  readonly resourceVersion: string;
  /** Present in the bookmark that ends the initial events only. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function bookmarkMetadata({ revision, initialEventsEnd }: StoredEvent): BookmarkMetadata {
  return {
    resourceVersion: String(revision),
    ...(initialEventsEnd === true &&
      ({ annotations: { "k8s.io/initial-events-end": "true" } } satisfies FieldsOf<ObjectMeta>)),
  };
}

/** Returns the metadata of a list. */
export function listMetadata(list: ListOfObjects): object {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue !== undefined && ({ continue: list.continue } satisfies FieldsOf<ListMeta>)),
    ...(list.remainingItemCount !== undefined &&
      ({ remainingItemCount: list.remainingItemCount } satisfies FieldsOf<ListMeta>)),
  } satisfies FieldsOf<ListMeta>;
}

/** {@link listMetadata} in the byte order of Go's UnstructuredList, which has an empty `continue` at the end of a list. */
export const unstructuredListMetadata = ({ resourceVersion, remainingItemCount, ...list }: ListOfObjects): object =>
  ({
    continue: list.continue ?? "",
    ...(remainingItemCount !== undefined && ({ remainingItemCount } satisfies FieldsOf<ListMeta>)),
    resourceVersion,
  }) satisfies FieldsOf<ListMeta>;
