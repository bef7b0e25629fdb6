import { BytePipe } from "../../../byte-pipe.js";
import { absolute } from "../../files/file-system.js";
import type { ChildProcess, ProgramIo } from "../../program.js";
import { errnoText } from "../gnu-program.js";
import { LineReader, TextOutput, unlatin } from "../latin-text.js";
import { AwkError } from "./awk-syntax.js";

interface Output {
  write(text: string): Promise<void> | undefined;
  flush(): Promise<void>;
  /** Answers the exit code of a command. */
  close(): Promise<number>;
}

interface Input {
  readonly reader: LineReader;
  close(): Promise<number>;
}

/** The files and the commands that a program of awk has opened, by their names. */
export class AwkStreams {
  readonly #outputs = new Map<string, Output>();
  readonly #inputs = new Map<string, Input>();
  readonly stdout: TextOutput;

  constructor(private readonly io: ProgramIo) {
    this.stdout = new TextOutput(io.stdout);
  }

  output(op: ">" | ">>" | "|", name: string): { write(text: string): Promise<void> | undefined } {
    if (op !== "|" && (name === "/dev/stdout" || name === "-")) return this.stdout;
    const known = this.#outputs.get(name);
    if (known !== undefined) return known;
    const opened = op === "|" ? this.#commandOutput(name) : this.#fileOutput(name, op === ">>");
    this.#outputs.set(name, opened);
    return opened;
  }

  /** The lines of a file or of a command's output; undefined where the file cannot be read. */
  input(source: "file" | "command", name: string): LineReader | undefined {
    const known = this.#inputs.get(name);
    if (known !== undefined) return known.reader;
    const opened = source === "file" ? this.#fileInput(name) : this.#commandInput(name);
    if (opened !== undefined) this.#inputs.set(name, opened);
    return opened?.reader;
  }

  /** -1 where nothing of that name is open. */
  async close(name: string): Promise<number> {
    let code = -1;
    for (const open of [this.#outputs, this.#inputs]) {
      const stream = open.get(name);
      if (stream === undefined) continue;
      open.delete(name);
      await this.stdout.flush();
      code = await stream.close();
    }
    return code;
  }

  async flush(name?: string): Promise<void> {
    await this.stdout.flush();
    for (const [known, output] of this.#outputs) if (name === undefined || known === name) await output.flush();
  }

  async closeAll(): Promise<void> {
    await this.stdout.flush();
    for (const output of this.#outputs.values()) await output.close();
    for (const input of this.#inputs.values()) await input.close();
  }

  /** Runs a command with the program's own streams. */
  async system(command: string): Promise<number> {
    await this.flush();
    return this.io.spawn(shell(command)).exited;
  }

  #fileOutput(name: string, append: boolean): Output {
    const { io } = this;
    const path = unlatin(name);
    let target: TextOutput;
    if (path === "/dev/stderr") target = new TextOutput(io.stderr);
    else {
      try {
        const writer = io.files.open(absolute(io.cwd, path), { append });
        target = new TextOutput({ write: (data) => writer.write(Buffer.from(data as Uint8Array)) });
      } catch (error) {
        throw new AwkError(`cannot open "${path}" for output (${errnoText(error)})`);
      }
    }
    const flush = (): Promise<void> => target.flush();
    return {
      write: (text) => target.write(text),
      flush,
      close: async () => {
        await flush();
        return 0;
      },
    };
  }

  #commandOutput(command: string): Output {
    const pipe = new BytePipe();
    const target = new TextOutput({ write: (data) => pipe.write(Buffer.from(data as Uint8Array), this.io.signal) });
    let child: ChildProcess | undefined;
    const start = async (): Promise<ChildProcess> => {
      if (child !== undefined) return child;
      await this.stdout.flush();
      child = this.io.spawn(shell(command), { stdin: pipe });
      void child.exited.then(() => pipe.destroy());
      return child;
    };
    return {
      write: async (text) => {
        await start();
        await target.write(text);
      },
      flush: async () => target.flush(),
      close: async () => {
        const started = await start();
        await target.flush();
        pipe.end();
        return started.exited;
      },
    };
  }

  #fileInput(name: string): Input | undefined {
    const { io } = this;
    const path = unlatin(name);
    const isInput = path === "-" || path === "/dev/stdin";
    if (!isInput && io.files.look(absolute(io.cwd, path)) === undefined) return undefined;
    const content = isInput ? io.stdin : io.files.read(absolute(io.cwd, path));
    return { reader: new LineReader(content, io.memory, () => this.stdout.flush()), close: async () => 0 };
  }

  #commandInput(command: string): Input {
    const pipe = new BytePipe();
    const child = this.io.spawn(shell(command), { stdout: (chunk, signal) => pipe.write(chunk, signal) });
    void child.exited.then(() => pipe.end());
    const reader = new LineReader(pipe, this.io.memory, () => this.stdout.flush());
    return {
      reader,
      close: () => {
        pipe.destroy();
        return child.exited;
      },
    };
  }
}

const shell = (command: string): string[] => ["sh", "-c", unlatin(command)];
