import type { History } from "./read-commands.js";

/** More is refused with a bell. */
const LONGEST_LINE = 4096;
const BELL = "\x07";
const ESCAPE = "\x1b";
const CLEAR_BELOW = `${ESCAPE}[J`;
const CLEAR_SCREEN = `${ESCAPE}[H${CLEAR_BELOW}`;
/** A longer sequence of keys is none that is known. */
const LONGEST_SEQUENCE = 16;
/** Combining marks and joiners stand on what came before them. */
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}]/u;
const TWO_COLUMNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** The end of editing a line: by Return, by Ctrl-C, or by Ctrl-D on an empty line. */
export type EditedLine =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" };

/** A place on the screen, from the beginning of the prompt on. */
interface Place {
  readonly row: number;
  readonly column: number;
}

type Action = (editor: LineEditor) => void;

/** Edits a line as busybox does: it applies keys, and computes what the terminal shows. */
export class LineEditor {
  #characters: string[] = [];
  #cursor = 0;
  /** Where the terminal's cursor is. */
  #shown: Place = { row: 0, column: 0 };
  /** Where the line ends that it shows. */
  #end: Place = { row: 0, column: 0 };
  /** The bytes of a character, or the characters of a sequence, that have not all come. */
  #bytes: number[] = [];
  #sequence = "";
  #output = "";
  /** From which character on the terminal shows another line than this one. */
  #changed: number | undefined;
  #isRefused = false;
  #ended: EditedLine | undefined;
  /** Which entry of the history is shown; its length is the line itself, which `#draft` keeps meanwhile. */
  #entry: number;
  #draft = "";

  constructor(
    private readonly prompt: string,
    private readonly history: History,
    /** Asked at each change: the window may have another size by then. */
    private readonly columns: () => number,
  ) {
    this.#entry = history.length;
    this.#write(prompt);
    this.#shown = this.#placeOf(0);
  }

