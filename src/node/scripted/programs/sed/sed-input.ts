import { absolute } from "../../files/file-system.js";
import type { ProgramIo } from "../../program.js";
import { errnoText, ProgramFailure } from "../gnu-program.js";
import { LINE_FEED, LineReader, TextOutput } from "../latin-text.js";
import { baseName } from "../options.js";

export interface SedInputOptions {
  /** -z: lines end with NUL. */
  readonly isNullData: boolean;
  /** -s: lines are counted, and the last one is looked for, in each file alone. */
  readonly separate: boolean;
  /** -i: the output becomes the file; a suffix keeps the file as it was. */
  readonly inPlace: string | undefined;
}

/** The lines of the files that sed edits, and the target of its output. */
export class SedInput {
  readonly #files: string[];
  readonly #stdout: TextOutput;
  #output: TextOutput;
  #reader: LineReader | undefined;
  /** A line that was read to know whether another one is the last. */
  #ahead: string | undefined;
  #edited: { readonly path: string; readonly chunks: Buffer[] } | undefined;
  /** The output lacks the end of its last line. */
  #owesLineFeed = false;
  line = 0;
  isUnended = false;
  fileName = "-";
  /** 2 when a file cannot be read, 4 when one cannot be edited. */
  failure = 0;

  constructor(
    private readonly io: ProgramIo,
    files: readonly string[],
    private readonly options: SedInputOptions,
  ) {
    this.#files = [...files];
    this.#output = this.#stdout = new TextOutput(io.stdout);
  }

  /** Writes a text, and the end of its line. */
  write(text: string, end: string): Promise<void> | undefined {
    const owed = this.#owesLineFeed ? this.#delimiter : "";
    this.#owesLineFeed = end === "" && this.isUnended && !text.endsWith("\n");
    return this.#output.write(owed + text + end);
  }

  get #delimiter(): string {
    return this.options.isNullData ? "\0" : "\n";
  }

  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.#ahead ?? (await this.#read());
      this.#ahead = undefined;
      if (line !== undefined) {
        this.line += 1;
        this.isUnended = this.#reader?.isUnended ?? false;
        return line;
      }
      if (!(await this.#openNext())) return undefined;
    }
  }

  /** Whether no line comes after this one. */
  async isLast(): Promise<boolean> {
    for (;;) {
      if (this.#ahead !== undefined) return false;
      const { isUnended } = this;
      const line = await this.#read();
      if (line !== undefined) {
        this.#ahead = line;
        this.isUnended = isUnended;
        return false;
      }
      if (this.#alone || !(await this.#openNext())) return true;
    }
  }

  /** Writes what is left, and finishes the file that is being edited; what was not read of it is gone. */
  async close(): Promise<void> {
    await this.#finishFile();
    await this.flush();
  }

  /** Writes what is left of the program's output. */
  flush(): Promise<void> {
    return this.#stdout.flush();
  }

  get #alone(): boolean {
    return this.options.separate || this.options.inPlace !== undefined;
  }

  async #read(): Promise<string | undefined> {
    if (this.#reader === undefined) return undefined;
    try {
      return this.#reader.ready() ?? (await this.#reader.next());
    } catch (error) {
      throw new ProgramFailure(`read error on ${this.fileName}: ${errnoText(error)}`, 4);
    }
  }

  /** Opens the next file that can be read; false where there is none. */
  async #openNext(): Promise<boolean> {
    await this.#finishFile();
    for (let file = this.#files.shift(); file !== undefined; file = this.#files.shift()) {
      const { io, options } = this;
      const path = absolute(io.cwd, file);
      const inPlace = options.inPlace !== undefined && file !== "-";
      const flush = (): Promise<void> => this.#output.flush();
      const delimiter = options.isNullData ? 0 : LINE_FEED;
      try {
        const node = file === "-" ? undefined : io.files.find(path);
        if (node?.kind === "directory") {
          if (inPlace) await this.#complain(`couldn't edit ${file}: not a regular file`, 4);
          else throw new ProgramFailure(`read error on ${file}: Is a directory`, 4);
          continue;
        }
        const content = file === "-" ? io.stdin : io.files.read(path);
        this.#reader = new LineReader(content, io.memory, flush, delimiter);
        this.fileName = file;
        if (this.#alone) this.line = 0;
        if (inPlace) {
          const chunks: Buffer[] = [];
          this.#edited = { path, chunks };
          this.#output = new TextOutput({
            write: async (data) => {
              const bytes = Buffer.from(data as Uint8Array);
              io.memory.take(bytes.length);
              chunks.push(bytes);
            },
          });
        }
        return true;
      } catch (error) {
        await this.#complain(`can't read ${file}: ${errnoText(error)}`, 2);
      }
    }
    this.#reader = undefined;
    return false;
  }

  async #finishFile(): Promise<void> {
    const edited = this.#edited;
    if (edited === undefined) return;
    await this.#output.flush();
    this.#output = this.#stdout;
    this.#edited = undefined;
    this.#owesLineFeed = false;
    const { files } = this.io;
    const node = files.find(edited.path);
    const suffix = this.options.inPlace ?? "";
    if (suffix !== "") {
      const name = baseName(edited.path);
      const kept = suffix.includes("*") ? suffix.replaceAll("*", name) : name + suffix;
      const folder = edited.path.slice(0, edited.path.length - name.length);
      files.rename(edited.path, kept.includes("/") ? absolute(this.io.cwd, kept) : folder + kept);
    }
    const writer = files.open(edited.path, { mode: node.mode });
    for (const chunk of edited.chunks) {
      await writer.write(chunk);
      this.io.memory.give(chunk.length);
    }
  }

  async #complain(message: string, code: number): Promise<void> {
    this.failure = Math.max(this.failure, code);
    await this.#output.flush();
    await this.io.stderr.write(`sed: ${message}\n`);
  }
}
