import { notAcceptable } from "../../../machinery/errors/status-error.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { Exchange } from "../../request/exchange.js";
import { type MediaType, parseAccept } from "./media-type.js";
import { isTrue } from "../../request/request-info.js";

export type Shape = "object" | "Table" | "PartialObjectMetadata";

/** The media types in kube-apiserver's order. A client that accepts any type gets the first one. */
export const MEDIA_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"] as const;

export type MediaTypeName = (typeof MEDIA_TYPES)[number];

/** The form of an answer. */
export interface ResponseFormat {
  readonly mediaType: MediaTypeName;
  readonly shape: Shape;
  /** Version of meta.k8s.io that Table and PartialObjectMetadata are written in. */
  readonly metaVersion: "v1" | "v1beta1";
  /** Indented, for people. */
  readonly pretty: boolean;
}

/** Returns whether an answer can have a shape in a media type; a list can be a table when its items can. */
export type Offers = (shape: Shape, mediaType: MediaTypeName) => boolean;

/**
 * Picks the first clause of the Accept header that the server can satisfy: named types before wildcards, by their weights. Throws
 * 406 when there is none.
 */
export function negotiate(exchange: Exchange, offers: Offers): ResponseFormat {
  const format = negotiated(exchange, offers);
  if (format === undefined)
    throw notAcceptable(`only the following media types are accepted: ${MEDIA_TYPES.join(", ")}`);
  return format;
}

/** As {@link negotiate}, but returns undefined when no clause can be served. */
export function negotiated(exchange: Exchange, offers: Offers): ResponseFormat | undefined {
  for (const clause of parseAccept(exchange.headers["accept"])) {
    const mediaType = ours(clause.type);
    if (mediaType === undefined || !streams(clause, mediaType)) continue;
    const shaped = shapeOf(clause);
    if (shaped === undefined || !offers(shaped.shape, mediaType)) continue;
    return { mediaType, ...shaped, pretty: mediaType === "application/json" && prefersPretty(exchange) };
  }
  return undefined;
}

/** The offers of built-in types without other shapes (discovery, Status, Scale). */
export const PLAIN: Offers = (shape) => shape === "object";

/** Negotiates the format of an answer that has no other shapes. */
export const negotiatePlain = (exchange: Exchange): ResponseFormat => negotiate(exchange, PLAIN);

/** The offers of a resource whose objects have `schema`: tables are never encoded as protobuf, and custom resources only as metadata. */
export const offersOf =
  (schema: () => StructSchema): Offers =>
  (shape, mediaType) => {
    if (mediaType !== "application/vnd.kubernetes.protobuf") return true;
    return shape === "PartialObjectMetadata" || (shape === "object" && hasProtobuf(schema()));
  };

/** Returns whether a type has protobuf numbers, as built-in types have. */
export const hasProtobuf = ({ byName }: StructSchema): boolean => byName.get("metadata")?.protobuf !== undefined;

function ours(type: string): MediaTypeName | undefined {
  switch (type) {
    case "application/*":
    case "*/*":
      return "application/json";
    default:
      return MEDIA_TYPES.find((name) => name === type);
  }
}

/** A clause may name the streaming schema, of which there is one; YAML has none. */
function streams({ parameters }: MediaType, mediaType: MediaTypeName): boolean {
  const stream = parameters.get("stream") ?? "";
  return stream === "" || (stream === "watch" && mediaType !== "application/yaml");
}

function shapeOf({ parameters }: MediaType): { shape: Shape; metaVersion: "v1" | "v1beta1" } | undefined {
  const as = parameters.get("as");
  if (as === undefined || as === "") return { shape: "object", metaVersion: "v1" };
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  const shape = as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : as;
  return shape === "Table" || shape === "PartialObjectMetadata" ? { shape, metaVersion: version } : undefined;
}

/**
 * True when the answer's JSON is to be indented: `?pretty` decides, then whether the user agent is a browser, curl or wget.
 */
function prefersPretty({ query, headers }: Exchange): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return isTrue(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}
