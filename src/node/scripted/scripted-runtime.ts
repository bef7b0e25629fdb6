import { own } from "../../base/own.js";
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { Timers } from "../../base/timers.js";
import type { ByteStream } from "../../machinery/streaming/byte-stream.js";
import {
  type ContainerExit,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerStats,
  type LogEntry,
  type ProbeQuestion,
  type ProcessStreams,
  RuntimeError,
  type RuntimeLogOptions,
  type StartedContainer,
} from "../container-runtime.js";
import { Container, type MainExit } from "./container.js";
import { FileError } from "./files/file-error.js";
import { type FileSpace, FileSystem } from "./files/file-system.js";
import type { ScriptedImage } from "./image.js";
import { ForkError, OutOfMemoryError } from "./limits/errors.js";
import { processLimits, type ServerLimits } from "./limits/server-limits.js";
import { PodPorts } from "./ports.js";
import { ExecError, type Program } from "./program.js";
import { USUAL_PROGRAMS } from "./programs/index.js";
import { noFalse, sleep, yesTrue } from "./programs/system.js";

export interface ScriptedRuntimeOptions {
  /** What images are, by name as pods write it. An image that is not here is an ordinary one with a shell. */
  readonly images?: Readonly<Record<string, ScriptedImage>>;
  /** Which images there are at all. Default: every name. One that there is none of is an ErrImagePull. */
  readonly hasImage?: (image: string) => boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Default: the limits of this process, which all runtimes share. */
  readonly limits?: ServerLimits;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const CHUNK = 64 * 1024;
/** Of a termination message: so many of its last bytes are read. */
const LONGEST_MESSAGE = 4096;

interface Running {
  readonly container: Container;
  readonly podUid: string;
  /** It stands for a program that is not there, and only waits for its end. */
  readonly isPlaceholder: boolean;
}

/**
 * A container runtime whose programs are functions of this process, over files in memory. It touches neither the machine's files
 * nor its network.
 */
export class ScriptedRuntime implements ContainerRuntime {
  readonly version = "scripted://1.0.0";
  readonly #containers = new Map<string, Running>();
  readonly #ports = new Map<string, { readonly ports: PodPorts; containers: number }>();

  constructor(private readonly options: ScriptedRuntimeOptions) {}

  async run(spec: ContainerSpec): Promise<StartedContainer> {
    const { clock, timers, random } = this.options;
    if (this.options.hasImage?.(spec.image) === false) {
      throw new RuntimeError("ErrImagePull", `failed to resolve reference "${spec.image}": ${spec.image}: not found`);
    }
    const image = own(this.options.images, spec.image) ?? {};
    const id = Buffer.from(random.bytes(32)).toString("hex");
    const pod = this.#portsOf(spec.pod.uid);
    const cwd = spec.workingDir ?? image.workingDir ?? "/";
    const files = async (space: FileSpace) => filesOf(spec, image, cwd, await spec.files(), this.options, space);
    const env = { PATH, HOSTNAME: spec.pod.hostname, HOME: "/root", ...image.env, ...spec.env };
    const hasCapacity = image.capacity !== undefined;
    const server = this.options.limits ?? processLimits;
    const container = new Container({ spec, files, ports: pod.ports, env, cwd, clock, timers, server, hasCapacity });
    const main = mainOf(spec, image);
    const { startedAt, ended } = await startMain(container, main, this.options);
    const isPlaceholder = main.program === waitForSignal;
    this.#containers.set(id, { container, podUid: spec.pod.uid, isPlaceholder });
    pod.containers += 1;
    const stopped = new AbortController();
    for (const [port, answer] of Object.entries(image.ports ?? {}))
      pod.ports.listen(Number(port), answer, stopped.signal);
    const exited = ended.then(({ exitCode, reason, eviction }): ContainerExit => {
      stopped.abort();
      const message = terminationMessage(container, spec.terminationMessagePath);
      container.dropFiles();
      return {
        exitCode,
        finishedAt: clock.now(),
        ...(message !== "" && { message }),
        ...(reason !== undefined && { reason }),
        ...(eviction !== undefined && { eviction }),
      };
    });
    return { id, imageId: imageId(spec.image), startedAt, exited };
  }

