import type { Streams } from "../../cli/factory.js";
import { isFields } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { emitYaml } from "../../machinery/yaml/emit.js";
import type { Look } from "../../printers/look.js";

export interface ShowChangeOptions {
  readonly quiet: boolean;
  readonly streams: Pick<Streams, "err">;
  /** Of stderr. */
  readonly look: Look;
}

/** What a copy may have otherwise than its pod, its name aside. */
export function changeable({ metadata, spec }: KubeObject): JsonObject {
  const { labels, annotations } = metadata ?? {};
  return JSON.parse(JSON.stringify({ metadata: { labels, annotations }, spec })) as JsonObject;
}

/** Shows a person what is about to be written; null is what goes away. */
export function showChange(what: string, change: object, { quiet, streams, look }: ShowChangeOptions): void {
  if (quiet || streams.err.isTTY !== true) return;
  const shown = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const lines = emitYaml(withoutOrders(shown)).trimEnd().split("\n");
  const muted = look.paint?.muted ?? ((line: string) => line);
  streams.err.write(`${[`Changes of ${what}:`, ...lines.map((line) => `  ${line}`)].map(muted).join("\n")}\n`);
}

/** A patch without its directives about the order of lists, which say nothing to a person. */
function withoutOrders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrders);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith("$setElementOrder/"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutOrders(inner)]));
}
