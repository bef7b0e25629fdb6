import { PassThrough } from "node:stream";
import type { Streams } from "../../src/cli/connect/factory.js";
import { type MainOptions, main } from "../../src/main.js";
import { PATIENCE } from "./patience.js";
import { Screen } from "./screen.js";

export interface DrivenTerminalOptions extends Partial<Pick<MainOptions, "env" | "cwd" | "clock" | "program">> {
  readonly columns?: number;
  readonly rows?: number;
}

/** A terminal in this process: a screen that shows what is written, and keys. stderr is apart. */
export class DrivenTerminal {
  readonly streams: Streams;
  readonly screen: Screen;
  /** What raw mode was set to, in order. */
  readonly raw: boolean[] = [];
  /** All that was written to stdout. */
  written = "";
  stderr = "";
  readonly #input: PassThrough;
  readonly #out: PassThrough & { columns: number; rows: number };
  #changed: () => void = () => undefined;

  constructor({ columns = 80, rows = 24 }: Pick<DrivenTerminalOptions, "columns" | "rows"> = {}) {
    this.screen = new Screen(columns || 80);
    this.#input = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (raw: boolean) => void this.raw.push(raw),
    });
    this.#out = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
    const err = new PassThrough();
    this.streams = { in: this.#input, out: this.#out, err };
    err.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.#out.setEncoding("utf8").on("data", (text: string) => {
      this.written += text;
      // The driver of a terminal does so.
      this.screen.write(text.replaceAll(/\r?\n/g, "\r\n"));
      this.#changed();
    });
  }

  press(keys: string): void {
    this.#input.write(keys);
  }

  endInput(): void {
    this.#input.end();
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns);
    Object.assign(this.#out, { columns, rows });
    this.#out.emit("resize");
  }

  /** Resolves with the screen once it shows the text. Rejects with the screen when it does not for longer than anything here should take. */
  async shows(wanted: string | RegExp): Promise<string> {
    const end = performance.now() + PATIENCE;
    for (;;) {
      const { text } = this.screen;
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return text;
      if (performance.now() > end)
        throw new Error(`the terminal never showed ${String(wanted)}, but:\n${text}\n${this.stderr}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** A command line that runs on a terminal of its own; stderr is no terminal. */
export interface DrivenCommand {
  readonly terminal: DrivenTerminal;
  readonly ended: Promise<number>;
  /** As a signal from outside does. */
  interrupt(): void;
}

export function startOnTerminal(argv: readonly string[], options: DrivenTerminalOptions = {}): DrivenCommand {
  const { columns, rows, ...surroundings } = options;
  const terminal = new DrivenTerminal({
    ...(columns !== undefined && { columns }),
    ...(rows !== undefined && { rows }),
  });
  const stopping = new AbortController();
  const run = async (): Promise<number> => {
    const code = await main({
      argv,
      streams: terminal.streams,
      cwd: process.cwd(),
      platform: "linux",
      program: "kubets",
      signal: stopping.signal,
      ...surroundings,
      env: { LANG: "C.UTF-8", NO_COLOR: "1", HOME: "/nonexistent", ...surroundings.env },
    });
    await new Promise(setImmediate);
    return code;
  };
  return { terminal, ended: run(), interrupt: () => stopping.abort(new Error("SIGINT")) };
}
