import { once } from "node:events";
import type { Writable } from "node:stream";
import { runInContainer, type ContainerCommand } from "../actions/pods/container-command.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { chosenContainer, requireUncompleted } from "../polymorphic-helpers/pod-containers.js";
import { text } from "../machinery/meta/access.js";
import { isRemoteCommandExit, type TerminalSize } from "../machinery/wire/streams/remote-command.js";
import { foundPod, type PodOptions } from "./found-pod.js";

export interface SessionOptions extends PodOptions {
  /** What the program reads: a text, bytes, or a stream of them such as `process.stdin`. Its end closes the program's stdin. */
  readonly stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Where the program's output goes as it comes. A slow one holds the program back. Default: the result's text. */
  readonly stdout?: Output;
  readonly stderr?: Output;
  /** The program has a terminal, and writes all of its output to stdout. */
  readonly tty?: boolean;
  /** The terminal's size in characters, and each change of it. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

/** A Writable such as `process.stdout`, or a function that is awaited. */
export type Output = Writable | ((chunk: Uint8Array) => void | Promise<void>);

/** The end of a program that ran in a container. */
export interface ExecResult {
  /** 0 to 255. */
  readonly code: number;
  /** What it wrote; "" where the options have an output for it. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a container until it exits, with any code. Throws the server's error, and the reason of `signal`. */
export async function exec(
  client: KubernetesClient,
  pod: string,
  command: readonly string[],
  options: SessionOptions,
): Promise<ExecResult> {
  const found = await foundPod(client, pod, options);
  requireUncompleted(found, "exec into");
  const { container } = chosenContainer(found, options.container ?? "", () => undefined);
  const tty = options.tty ?? false;
  return run(client, { pod: found, subresource: "exec", command, container: text(container.name), tty }, options);
}

/** Attaches to the program that runs in a container, until it ends; otherwise as {@link exec}. */
export async function attach(client: KubernetesClient, pod: string, options: SessionOptions): Promise<ExecResult> {
  const found = await foundPod(client, pod, options);
  requireUncompleted(found, "attach");
  const { container } = chosenContainer(found, options.container ?? "", () => undefined);
  // A program with a terminal is attached to with one, or what it writes could not be told apart.
  const tty = container.tty === true;
  return run(client, { pod: found, subresource: "attach", container: text(container.name), tty }, options);
}

async function run(
  { rest: client }: KubernetesClient,
  { tty, ...command }: Omit<ContainerCommand, "stdin" | "stderr">,
  options: SessionOptions,
): Promise<ExecResult> {
  const { stdin, sizes, signal = new AbortController().signal } = options;
  const [stdout, stderr] = [new Kept(options.stdout), new Kept(options.stderr)];
  const streams = {
    stdin: stdin === undefined ? undefined : chunksOf(stdin),
    stdout: (chunk: Uint8Array) => stdout.write(chunk),
    stderr: tty ? undefined : (chunk: Uint8Array) => stderr.write(chunk),
    tty,
    sizes,
  };
  const host = { client, webSockets: true, requestTimeout: 0 };
  let code = 0;
  try {
    await runInContainer({ ...command, tty, stdin: stdin !== undefined, stderr: !tty }, streams, host, signal);
  } catch (error) {
    if (!isRemoteCommandExit(error)) throw error;
    code = error.code;
  }
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** An output of a program: handed on, or kept. */
class Kept {
  readonly #chunks: Uint8Array[] = [];

  constructor(private readonly output: Output | undefined) {}

  async write(chunk: Uint8Array): Promise<void> {
    const { output } = this;
    if (output === undefined) this.#chunks.push(chunk.slice());
    else if (typeof output === "function") await output(chunk);
    else if (!output.write(chunk)) await once(output, "drain");
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

async function* chunksOf(stdin: NonNullable<SessionOptions["stdin"]>): AsyncGenerator<Uint8Array, void> {
  if (typeof stdin === "string" || stdin instanceof Uint8Array) yield Buffer.from(stdin);
  else for await (const chunk of stdin) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
