import { errorMessage } from "../../base/text/error-message.js";
import { readEdited, indented, type PlannedChange, withAdvice } from "./edited-file.js";
import type { StartUp } from "./shell-setup.js";

/**
 * The lines that kubets adds to a file of the user's, between two comments that name them. The first comment records what else was
 * added, so that removing the block restores the text to the byte.
 */
export interface BlockText {
  /** What the comments name, "completion of kubets". One text has at most one block of a name. */
  readonly name: string;
  readonly lines: readonly string[];
  readonly lineEnd: "\n" | "\r\n";
}

/** Where a block stands in a text. */
interface FoundBlock {
  /** Offset of its first character. */
  readonly start: number;
  /** Offset behind its last line, the line's end included. */
  readonly end: number;
  readonly note: Note;
  readonly lines: readonly string[];
}

type Note = (typeof NOTES)[keyof typeof NOTES];

const NOTES = {
  none: "",
  /** The line above had no end: one was added. */
  lineEnd: "; ended the line above",
  /** The file was made to hold the block. */
  newFile: "; made this file",
} as const;

const firstLine = (name: string, note: Note): string => `# >>> ${name} (kubets completion install${note}) >>>`;
const lastLine = (name: string): string => `# <<< ${name} <<<`;

/** Appends the block to a text; `text` is undefined where there is no file yet. */
export function withBlock(text: string | undefined, block: BlockText): string {
  if (text === undefined) return blockText(block, NOTES.newFile);
  const isComplete = text === "" || text.endsWith("\n");
  return isComplete ? text + blockText(block, NOTES.none) : text + block.lineEnd + blockText(block, NOTES.lineEnd);
}

/** Replaces the lines of the block in a text. */
export function withNewLines(text: string, found: FoundBlock, block: BlockText): string {
  return text.slice(0, found.start) + blockText(block, found.note) + text.slice(found.end);
}

/** The text without the block; undefined where the file was made for the block and holds nothing else. */
export function withoutBlock(text: string, { start, end, note }: FoundBlock): string | undefined {
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (note === NOTES.newFile && before + after === "") return undefined;
  if (note === NOTES.lineEnd && after === "") return withoutLineEnd(before, text.slice(start, end));
  return before + passOn(note, after);
}

/** Without the line end that was added, which is that of the block's own lines. */
function withoutLineEnd(text: string, block: string): string {
  const lineEnd = /\r?\n/.exec(block)?.[0] ?? "";
  return text.endsWith(lineEnd) ? text.slice(0, text.length - lineEnd.length) : text;
}

/** A block that follows at once, of another program, takes the note over, and undoes that when it goes. */
function passOn(note: Note, after: string): string {
  return after.replace(/^# >>> [^(\n]+ \(kubets completion install(?=\) >>>\r?\n)/, `$&${note}`);
}

/**
 * Finds the block of that name; undefined where there is none.
 * @throws BlockError where a comment lacks its partner, or there are several blocks
 */
export function findBlock(text: string, name: string): FoundBlock | undefined {
  const notes = new Map<string, Note>(Object.values(NOTES).map((note) => [firstLine(name, note), note]));
  const last = lastLine(name);
  let found: FoundBlock | undefined;
  let open:
    | { readonly start: number; readonly line: number; readonly note: Note; readonly lines: string[] }
    | undefined;
  let offset = 0;
  for (const [index, whole] of text.split(/(?<=\n)/).entries()) {
    const line = whole.trimEnd();
    const note = notes.get(line);
    if (note !== undefined) {
      if (found !== undefined || open !== undefined) throw new BlockError(index + 1, "begins a second time");
      open = { start: offset, line: index + 1, note, lines: [] };
    } else if (line === last) {
      if (open === undefined) throw new BlockError(index + 1, "ends but does not begin");
      found = { start: open.start, end: offset + whole.length, note: open.note, lines: open.lines };
      open = undefined;
    } else open?.lines.push(line);
    offset += whole.length;
  }
  if (open !== undefined) throw new BlockError(open.line, "begins but does not end");
  return found;
}

/** The block is not as it was written. `line` counts from 1. */
class BlockError extends Error {
  override readonly name = "BlockError";
  constructor(
    readonly line: number,
    reason: string,
  ) {
    super(reason);
  }
}

function blockText({ name, lines, lineEnd }: BlockText, note: Note): string {
  return [firstLine(name, note), ...lines, lastLine(name)].map((line) => line + lineEnd).join("");
}

/** All lines of a block for display, its comments included. */
export function linesOf(text: string, { start, end }: FoundBlock): readonly string[] {
  return text
    .slice(start, end)
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}

/** What the comments around the lines name. */
const blockName = (program: string): string => `completion of ${program}`;

/**
 * The change that adds the lines to the file that the shell reads; undefined where the file contains them. @throws when the file
 * cannot be read
 */
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

/** The change that removes the lines from a file; undefined where the file does not contain them. */
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

/** How a file's bytes are read as text and written again without a change to any of them. */
interface RawText {
  decode(bytes: Buffer): string;
  encode(text: string): Buffer;
  /** Text of ours in the form of decoded text, and the way back. */
  fromUnicode(text: string): string;
  toUnicode(text: string): string;
}

/** A character for each byte, whatever they mean: a start-up file may be in any encoding that has ASCII in it. */
const bytes: RawText = {
  decode: (content) => content.toString("latin1"),
  encode: (text) => Buffer.from(text, "latin1"),
  fromUnicode: (text) => Buffer.from(text, "utf8").toString("latin1"),
  toUnicode: (text) => Buffer.from(text, "latin1").toString("utf8"),
};

const utf16: RawText = {
  decode: (content) => content.toString("utf16le"),
  encode: (text) => Buffer.from(text, "utf16le"),
  fromUnicode: (text) => text,
  toUnicode: (text) => text,
};

/** By the byte order mark: Windows PowerShell writes profiles in UTF-16. @throws for a file that cannot be given back as it was */
function rawTextOf(content: Buffer): RawText {
  const isBigEndian = content[0] === 0xfe && content[1] === 0xff;
  const form = content[0] === 0xff && content[1] === 0xfe ? utf16 : bytes;
  if (isBigEndian || (form === utf16 && content.length % 2 === 1)) throw new Error("its encoding is not known");
  return form;
}
