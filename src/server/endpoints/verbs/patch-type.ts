import { unsupportedMediaType } from "../../../machinery/errors/status-error.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { ServedResource } from "../served-resource.js";
import { parseMediaType } from "../negotiation/media-type.js";

export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";

export const PATCH_TYPES = [JSON_PATCH, "application/merge-patch+json", STRATEGIC] as const;

/** A patch that is computed from the patch and the object alone. */
export type PatchType = (typeof PATCH_TYPES)[number];

/** Returns the type of a patch by its content type. Throws 415 for one that the resource does not support. */
export function patchTypeOf(request: ApiRequest, { codec }: ServedResource): PatchType | typeof APPLY {
  const { type } = parseMediaType(request.exchange.headers["content-type"] ?? "");
  const isCustom = codec.schema.conform !== undefined;
  // A strategic merge reads the patch strategies of Go's types, which a custom resource has none of.
  const known = [...PATCH_TYPES.filter((one) => !isCustom || one !== STRATEGIC), APPLY] as const;
  const found = known.find((one) => one === type);
  if (found !== undefined) return found;
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${known.join(", ")}`,
  );
}