  async signal(containerId: string, signal: string): Promise<void> {
    this.#containers.get(containerId)?.container.signalMain(signal);
  }

  async remove(containerId: string): Promise<void> {
    const { podUid = "", container } = this.#containers.get(containerId) ?? {};
    if (!this.#containers.delete(containerId)) return;
    container?.log.drop();
    const pod = this.#ports.get(podUid);
    if (pod !== undefined && (pod.containers -= 1) === 0) this.#ports.delete(podUid);
  }

  log(containerId: string, options: RuntimeLogOptions): AsyncIterable<LogEntry> {
    return this.#find(containerId).log.read(options);
  }

  async exec(containerId: string, command: readonly string[], streams: ProcessStreams): Promise<number> {
    const container = this.#find(containerId);
    if (container.running) await container.openFiles();
    if (!container.running) {
      throw new RuntimeError(
        "NotRunning",
        `failed to exec in container: container ${containerId} is not in running state`,
      );
    }
    try {
      return await container.exec(command, streams);
    } catch (error) {
      if (!(error instanceof ExecError) && !isExhausted(error)) throw error;
      const session = Buffer.from(this.options.random.bytes(32)).toString("hex");
      throw new RuntimeError(
        "ExecError",
        `failed to exec in container: failed to start exec "${session}": OCI runtime exec failed: exec failed: unable to start container process: ${error.message}: unknown`,
      );
    }
  }

  attach(containerId: string, streams: ProcessStreams): Promise<void> {
    return this.#find(containerId).attach(streams);
  }

  async dial(podUid: string, port: number): Promise<ByteStream> {
    const connection = this.#ports.get(podUid)?.ports.dial(port);
    if (connection !== undefined) return connection;
    throw new RuntimeError(
      "ConnectionRefused",
      `failed to execute portforward in network namespace "/var/run/netns/cni-${podUid}": failed to connect to localhost:${port} inside namespace "${podUid}", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused `,
    );
  }

  async stats(containerId: string): Promise<ContainerStats | undefined> {
    const { container } = this.#containers.get(containerId) ?? {};
    if (container === undefined || !container.running) return undefined;
    const { filesBytes, log } = container;
    const memoryBytes = container.memoryBytes + filesBytes + log.bytes;
    return { cpuNanoseconds: 0, memoryBytes, filesBytes, logsBytes: log.bytes };
  }

  /** A container that stands in for an image of which nothing is known succeeds in its probes, unless something answers the port. */
  answerProbe(containerId: string, { port }: ProbeQuestion): boolean | undefined {
    const { podUid = "", isPlaceholder = false } = this.#containers.get(containerId) ?? {};
    const isAnswered = port !== undefined && this.#ports.get(podUid)?.ports.has(port) === true;
    return isPlaceholder && !isAnswered ? true : undefined;
  }

  #find(containerId: string): Container {
    const found = this.#containers.get(containerId);
    if (found !== undefined) return found.container;
    throw new RuntimeError("NotFound", `an error occurred when try to find container "${containerId}": not found`);
  }

  #portsOf(uid: string): { readonly ports: PodPorts; containers: number } {
    const known = this.#ports.get(uid) ?? { ports: new PodPorts(), containers: 0 };
    this.#ports.set(uid, known);
    return known;
  }
}

interface MainProcess {
  readonly argv: readonly string[];
  /** What runs, where that does not depend on the container's files. */
  readonly program?: Program;
}

/** What the container's first process is. */
function mainOf(spec: ContainerSpec, image: ScriptedImage): MainProcess {
  const { entrypoint = waitForSignal } = image;
  const args = spec.args ?? [];
  if (spec.command !== undefined) return commandLine([...spec.command, ...args], spec, image);
  if (typeof entrypoint !== "function") return commandLine([...entrypoint, ...args], spec, image);
  // Arguments without a command are an ordinary image's command line.
  if (entrypoint === waitForSignal && (args[0] ?? "") !== "") return commandLine(args, spec, image);
  return { argv: ["main"], program: entrypoint };
}

/** Programs that look at no file: a container whose only process is one of them needs none. */
const WITHOUT_FILES: Readonly<Record<string, Program>> = { false: noFalse, sleep, true: yesTrue };

