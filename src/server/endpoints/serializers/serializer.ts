import type { CancellationToken } from "../../../base/async/cancellation.js";
import type { Steps } from "../../../base/async/steps.js";
import type { DecodeOptions } from "../negotiation/decode-body.js";
import type { MediaTypeName, ResponseFormat } from "../negotiation/response-format.js";
import type { TypedObject } from "../../../machinery/wire/decode-typed.js";
import type { Status } from "../../../machinery/errors/status-error.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ListOfObjects, StoredEvent, StoredObject } from "../../storage/store.js";
import type { ServedResource } from "../served-resource.js";

/** What rides inside a table row. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** How one request wants the objects of a resource: the version of the resource, and the shape of the format. */
export interface View {
  readonly resource: ServedResource;
  readonly format: ResponseFormat;
  readonly include: IncludeObject;
}

type Eventually<T> = T | Promise<T>;

/**
 * One media type: the only place that knows how its documents look. Callers pass no shape that {@link negotiate} does not
 * offer for the media type.
 */
export interface Serializer {
  readonly mediaType: MediaTypeName;
  /** The document of one stored object. */
  object(view: View, stored: StoredObject): Eventually<Uint8Array>;
  /**
   * The document of an object that is not stored (a Status, a Scale, discovery). With a schema it is encoded as Go writes the
   * type; without one JSON keeps the object as it is, and protobuf looks the schema up by kind and apiVersion.
   */
  value(value: object, format: Pick<ResponseFormat, "pretty">, schema?: StructSchema): Eventually<Uint8Array>;
  /** The document of a list, in parts that are made while they are read, once. `token` is the request's. */
  list(view: View, list: ListOfObjects, token?: CancellationToken): Eventually<Iterable<Uint8Array>>;
  /** Absent for a media type without watches. */
  readonly stream?: StreamSerializer;
  /** Absent for a media type that no store is kept in. */
  readonly storage?: StorageFormat;
  /** A request body as an object. Throws a 400 StatusError. */
  decode(body: Uint8Array, options: DecodeOptions): Eventually<TypedObject>;
}

/** The media types that objects can be stored in, as kube-apiserver's --storage-media-type. */
export const STORAGE_MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf"] as const;

export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

/** How one media type keeps an object in a store. */
export interface StorageFormat {
  /** The bytes of an object that names its kind. The schema leaves out what is not stored. Deterministic. */
  encode(object: KubeObject, schema: StructSchema): Uint8Array;
  /** As {@link encode}, for an object that is long work. */
  encodeSteps(object: KubeObject, schema: StructSchema): Steps<Uint8Array>;
  /** False when what is decoded lacks defaults: protobuf does not say of what kind an object in another is. */
  readonly isComplete: boolean;
  /** An object in the version it was stored in. `schemaOf` throws for a kind that it does not know. */
  decode(bytes: Uint8Array, schemaOf: (kind: GroupVersionKind) => StructSchema): KubeObject;
}

/** The watches of one media type. */
export interface StreamSerializer {
  /** The Content-Type of the answer. */
  readonly contentType: string;
  /** The frames of one watch. `capacity`: about how many bytes the caller takes at a time. */
  open(view: View, capacity: number): FrameWriter;
  /** Cuts what a {@link FrameWriter} made into the messages of a WebSocket. */
  messages(frames: Uint8Array): Iterable<Uint8Array>;
  readonly messageType: "text" | "binary";
}

/** Frames of one watch on their way out. */
export interface FrameWriter {
  /** Bytes that were added since the last {@link take}. */
  readonly length: number;
  /**
   * Adds the frame of an event. `following`: how many events come after it before the next {@link take}, at most. `isShared`
   * is true when other watches of the resource are likely to send the same event, so that its frame is kept for them.
   */
  addEvent(event: StoredEvent, following: number, isShared: boolean): void;
  /** Adds the frame that tells the client why the watch ends. */
  addError(status: Status): void;
  take(): Uint8Array;
}

/** Metadata of a bookmark: how far the watch is. */
export interface BookmarkMetadata {
  readonly resourceVersion: string;
  /** Only the bookmark that ends the initial events has some. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function bookmarkMetadata({ revision, initialEventsEnd }: StoredEvent): BookmarkMetadata {
  return {
    resourceVersion: String(revision),
    ...(initialEventsEnd === true && { annotations: { "k8s.io/initial-events-end": "true" } }),
  };
}

/** The metadata of a list's answer. */
export function listMetadata(list: ListOfObjects): object {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue !== undefined && { continue: list.continue }),
    ...(list.remainingItemCount !== undefined && { remainingItemCount: list.remainingItemCount }),
  };
}

/** {@link listMetadata} in byte order, as Go's UnstructuredList has it: with a continue that is empty at the end of a list. */
export const unstructuredListMetadata = ({ resourceVersion, remainingItemCount, ...list }: ListOfObjects): object => ({
  continue: list.continue ?? "",
  ...(remainingItemCount !== undefined && { remainingItemCount }),
  resourceVersion,
});
