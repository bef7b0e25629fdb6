import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import { BytePipe } from "../byte-pipe.js";

const [CTRL_C, CTRL_D, BACKSPACE, LINE_FEED, RETURN, CTRL_U, CTRL_W, CTRL_Z, QUIT, DELETE] = [
  3, 4, 8, 10, 13, 21, 23, 26, 28, 127,
];
const TAB = 9;
const SPACE = 32;
/** The bytes of a line that can be edited, without its line feed. Linux shows what is typed beyond them, and drops it. */
const LONGEST_LINE = 4095;

/** The terminal modes that stty sets. */
export interface TerminalModes {
  /** Input is shown. */
  echo: boolean;
  /** Input comes in lines that can be edited (icanon). */
  canonical: boolean;
  /** Ctrl-C, Ctrl-\ and Ctrl-Z are signals (isig). */
  signals: boolean;
  /** A return key is a line feed (icrnl). */
  returnsAreLineFeeds: boolean;
  /** A line feed is written as return and line feed (onlcr with opost). */
  writesReturns: boolean;
}

/** Keys come one by one, and nothing but a program shows them. */
const KEY_BY_KEY: Partial<TerminalModes> = { echo: false, canonical: false, signals: false };

const COOKED: TerminalModes = {
  echo: true,
  canonical: true,
  signals: true,
  returnsAreLineFeeds: true,
  writesReturns: true,
};

/** A terminal's line discipline, between the client that types and the programs that read, as Linux has it. */
export class Terminal {
  /** What programs read. */
  readonly input = new BytePipe();
  readonly modes: TerminalModes = { ...COOKED };
  #line: number[] = [];
  #size: TerminalSize = { width: 80, height: 24 };

  constructor(
    private readonly screen: (chunk: Uint8Array) => Promise<void>,
    private readonly interrupt: (signal: string) => void,
  ) {}

  get size(): TerminalSize {
    return this.#size;
  }

  /** The client's window has another size: programs get SIGWINCH. */
  resize(size: TerminalSize): void {
    const { width, height } = this.#size;
    if (size.width === width && size.height === height) return;
    this.#size = size;
    this.interrupt("SIGWINCH");
  }

  /** Keys of the client. Resolves when more may come. */
  async receive(keys: Uint8Array): Promise<void> {
    const { modes } = this;
    if (!modes.canonical && !modes.signals && !modes.echo && !modes.returnsAreLineFeeds) {
      await this.input.write(keys);
      return;
    }
    const shown: number[] = [];
    const through: number[] = [];
    for (const key of keys) {
      if (!this.#special(key, shown, through)) this.#ordinary(key, shown, through);
      if (through.length > 0 && modes.canonical) {
        // The echo of a line is on the screen before a program answers it.
        await this.#show(shown.splice(0));
        await this.input.write(Buffer.from(through.splice(0)));
      }
    }
    await this.#show(shown);
    if (through.length > 0) await this.input.write(Buffer.from(through));
  }

  /**
   * Keys come as they are typed, Ctrl-C as well, until the answer is called, which sets the modes again that were set before. What has been typed
   * of a line comes first, as on Linux.
   */
  takeKeys(): () => void {
    const { modes } = this;
    const before = { ...modes };
    Object.assign(modes, KEY_BY_KEY);
    const typed = this.#line.splice(0);
    if (typed.length > 0) void this.input.write(Buffer.from(typed)).catch(() => {});
    return () => void Object.assign(modes, before);
  }

  /** The client types no more: programs that read find the end, again and again. */
  hangUpInput(): void {
    if (this.#line.length > 0) void this.input.write(Buffer.from(this.#line)).catch(() => {});
    this.#line = [];
    this.input.end();
  }

  /** Output of a program. */
  write(chunk: Uint8Array): Promise<void> {
    return this.screen(this.modes.writesReturns ? withReturns(chunk) : chunk);
  }

  /** Signals, the end of input and editing; false for every other key. */
  #special(key: number, shown: number[], through: number[]): boolean {
    const { modes } = this;
    const signal = modes.signals ? SIGNAL_KEYS.get(key) : undefined;
    if (signal !== undefined) {
      this.#line = [];
      this.#echo(key, shown);
      this.interrupt(signal);
      return true;
    }
    if (!modes.canonical) return false;
    if (key === CTRL_D) {
      if (this.#line.length === 0) this.input.endOnce();
      else through.push(...this.#line.splice(0));
      return true;
    }
    if (key === DELETE || key === BACKSPACE) {
      this.#erase(shown);
      return true;
    }
    if (key === CTRL_U) {
      while (this.#line.length > 0) this.#erase(shown);
      return true;
    }
    if (key === CTRL_W) {
      while (this.#line.at(-1) === SPACE) this.#erase(shown);
      while (this.#line.length > 0 && this.#line.at(-1) !== SPACE) this.#erase(shown);
      return true;
    }
    return false;
  }

  #ordinary(typed: number, shown: number[], through: number[]): void {
    const { modes } = this;
    const key = typed === RETURN && modes.returnsAreLineFeeds ? LINE_FEED : typed;
    this.#echo(key, shown);
    if (!modes.canonical) {
      through.push(key);
      return;
    }
    if (key === LINE_FEED || this.#line.length < LONGEST_LINE) this.#line.push(key);
    if (key === LINE_FEED) through.push(...this.#line.splice(0));
  }

  #echo(key: number, shown: number[]): void {
    if (!this.modes.echo) return;
    // Control characters are shown as ^C.
    if ((key < SPACE && key !== TAB && key !== LINE_FEED) || key === DELETE) shown.push(0x5e, key ^ 0x40);
    else shown.push(key);
  }

  /** Takes back the last character of the line, which may be several bytes. */
  #erase(shown: number[]): void {
    let last = this.#line.pop();
    if (last === undefined) return;
    while (last !== undefined && (last & 0xc0) === 0x80) last = this.#line.pop();
    if (!this.modes.echo) return;
    const columns = last !== undefined && last < SPACE && last !== TAB ? 2 : 1;
    for (let column = 0; column < columns; column += 1) shown.push(BACKSPACE, SPACE, BACKSPACE);
  }

  async #show(keys: readonly number[]): Promise<void> {
    if (keys.length > 0) await this.write(Buffer.from(keys));
  }
}

const SIGNAL_KEYS: ReadonlyMap<number | undefined, string> = new Map([
  [CTRL_C, "SIGINT"],
  [QUIT, "SIGQUIT"],
  [CTRL_Z, "SIGTSTP"],
]);

function withReturns(chunk: Uint8Array): Uint8Array {
  let count = 0;
  for (const byte of chunk) if (byte === LINE_FEED) count += 1;
  if (count === 0) return chunk;
  const out = Buffer.allocUnsafe(chunk.length + count);
  let at = 0;
  for (const byte of chunk) {
    if (byte === LINE_FEED) out[at++] = RETURN ?? 13;
    out[at++] = byte;
  }
  return out;
}
