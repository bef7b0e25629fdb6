import type { KubeObject } from "../../../machinery/meta/object.js";
import { name } from "../tables/cells.js";

/** The name of a class, marked when one of these annotations makes it the default. */
export function withDefaultMark(object_: KubeObject, annotations: readonly string[]): string {
  const marked = annotations.some((annotation) => object_.metadata?.annotations?.[annotation] === "true");
  return marked ? `${name(object_)} (default)` : name(object_);
}
