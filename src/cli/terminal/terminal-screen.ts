import { dictionary } from "../../base/collections/dictionary.js";
import { cutToWidth, displayWidth } from "../../printers/colours/display-width.js";
import type { Streams, Factory } from "../connect/factory.js";
import { givesKeys, takeKeys, StandardInput } from "../container-session/standard-input.js";
import { type Key, keysOf } from "./terminal-keys.js";

/** The size of a terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ScreenOptions {
  readonly out: Streams["out"];
  /** Marks a control sequence so that it passes to the terminal. */
  readonly code: (sequence: string) => string;
  /** False where the terminal shows ASCII alone. */
  readonly utf8: boolean;
}

const ENTER = ["\u001b[?1049h", "\u001b[?25l"];
const LEAVE = ["\u001b[H", "\u001b[J", "\u001b[?25h", "\u001b[?1049l"];

/**
 * Draws on the whole terminal, on its alternate screen, so that the former contents are there again in the end. Lines are cut to the width
 * and never wrap; lines that do not fit below are left out. Texts of others must be inert lines.
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

  /** Draws the result of `lines` for the terminal's size: now, and again whenever the size changes. */
  show(lines: (size: ScreenSize) => readonly string[]): void {
    this.#lines = lines;
    this.draw();
  }

  /** Calls `lines` again and draws the result. */
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

  /** Restores the terminal. Synchronous; may be called again. */
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

/** What stands for the characters that the program draws with. */
const DRAWN: Readonly<Record<string, string>> = dictionary({
  "│": "|",
  "─": "-",
  "├": "|",
  "└": "`",
  "…": "~",
});

/** A text of as many columns in ASCII alone: "?" stands for what is not in it. */
const asciiText = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (character) => DRAWN[character] ?? "?".repeat(displayWidth(character)));

/** The parts of the factory that a full-screen program needs. */
export type FullScreenHost = Pick<Factory, "streams" | "colours" | "env">;

/** The control over the whole terminal, until it is closed. */
export interface FullScreen {
  readonly screen: TerminalScreen;
  /** Undefined where stdin is no terminal. */
  readonly keys: AsyncGenerator<Key, void> | undefined;
  /** Restores the terminal. Synchronous; may be called again. */
  readonly close: () => void;
}

/** Returns whether stdout is a terminal that can be drawn on. */
export const canDraw = ({ streams, env }: Pick<FullScreenHost, "streams" | "env">): boolean =>
  streams.out.isTTY === true && env["TERM"] !== "dumb";

/** Returns whether the user can see a screen and press keys. */
export const canAsk = (host: Pick<FullScreenHost, "streams" | "env">): boolean =>
  canDraw(host) && givesKeys(host.streams.in);

/** Takes the whole terminal. `close` or the abort of `signal`, whichever comes first, restores it; the keys end then. */
export function openFullScreen(host: FullScreenHost, signal: AbortSignal): FullScreen {
  const { out, in: stdin } = host.streams;
  const input = canAsk(host) ? new StandardInput(stdin) : undefined;
  const giveBack = input === undefined ? undefined : takeKeys(stdin);
  const { colours } = host;
  const screen = new TerminalScreen({ out, utf8: colours.utf8, code: (sequence) => colours.code(out, sequence) });
  const close = (): void => {
    screen.leave();
    giveBack?.();
    input?.stop();
    signal.removeEventListener("abort", close);
  };
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  return { screen, keys: input && keysOf(input), close };
}
