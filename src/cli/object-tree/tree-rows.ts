import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";
import type { Branch } from "./branches.js";

export const TREE_HEADINGS = ["NAME", "READY", "STATUS", "AGE"] as const;

/** The cells of a line of the tree, below {@link TREE_HEADINGS}. `now` is in milliseconds. */
export function treeCells({ lead, object, again }: Branch, now: number): readonly string[] {
  const { title, metadata, ready, status } = object;
  if (again) return [`${lead}${title}`, "", "(above)"].map(escapeForTerminal);
  const { creationTimestamp: created } = metadata;
  const age = object.age || (typeof created === "string" ? humanDuration(now - Date.parse(created)) : "");
  return [`${lead}${title}`, ready || "-", status || "-", age || "-"].map(escapeForTerminal);
}
