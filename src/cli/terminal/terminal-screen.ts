import { cutToWidth } from "../../printers/colours/display-width.js";
import type { Streams } from "../connect/factory.js";
import { asciiText } from "./terminal-charset.js";

/** Of a terminal, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenOptions {
  readonly out: Streams["out"];
  /** Makes of a sequence one that passes to the terminal. */
  readonly code: (sequence: string) => string;
  /** False where the terminal shows ASCII alone. */
  readonly utf8: boolean;
}

const ENTER = ["\u001b[?1049h", "\u001b[?25l"];
const LEAVE = ["\u001b[H", "\u001b[J", "\u001b[?25h", "\u001b[?1049l"];

/**
 * The whole terminal, drawn again in place: on its alternate screen, so that what was there before is there again in the end. A line is cut to
 * the terminal and never wraps; lines that do not fit below are left out. Texts that others wrote must be inert lines.
 */
export class TerminalScreen {
  readonly #options: ScreenOptions;
  #lines: (size: ScreenSize) => readonly string[] = () => [];
  #left = false;
  readonly #draw = (): void => this.draw();

  constructor(options: ScreenOptions) {
    this.#options = options;
    options.out.write(ENTER.map(options.code).join(""));
    options.out.on("resize", this.#draw);
  }

  /** Shows what `lines` makes of the terminal's size: now, and again whenever that changes. */
  show(lines: (size: ScreenSize) => readonly string[]): void {
    this.#lines = lines;
    this.draw();
  }

  /** Draws the same again, as it is now. */
  draw(): void {
    if (this.#left) return;
    const { out, code } = this.#options;
    const { columns, rows } = this.#size();
    const shown = this.#lines({ columns, rows }).slice(0, rows);
    const endOfLine = code("\u001b[K");
    // The last column stays free: a cursor behind it is in another place on each terminal.
    const text = shown.map((line) => this.#charset(cutToWidth(line, columns - 1)) + endOfLine).join("\r\n");
    out.write(code("\u001b[H") + text + code("\u001b[J"));
  }

  /** Gives the terminal back as it was. Synchronous; may be called again. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    const { out, code } = this.#options;
    out.off("resize", this.#draw);
    out.write(LEAVE.map(code).join(""));
  }

  /** A terminal that does not know its size, as one that no window shows, says that it has 0 columns and 0 rows. */
  #size(): ScreenSize {
    const { columns, rows } = this.#options.out;
    return { columns: columns || 80, rows: rows || 24 };
  }

  #charset(line: string): string {
    return this.#options.utf8 ? line : asciiText(line);
  }
}
