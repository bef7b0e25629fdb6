import { notAcceptable } from "../../../machinery/errors/status-error.js";
import type { Exchange } from "../../request/exchange.js";
import { prefersPretty } from "../../request/prefers-pretty.js";
import { type MediaType, parseAccept } from "./media-type.js";

export type Shape = "object" | "Table" | "PartialObjectMetadata";

/** How an answer is to look. */
export interface ResponseFormat {
  readonly mediaType: "application/json" | "application/yaml";
  readonly shape: Shape;
  /** Version of meta.k8s.io that Table and PartialObjectMetadata are written in. */
  readonly metaVersion: "v1" | "v1beta1";
  /** Indented, for people. */
  readonly pretty: boolean;
}

const ACCEPTED = "only the following media types are accepted: application/json, application/yaml";

/** Whether a shape can be made of this answer; a list can be a table when its items can. */
export type Offers = (shape: Exclude<Shape, "object">) => boolean;

/**
 * Picks the first clause of the Accept header this server can honour. Protobuf clauses are passed over: clients name
 * another type after it. Throws 406 when nothing is left.
 */
export function negotiate(exchange: Exchange, offers: Offers): ResponseFormat {
  const pretty = prefersPretty(exchange);
  for (const clause of parseAccept(exchange.headers["accept"])) {
    const mediaType = ours(clause.type);
    if (mediaType === undefined) continue;
    const shaped = shapeOf(clause, offers);
    if (shaped !== undefined) return { mediaType, ...shaped, pretty: mediaType === "application/json" && pretty };
  }
  throw notAcceptable(ACCEPTED);
}

/** For answers that have no other shapes (discovery, Status). */
export const negotiatePlain = (exchange: Exchange): ResponseFormat => negotiate(exchange, () => false);

function ours(type: string): ResponseFormat["mediaType"] | undefined {
  switch (type) {
    case "application/json":
    case "application/*":
    case "*/*":
      return "application/json";
    case "application/yaml":
      return "application/yaml";
    default:
      return undefined;
  }
}

function shapeOf(
  { parameters }: MediaType,
  offers: Offers,
): { shape: Shape; metaVersion: "v1" | "v1beta1" } | undefined {
  const as = parameters.get("as");
  if (as === undefined || as === "") return { shape: "object", metaVersion: "v1" };
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  const shape = as === "PartialObjectMetadataList" ? "PartialObjectMetadata" : as;
  if (shape !== "Table" && shape !== "PartialObjectMetadata") return undefined;
  return offers(shape) ? { shape, metaVersion: version } : undefined;
}
