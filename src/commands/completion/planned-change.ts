import { errorMessage } from "../../base/text/error-message.js";
import type { Random } from "../../base/numbers/random.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { Streams } from "../../cli/connect/factory.js";
import { firstLine } from "../../cli/first-line.js";
import { type EditedFile, writeEdited } from "./edited-file.js";

/** A change of one file, which is shown before it is made. */
export interface PlannedChange {
  readonly file: EditedFile;
  /** Undefined: the file is removed. */
  readonly content: Buffer | undefined;
  /** Says what will happen to the file: a sentence, and the lines it is about. */
  readonly announcement: string;
  /** What a person can do where the file cannot be written. */
  readonly byHand: string;
}

export const yesFlag: FlagSpec = {
  name: "yes",
  short: "y",
  type: "bool",
  default: "false",
  usage: "Make the changes that are shown, without a question.",
};

export interface Agreement {
  /** --yes. */
  readonly isGiven: boolean;
  readonly streams: Streams;
}

/**
 * Shows the changes and asks whether to make them; only "y" agrees. @throws where stdin is no terminal to ask on and --yes is
 * not given
 */
export async function areAgreed(changes: readonly PlannedChange[], { isGiven, streams }: Agreement): Promise<boolean> {
  // A question that goes to a file is seen by no person.
  const shown = streams.out.isTTY === true || isGiven ? streams.out : streams.err;
  for (const { announcement } of changes) shown.write(`${announcement}\n\n`);
  if (isGiven) return true;
  if (streams.in.isTTY !== true) {
    throw new Error("stdin is no terminal to ask on, so nothing was changed: give --yes to make these changes");
  }
  shown.write("Do you want to continue? (y/N): ");
  if ((await firstLine(streams.in)).trim().toLowerCase() === "y") return true;
  shown.write("nothing was changed\n");
  return false;
}

/** @throws what went wrong, and what to do by hand; changes before the one that fails stay. */
export function makeChange({ file, content, byHand }: PlannedChange, random: Random): void {
  try {
    writeEdited(file, content, random);
  } catch (error) {
    throw withAdvice(error, byHand);
  }
}

export function withAdvice(error: unknown, byHand: string): Error {
  const message = errorMessage(error);
  return new Error(`${message}\n${byHand}`, { cause: error });
}

/** Lines of a file, set off from the sentence above them. */
export const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join("\n");
