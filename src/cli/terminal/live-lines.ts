import type { Clock } from "../../base/time/clock.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { inertLine } from "../../base/text/inert-text.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { cutToWidth, displayWidth } from "../../printers/colours/display-width.js";
import type { Look } from "../../printers/look.js";
import type { Streams } from "../connect/factory.js";

interface Line {
  state: string;
  /** The time of the clock in milliseconds. */
  readonly since: number;
}

const EVERY = 1000;

/**
 * Shows a line for each object that a command waits for: its last state, and the time since it appeared. The lines are redrawn in
 * place below the rest of the terminal's text, and cut to its width, never wrapped. The cursor stays after the last line and is
 * never hidden, so that a killed program leaves a clean terminal.
 */
export class LiveLines {
  readonly #err: Streams["err"];
  readonly #clock: Clock;
  readonly #look: Look;
  readonly #code: (sequence: string) => string;
  readonly #lines = new Map<string, Line>();
  /** The columns of the lines that are on the screen now. */
  #drawn: readonly number[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #redraw = (): void => this.#draw();

  /** `code` marks a control sequence so that it passes to the terminal. */
  constructor(
    err: Streams["err"],
    {
      clock,
      look,
      code = (sequence) => sequence,
    }: { readonly clock: Clock; readonly look: Look; readonly code?: (sequence: string) => string },
  ) {
    this.#code = code;
    this.#err = err;
    this.#clock = clock;
    this.#look = look;
  }

  /** Shows or changes the line of `name`. */
  set(name: string, state: string): void {
    this.#start();
    const line = this.#lines.get(name);
    if (line === undefined) this.#lines.set(name, { state, since: this.#clock.now() });
    else line.state = state;
    this.#draw();
  }

  /** Wraps the client so that warnings of the server are written above the lines, not into them. */
  above(client: () => Promise<RestClient>): () => Promise<RestClient> {
    let made: Promise<RestClient> | undefined;
    return () => {
      made ??= client().then((rest) => {
        const tell = rest.onWarning;
        rest.onWarning = (text) => {
          this.clear();
          tell?.(text);
        };
        return rest;
      });
      return made;
    };
  }

  remove(name: string): void {
    this.#lines.delete(name);
    this.#draw();
  }

  /** Removes the lines from the terminal until they change. Call it before anything else is written there. */
  clear(): void {
    if (this.#drawn.length === 0) return;
    this.#err.write(this.#toStart() + this.#eraseBelow());
    this.#drawn = [];
  }

  /** Removes the lines and the timers. Call it however the waiting ends. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#err.off("resize", this.#redraw);
    this.clear();
    this.#lines.clear();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(this.#redraw, EVERY);
    this.#timer.unref();
    this.#err.on("resize", this.#redraw);
  }

  #draw(): void {
    const start = this.#toStart();
    const lines = this.#texts();
    this.#drawn = lines.map(displayWidth);
    const muted = this.#look.paint?.muted ?? ((text: string) => text);
    this.#err.write(start + this.#eraseBelow() + lines.map(muted).join("\n"));
  }

  /** Returns the lines that fit; the last one says how many do not. */
  #texts(): readonly string[] {
    const { columns, rows } = this.#size();
    const now = this.#clock.now();
    // What servers call things and say of them may hold ends of lines and control sequences: a line stays one, and is cut as it is shown.
    const all = [...this.#lines].map(([name, { state, since }]) =>
      inertLine(`${name}: ${state} (${humanDuration(now - since)})`),
    );
    const room = Math.max(1, rows - 1);
    const shown = all.length <= room ? all : [...all.slice(0, room - 1), `and ${all.length - room + 1} more`];
    return shown.map((text) => cutToWidth(text, columns - 1, this.#look.ellipsis));
  }

  /** A terminal that does not know its size, as one that no window shows, says that it has 0 columns and 0 rows. */
  #size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.#err;
    return { columns: columns || 80, rows: rows || 24 };
  }

  /** A terminal that became narrower has wrapped what was drawn. */
  #toStart(): string {
    if (this.#drawn.length === 0) return "";
    const { columns } = this.#size();
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return this.#code("\r") + (rows === 1 ? "" : this.#code(`\u001b[${rows - 1}A`));
  }

  #eraseBelow(): string {
    return this.#code("\u001b[J");
  }
}
