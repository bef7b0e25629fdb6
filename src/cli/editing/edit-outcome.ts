import type { EditFailure, EditReason } from "../../actions/edit/edit-loop.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Info } from "../../resource/info.js";
import { messageOf } from "../error-boundary.js";

/** kubectl's line about an object that was not saved. */
export function failureLine(failure: EditFailure, error: unknown, info: Info): string {
  if (failure === "invalid") return `error: ${named(info)} is invalid`;
  if (failure === "notFound") return `error: ${named(info)} could not be found on the server`;
  return `error: ${named(info)} could not be patched: ${messageOf(error)}`;
}

/** The reasons as comment lines above what has to be edited again; "" when there are none. */
export const reasonComments = (reasons: readonly EditReason[]): string => reasons.map(commentOf).join("");

function commentOf(reason: EditReason): string {
  const details = detailsOf(reason);
  const end = details.length > 0 ? ":" : "";
  return `# ${commented(headOf(reason))}${end}\n${details.map((text) => `# * ${commented(text)}\n`).join("")}#\n`;
}

const headOf = (reason: EditReason): string =>
  reason.type === "syntax"
    ? `The edited file had a syntax error: ${messageOf(reason.error)}`
    : `${named(reason.info)} was not valid`;

function detailsOf(reason: EditReason): readonly string[] {
  if (reason.type === "syntax") return [];
  if (reason.type === "schema") {
    return [`<nil>: Invalid value: "The edited file failed validation": ${messageOf(reason.error)}`];
  }
  const causes = reason.error.status.details?.causes ?? [];
  return causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
}

function named({ mapping, name }: Info): string {
  const { group, resource } = mapping.resource;
  return `${group === "" ? resource : `${resource}.${group}`} ${goQuote(name)}`;
}

/** Keeps text of several lines inside the comment. */
const commented = (text: string): string => text.replace(/\n(?=[^#])/g, "\n# ");