  /** What the terminal is to show since this was read last: one drawing, however many keys there were. */
  takeOutput(): string {
    this.#draw();
    if (this.#isRefused) this.#output += BELL;
    this.#isRefused = false;
    const output = this.#output;
    this.#output = "";
    return output;
  }

  /** Takes a byte that was typed; gives the line once it has ended. */
  type(byte: number): EditedLine | undefined {
    const character = this.#decoded(byte);
    if (character !== undefined) this.#key(character);
    return this.#ended;
  }

  /** The character that a byte completes. */
  #decoded(byte: number): string | undefined {
    if (byte < 0x80) {
      this.#bytes = [];
      return String.fromCharCode(byte);
    }
    const isFirst = byte >= 0xc0;
    if (isFirst) this.#bytes = [byte];
    else if (this.#bytes.length > 0) this.#bytes.push(byte);
    const [first = 0] = this.#bytes;
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (this.#bytes.length < length) return undefined;
    const character = Buffer.from(this.#bytes).toString("utf8");
    this.#bytes = [];
    return character;
  }

  #key(character: string): void {
    if (this.#sequence !== "") {
      this.#sequence += character;
      if (!isComplete(this.#sequence)) {
        if (this.#sequence.length > LONGEST_SEQUENCE) this.#sequence = "";
        return;
      }
      const action = SEQUENCES.get(this.#sequence.slice(1));
      this.#sequence = "";
      action?.(this);
      return;
    }
    if (character === ESCAPE) {
      this.#sequence = ESCAPE;
      return;
    }
    const action = KEYS.get(character);
    if (action !== undefined) action(this);
    else if (character >= " ") this.insert(character);
  }

  insert(character: string): void {
    if (this.#characters.length >= LONGEST_LINE) {
      this.#isRefused = true;
      return;
    }
    this.#changes(this.#cursor);
    this.#characters.splice(this.#cursor, 0, character);
    this.#cursor += 1;
  }

  enter(): void {
    this.#drawToEnd();
    this.#output += "\n";
    this.#ended = { kind: "line", text: this.#characters.join("") };
  }

  interrupt(): void {
    this.#drawToEnd();
    this.#output += "^C\n";
    this.#ended = { kind: "interrupt" };
  }

  deleteOrEnd(): void {
    if (this.#characters.length === 0) this.#ended = { kind: "end" };
    else this.deleteTo(this.#cursor + 1);
  }

  clearScreen(): void {
    this.#output += CLEAR_SCREEN;
    this.#shown = { row: 0, column: 0 };
    this.#write(this.prompt);
    this.#shown = this.#placeOf(0);
    this.#changes(0);
  }

  /** Draws the prompt and the line anew, where the terminal may show something else. */
  redraw(): void {
    if (this.#shown.row > 0) this.#output += `${ESCAPE}[${this.#shown.row}A`;
    this.#output += `\r${CLEAR_BELOW}`;
    this.#write(this.prompt);
    this.#shown = this.#placeOf(0);
    this.#changes(0);
  }

  get cursor(): number {
    return this.#cursor;
  }

  get length(): number {
    return this.#characters.length;
  }

  moveTo(cursor: number): void {
    this.#cursor = Math.max(0, Math.min(this.#characters.length, cursor));
  }

  /** Deletes what is between the cursor and a place. */
  deleteTo(place: number): void {
    const other = Math.max(0, Math.min(this.#characters.length, place));
    const [from, to] = [Math.min(this.#cursor, other), Math.max(this.#cursor, other)];
    if (from === to) return;
    this.#characters.splice(from, to - from);
    this.#cursor = from;
    this.#changes(from);
  }

  /** Where the word begins that is before the cursor. `isWord` tells its characters. */
  wordBefore(isWord: RegExp): number {
    let at = this.#cursor;
    while (at > 0 && !isWord.test(this.#characters[at - 1] ?? "")) at -= 1;
    while (at > 0 && isWord.test(this.#characters[at - 1] ?? "")) at -= 1;
    return at;
  }

  wordBehind(isWord: RegExp): number {
    let at = this.#cursor;
    while (at < this.length && !isWord.test(this.#characters[at] ?? "")) at += 1;
    while (at < this.length && isWord.test(this.#characters[at] ?? "")) at += 1;
    return at;
  }

  /** Shows an older line, or a newer one. */
  recall(step: number): void {
    const entry = this.#entry + step;
    if (entry < 0 || entry > this.history.length) return;
    if (this.#entry === this.history.length) this.#draft = this.#characters.join("");
    this.#entry = entry;
    this.#characters = Array.from(this.history.at(entry) ?? this.#draft);
    this.#cursor = this.#characters.length;
    this.#changes(0);
  }

  #changes(from: number): void {
    this.#changed = Math.min(from, this.#changed ?? from);
  }

  #drawToEnd(): void {
    this.#cursor = this.#characters.length;
    this.#draw();
  }

  /** Writes the part of the line that has changed, and sets the cursor. */
  #draw(): void {
    const from = this.#changed;
    this.#changed = undefined;
    if (from !== undefined) {
      this.#show(this.#placeOf(from));
      this.#write(this.#characters.slice(from).join(""));
      this.#shown = this.#placeOf(this.#characters.length);
      // A terminal stays in its last column until something follows.
      if (this.#shown.column === 0 && this.#shown.row > 0 && this.#characters.length > from) this.#output += "\n";
      if (isBehind(this.#end, this.#shown)) this.#output += CLEAR_BELOW;
      this.#end = this.#shown;
    }
    this.#show(this.#placeOf(this.#cursor));
  }

  /** Moves the terminal's cursor. */
  #show(to: Place): void {
    const { row, column } = this.#shown;
    if (to.row < row) this.#output += `${ESCAPE}[${row - to.row}A`;
    if (to.row > row) this.#output += `${ESCAPE}[${to.row - row}B`;
    if (to.column < column) this.#output += "\b".repeat(column - to.column);
    if (to.column > column) this.#output += `${ESCAPE}[${to.column - column}C`;
    this.#shown = to;
  }

  #write(text: string): void {
    this.#output += text;
  }

  /** Where a character of the line is on the screen. */
  #placeOf(index: number): Place {
    const width = Math.max(2, this.columns());
    let [row, column] = [0, 0];
    const lastLine = this.prompt.slice(this.prompt.lastIndexOf("\n") + 1);
    const characters = [...withoutSequences(lastLine), ...this.#characters.slice(0, index)];
    for (const character of characters) {
      const columns = columnsOf(character);
      if (column + columns > width) [row, column] = [row + 1, 0];
      column += columns;
      if (column >= width) [row, column] = [row + 1, 0];
    }
    return { row, column };
  }
}

const isBehind = (one: Place, other: Place): boolean =>
  one.row > other.row || (one.row === other.row && one.column > other.column);

const withoutSequences = (text: string): readonly string[] =>
  Array.from(text.replace(new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, "g"), ""));

/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOf(character);
  return columns;
}

const columnsOf = (character: string): number => (NO_COLUMN.test(character) ? 0 : TWO_COLUMNS.test(character) ? 2 : 1);

/** Whether a sequence of a key is whole: ESC, then a letter, or [ or O with numbers and a letter or ~. */
const isComplete = (sequence: string): boolean =>
  sequence[1] === "[" || sequence[1] === "O" ? /^.[[O][0-9;]*[A-Za-z~]$/s.test(sequence) : sequence.length > 1;

const WORD = /[\p{L}\p{N}_]/u;
const NOT_BLANK = /\S/;

const control = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) & 0x1f);

const left: Action = (editor) => editor.moveTo(editor.cursor - 1);
const right: Action = (editor) => editor.moveTo(editor.cursor + 1);
const home: Action = (editor) => editor.moveTo(0);
const end: Action = (editor) => editor.moveTo(editor.length);
const backspace: Action = (editor) => editor.deleteTo(editor.cursor - 1);
const remove: Action = (editor) => editor.deleteTo(editor.cursor + 1);
const older: Action = (editor) => editor.recall(-1);
const newer: Action = (editor) => editor.recall(1);
const wordLeft: Action = (editor) => editor.moveTo(editor.wordBefore(WORD));
const wordRight: Action = (editor) => editor.moveTo(editor.wordBehind(WORD));

const KEYS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["\n", (editor) => editor.enter()],
  ["\r", (editor) => editor.enter()],
  ["\x7f", backspace],
  [control("A"), home],
  [control("B"), left],
  [control("C"), (editor) => editor.interrupt()],
  [control("D"), (editor) => editor.deleteOrEnd()],
  [control("E"), end],
  [control("F"), right],
  [control("H"), backspace],
  [control("K"), (editor) => editor.deleteTo(editor.length)],
  [control("L"), (editor) => editor.clearScreen()],
  [control("N"), newer],
  [control("P"), older],
  [control("U"), (editor) => editor.deleteTo(0)],
  [control("W"), (editor) => editor.deleteTo(editor.wordBefore(NOT_BLANK))],
]);

/** What follows ESC. */
const SEQUENCES: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["[A", older],
  ["[B", newer],
  ["[C", right],
  ["[D", left],
  ["[H", home],
  ["[F", end],
  ["OA", older],
  ["OB", newer],
  ["OC", right],
  ["OD", left],
  ["OH", home],
  ["OF", end],
  ["[1~", home],
  ["[7~", home],
  ["[4~", end],
  ["[8~", end],
  ["[3~", remove],
  ["[1;5C", wordRight],
  ["[1;5D", wordLeft],
  ["f", wordRight],
  ["b", wordLeft],
  ["d", (editor) => editor.deleteTo(editor.wordBehind(WORD))],
  ["\x7f", (editor) => editor.deleteTo(editor.wordBefore(WORD))],
]);
