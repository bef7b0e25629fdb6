import type { IngressClass } from "../../../api/types/networking/v1.js";
import type { StorageClass } from "../../../api/types/storage/v1.js";
import type { ReceivedObject } from "../../../machinery/meta/received.js";
import { name } from "../tables/cells.js";

/** The name of a class, marked when one of these annotations makes it the default. */
export function withDefaultMark(
  object_: ReceivedObject<IngressClass | StorageClass>,
  annotations: readonly string[],
): string {
  const marked = annotations.some((annotation) => object_.metadata?.annotations?.[annotation] === "true");
  return marked ? `${name(object_)} (default)` : name(object_);
}
