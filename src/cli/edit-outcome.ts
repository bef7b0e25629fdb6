import { goQuote } from "../base/go-quote.js";
import { isNotFound, isStatusError } from "../machinery/errors/status-error.js";
import type { Info } from "../resource/info.js";
import { messageOf } from "./error-boundary.js";

/** Why a file has to be edited again: comment lines of the next round. */
interface Reason {
  readonly head: string;
  readonly details: readonly string[];
}

/** What became of one round of editing. */
export class EditOutcome {
  readonly reasons: Reason[] = [];
  /** Objects that may be edited again at once, that could be sent again later, and that are gone. */
  invalid = 0;
  retryable = 0;
  notFound = 0;

  /** Files one object's failure and answers with the line that tells of it. */
  addError(error: unknown, info: Info): string {
    const { group, resource } = info.mapping.resource;
    const named = `${group === "" ? resource : `${resource}.${group}`} ${goQuote(info.name)}`;
    if (isStatusError(error) && error.reason === "Invalid") {
      this.invalid++;
      const causes = error.status.details?.causes ?? [];
      const details = causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
      this.reasons.push({ head: `${named} was not valid`, details });
      return `error: ${named} is invalid`;
    }
    if (isNotFound(error)) {
      this.notFound++;
      return `error: ${named} could not be found on the server`;
    }
    this.retryable++;
    return `error: ${named} could not be patched: ${messageOf(error)}`;
  }

  /** The file does not hold what its kind allows. */
  addFailedValidation(error: unknown, info: Info): string {
    const { group, resource } = info.mapping.resource;
    const named = `${group === "" ? resource : `${resource}.${group}`} ${goQuote(info.name)}`;
    const detail = `<nil>: Invalid value: "The edited file failed validation": ${messageOf(error)}`;
    this.invalid++;
    this.reasons.push({ head: `${named} was not valid`, details: [detail] });
    return `error: ${named} is invalid`;
  }

  addSyntaxError(error: unknown): void {
    this.reasons.push({ head: `The edited file had a syntax error: ${messageOf(error)}`, details: [] });
  }

  /** The reasons as comment lines; "" when there are none. */
  comments(): string {
    return this.reasons
      .map(({ head, details }) => {
        const end = details.length > 0 ? ":" : "";
        return `# ${commented(head)}${end}\n${details.map((text) => `# * ${commented(text)}\n`).join("")}#\n`;
      })
      .join("");
  }
}

/** Keeps text of several lines inside the comment. */
const commented = (text: string): string => text.replace(/\n(?=[^#])/g, "\n# ");
