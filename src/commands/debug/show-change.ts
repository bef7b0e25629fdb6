import type { Streams } from "../../cli/connect/factory.js";
import { isFields } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { type Look, unpainted } from "../../printers/look.js";

export interface ShowChangeOptions {
  readonly quiet: boolean;
  readonly streams: Pick<Streams, "err">;
  /** Of stderr. */
  readonly look: Look;
  /** -v or --vmodule was given. */
  readonly verbose: boolean;
}

/** What a change is made of. */
interface ChangedPod {
  /** "pod/web" */
  readonly of: string;
  /** The change in a few words. Undefined where the command has told already what it makes. */
  readonly summary?: string;
}

/** What a copy may have otherwise than its pod, its name aside. */
export function changeable({ metadata, spec }: KubeObject): JsonObject {
  const { labels, annotations } = metadata ?? {};
  return JSON.parse(JSON.stringify({ metadata: { labels, annotations }, spec })) as JsonObject;
}

/** Tells a person in one line what is about to be written, or with -v shows all of it; null is what goes away. */
export function showChange(
  { of, summary }: ChangedPod,
  change: object,
  { quiet, streams, look, verbose }: ShowChangeOptions,
): void {
  if (quiet || streams.err.isTTY !== true) return;
  const { muted } = look.paint ?? unpainted;
  const short = summary === undefined ? [] : [`${summary} (-v=1 shows all changes)`];
  const lines = verbose ? [`Changes of ${of}:`, ...changeLines(change)] : short;
  if (lines.length > 0) streams.err.write(`${lines.map(muted).join("\n")}\n`);
}

function changeLines(change: object): readonly string[] {
  const shown = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const lines = emitYaml(withoutOrders(shown)).trimEnd().split("\n");
  return lines.map((line) => `  ${line}`);
}

/** A patch without its directives about the order of lists, which say nothing to a person. */
function withoutOrders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrders);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith("$setElementOrder/"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutOrders(inner)]));
}
