import { inertLine } from "../../base/text/inert-text.js";
import type { Look } from "../../printers/look.js";
import { silentExit } from "../errors.js";
import { type FullScreenHost, openFullScreen, type ScreenSize } from "./terminal-screen.js";
import type { Key } from "./terminal-keys.js";

export interface PickOptions {
  /** The kind of the names: "context". */
  readonly what: string;
  readonly names: readonly string[];
  /** The name that is in use; "" for none. */
  readonly current: string;
  readonly look: Look;
}

/**
 * Lets the user pick a name on the whole terminal, which is restored however this ends. Throws a silent exit with code 1 after Escape and
 * 130 after Ctrl-C, an error when the input ends, and the reason of `signal`.
 */
export async function pickName(options: PickOptions, host: FullScreenHost, signal: AbortSignal): Promise<string> {
  const list = new PickList(options);
  const { screen, keys, close } = openFullScreen(host, signal);
  try {
    screen.show((size) => list.lines(size));
    for await (const key of keys ?? []) {
      if (key.name === "interrupt") throw silentExit(130);
      if (key.name === "escape") throw silentExit();
      if (key.name === "end") break;
      if (key.name !== "enter") list.take(key);
      else if (list.selected !== undefined) return list.selected;
      screen.draw();
    }
  } finally {
    close();
  }
  signal.throwIfAborted();
  throw new Error(`no ${options.what} was picked: the input has ended`);
}

/** A line for the filter above the names, and one with the keys below them. */
const ROWS_AROUND = 2;

/** The names that are left by what was typed, and the one that Enter takes. */
class PickList {
  readonly #options: PickOptions;
  #filter = "";
  /** Letters are typed into the filter; before, `j` and `k` move. */
  #filtering = false;
  #found: readonly string[];
  #place: number;

  constructor(options: PickOptions) {
    this.#options = options;
    this.#found = options.names;
    this.#place = Math.max(0, options.names.indexOf(options.current));
  }

  /** Undefined where no name is left. */
  get selected(): string | undefined {
    return this.#found[this.#place];
  }

  take(key: Key): void {
    if (key.name === "up") this.#move(-1);
    else if (key.name === "down") this.#move(1);
    else if (key.name === "backspace") this.#search(Array.from(this.#filter).slice(0, -1).join(""));
    else if (key.name === "clear") this.#search("");
    else if (key.name === "text") this.#type(key.text);
  }

  lines({ rows }: ScreenSize): readonly string[] {
    const { what, look } = this.#options;
    const muted = look.paint?.muted ?? ((text: string) => text);
    const title = `${what}: ${inertLine(this.#filter)}`;
    const room = Math.max(1, rows - ROWS_AROUND);
    // The selected name stays in sight.
    const first = Math.max(0, Math.min(this.#place - Math.floor(room / 2), this.#found.length - room));
    const shown = this.#found.slice(first, first + room).map((name, index) => this.#line(name, first + index));
    const count = `${this.#found.length}/${this.#options.names.length}`;
    return [title, ...shown, muted(`${count}  Enter takes, Esc leaves, arrows or j and k move, typing filters`)];
  }

  #line(name: string, place: number): string {
    const { current, look } = this.#options;
    const text = inertLine(name);
    const isCurrent = name === current;
    const painted = isCurrent ? (look.paint?.current(text) ?? text) : text;
    return `${place === this.#place ? ">" : " "} ${painted}${isCurrent ? " (current)" : ""}`;
  }

  #move(by: number): void {
    this.#place = Math.max(0, Math.min(this.#found.length - 1, this.#place + by));
  }

  /** A slash begins a filter, so that it may begin with `j` or `k`. */
  #type(text: string): void {
    if (!this.#filtering && text === "k") this.#move(-1);
    else if (!this.#filtering && text === "j") this.#move(1);
    else if (!this.#filtering && text === "/") this.#filtering = true;
    else this.#search(this.#filter + text);
  }

  /** Names that hold each word of the filter, in any case. */
  #search(filter: string): void {
    const { names } = this.#options;
    const before = this.selected;
    const words = filter.toLowerCase().split(" ");
    this.#filter = filter;
    this.#filtering = filter !== "";
    this.#found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    this.#place = Math.max(0, before === undefined ? 0 : this.#found.indexOf(before));
  }
}