function commandLine(argv: readonly string[], { env }: ContainerSpec, image: ScriptedImage): MainProcess {
  const [name = ""] = argv;
  const isInPath = Object.keys(image).length === 0 && env["PATH"] === undefined;
  const program = isInPath && Object.hasOwn(WITHOUT_FILES, name) ? WITHOUT_FILES[name] : undefined;
  return { argv, ...(program && { program }) };
}

/** Starts the main process. Throws a {@link RuntimeError}; then nothing is left of the container. */
async function startMain(
  container: Container,
  { argv, program }: MainProcess,
  { clock }: ScriptedRuntimeOptions,
): Promise<{ readonly startedAt: number; readonly ended: Promise<MainExit> }> {
  try {
    if (program === undefined) await container.openFiles();
    return { startedAt: clock.now(), ended: container.run(argv, program) };
  } catch (error) {
    container.dropFiles();
    if (!(error instanceof ExecError) && !isExhausted(error)) throw error;
    throw new RuntimeError(
      "StartError",
      `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${error.message}: unknown`,
    );
  }
}

/** The container, or all of them together, use as much as they may. */
const isExhausted = (error: unknown): error is Error =>
  error instanceof ForkError || error instanceof OutOfMemoryError || error instanceof FileError;

/** What runs where neither the image nor the pod names anything: it ends at the first signal, with code 0 as a server does. */
const waitForSignal: Program = (io) =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"]) io.onSignal(signal, () => resolve(0));
    io.signal.addEventListener("abort", () => resolve(0), { once: true });
  });

function filesOf(
  spec: ContainerSpec,
  image: ScriptedImage,
  cwd: string,
  mounted: Readonly<Record<string, Uint8Array>>,
  { clock, random }: ScriptedRuntimeOptions,
  space: FileSpace,
): FileSystem {
  const files = new FileSystem({ clock, space, ...(image.capacity !== undefined && { capacity: image.capacity }) });
  for (const folder of ["/tmp", "/root", "/home", "/var", "/etc", "/usr/local/bin", "/bin"])
    files.makeDirectory(folder, { recursive: true });
  files.put("/etc/hostname", `${spec.pod.hostname}\n`);
  files.put("/etc/hosts", `127.0.0.1\tlocalhost\n::1\tlocalhost\n${spec.pod.ip}\t${spec.pod.hostname}\n`);
  files.mount("/dev/null", { read: () => [], write: () => {} });
  files.mount("/dev/zero", { read: () => endless(Buffer.alloc(CHUNK)), write: () => {} });
  files.mount("/dev/urandom", { read: () => endlessBytes(random), write: () => {} });
  if (image.shell !== false) {
    for (const [name, program] of Object.entries(USUAL_PROGRAMS)) {
      if (image.without?.includes(name) !== true) files.install(`/bin/${name}`, program);
    }
    files.symlink("/bin", "/usr/bin");
  }
  for (const [name, program] of Object.entries(image.programs ?? {})) {
    files.install(name.startsWith("/") ? name : `/usr/local/bin/${name}`, program);
  }
  for (const [path, content] of Object.entries(image.files ?? {})) {
    if (typeof content === "string" || content instanceof Uint8Array) files.put(path, content);
    else files.mount(path, content);
  }
  // Their bytes are those of the pod's volumes, which all containers share.
  for (const [path, content] of Object.entries(mounted)) files.put(path, content, { isShared: true });
  files.makeDirectory(cwd, { recursive: true });
  return files;
}

function* endless(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (;;) yield chunk;
}

function* endlessBytes(random: Random): Generator<Uint8Array, void, undefined> {
  for (;;) yield random.bytes(CHUNK);
}

function terminationMessage(container: Container, path: string): string {
  if (container.filesBytes === 0) return "";
  try {
    return container.files.end(path, LONGEST_MESSAGE).toString("utf8");
  } catch (error) {
    if (error instanceof FileError) return "";
    throw error;
  }
}

/** A digest that is the same for the same name. */
function imageId(image: string): string {
  const name = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const domain =
    name.includes("/") && /[.:]/.test(name.split("/")[0] ?? "")
      ? ""
      : name.includes("/")
        ? "docker.io/"
        : "docker.io/library/";
  return `${domain}${name}@sha256:${createHash("sha256").update(image).digest("hex")}`;
}
