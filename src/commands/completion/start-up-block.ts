import { errorMessage } from "../../base/text/error-message.js";
import { readEdited } from "./edited-file.js";
import {
  BlockError,
  type BlockText,
  type FoundBlock,
  findBlock,
  linesOf,
  withBlock,
  withNewLines,
  withoutBlock,
} from "./marked-block.js";
import { indented, type PlannedChange, withAdvice } from "./planned-change.js";
import { type RawText, rawTextOf } from "./raw-text.js";
import type { StartUp } from "./shell-setup.js";

/** What the comments around the lines name. */
const blockName = (program: string): string => `completion of ${program}`;

/** The change that brings the lines into the file that the shell reads; undefined where they are in it. @throws when the file cannot be read */
export function addedBlock(startUp: StartUp, program: string): PlannedChange | undefined {
  const byHand = `The script is saved. To finish by hand, add these lines to ${startUp.file}:\n\n${indented(startUp.lines)}`;
  const { file, text, raw } = read(startUp.file, `To set completion up by hand, see "${program} completion --help".`);
  const lineEnd = text === undefined ? startUp.lineEnd : lineEndOf(text, startUp);
  const name = blockName(program);
  const block: BlockText = { name, lines: startUp.lines.map(raw.fromUnicode), lineEnd };
  const found = text === undefined ? undefined : blockIn(text, name, startUp.file);
  if (found !== undefined && found.lines.join("\n") === block.lines.join("\n")) return undefined;
  const changed = text !== undefined && found !== undefined ? withNewLines(text, found, block) : withBlock(text, block);
  const shown = indented(shownBlock(changed, name, raw));
  const place = shownPath(file);
  const announcement = `${additionTo(place, text, found)}\n\n${shown}`;
  return { file, content: raw.encode(changed), announcement, byHand };
}

function lineEndOf(text: string, { takesCrLf }: StartUp): BlockText["lineEnd"] {
  return takesCrLf && text.includes("\r\n") ? "\r\n" : "\n";
}

function additionTo(place: string, text: string | undefined, found: FoundBlock | undefined): string {
  if (text === undefined) return `${place} will be made, with these lines:`;
  if (found === undefined) return `These lines will be added to the end of ${place}:`;
  return `These lines will take the place of those between the same comments in ${place}:`;
}

/** The change that takes the lines out of a file; undefined where it has none. */
export function removedBlock(path: string, program: string): PlannedChange | undefined {
  const name = blockName(program);
  const byHand = `To finish by hand, remove the lines between the comments that name the "${name}" from ${path}.`;
  const { file, text, raw } = read(path, byHand);
  const found = text === undefined ? undefined : blockIn(text, name, path);
  if (text === undefined || found === undefined) return undefined;
  const left = withoutBlock(text, found);
  const lines = indented(linesOf(text, found).map(raw.toUnicode));
  const announcement =
    left === undefined
      ? `${shownPath(file)} will be removed. It was made for these lines, and has no others:\n\n${lines}`
      : `These lines will be removed from ${shownPath(file)}:\n\n${lines}`;
  return { file, content: left === undefined ? undefined : raw.encode(left), announcement, byHand };
}

interface ReadText {
  readonly file: PlannedChange["file"];
  readonly text: string | undefined;
  readonly raw: RawText;
}

function read(path: string, byHand: string): ReadText {
  try {
    const file = readEdited(path);
    const raw = rawOf(file);
    return { file, raw, text: file.content === undefined ? undefined : raw.decode(file.content) };
  } catch (error) {
    throw withAdvice(error, byHand);
  }
}

function rawOf({ path, content }: PlannedChange["file"]): RawText {
  try {
    return rawTextOf(content ?? Buffer.alloc(0));
  } catch (error) {
    throw new Error(`read ${path}: ${errorMessage(error)}`, { cause: error });
  }
}

function blockIn(text: string, name: string, path: string): FoundBlock | undefined {
  try {
    return findBlock(text, name);
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    throw new Error(
      `${path}:${error.line}: the block "${name}" ${error.message} here: repair or remove the block by hand, and run the command again`,
      { cause: error },
    );
  }
}

function shownBlock(text: string, name: string, raw: RawText): readonly string[] {
  const found = findBlock(text, name);
  return found === undefined ? [] : linesOf(text, found).map(raw.toUnicode);
}

function shownPath({ path, target, isLink }: PlannedChange["file"]): string {
  return isLink ? `${path} (a link to ${target})` : path;
}
