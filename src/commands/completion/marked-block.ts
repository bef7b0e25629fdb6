/**
 * Lines of ours in a file of the user's, between two comments that name them. The first comment notes what else was added,
 * so that removing the block gives back the text as it was before, to the byte.
 */
export interface BlockText {
  /** What the comments name, "completion of kubets". One text has at most one block of a name. */
  readonly name: string;
  readonly lines: readonly string[];
  readonly lineEnd: "\n" | "\r\n";
}

/** Where a block stands in a text. */
export interface FoundBlock {
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

/** The text with the block at its end. `text` is undefined where there is no file yet. */
export function withBlock(text: string | undefined, block: BlockText): string {
  if (text === undefined) return blockText(block, NOTES.newFile);
  const isComplete = text === "" || text.endsWith("\n");
  return isComplete ? text + blockText(block, NOTES.none) : text + block.lineEnd + blockText(block, NOTES.lineEnd);
}

/** The text with the block's lines in place of those that it has. */
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
 * The block of that name, or undefined.
 * @throws BlockError where a comment stands without its partner, or there are several blocks
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
export class BlockError extends Error {
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

/** All lines of a block, its comments included, as a person is shown them. */
export function linesOf(text: string, { start, end }: FoundBlock): readonly string[] {
  return text
    .slice(start, end)
    .trimEnd()
    .split("\n")
    .map((line) => line.trimEnd());
}
