import { readdir } from "node:fs/promises";
import type { Command, Invocation, Completer } from "../../cli/command.js";
import { exitWithProgram, sessionHost, type SessionHost } from "../../cli/container-session/container-command.js";
import { containerFlag } from "../../cli/container-session/flags.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import type { CopyFilesFromPodOptions } from "../../actions/copy/copy-files-from-pod.js";
import type { CopyFilesToPodOptions } from "../../actions/copy/copy-files-to-pod.js";
import type { CopyMessages } from "../../actions/copy/exec-in-pod.js";
import type { Clock } from "../../base/time/clock.js";
import { writeOutput } from "../../cli/write-output.js";
import { withoutLastSlash } from "../../actions/copy/archive/local-names.js";
import { PODS } from "../../actions/selected-pods.js";
import { NO_SPACE } from "../../cli/completion/directive.js";
import { objectNames } from "../../cli/completion/resource-names.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";

export interface CpOptions
  extends Pick<SessionHost, "client" | "webSockets" | "requestTimeout" | "streams" | "signal"> {
  /** The operands, two or not. */
  readonly operands: readonly string[];
  /** Of pods whose operand names none. */
  readonly namespace: string;
  /** "" takes the pod's default container. */
  readonly container: string;
  readonly noPreserve: boolean;
  /** How often a copy from a pod is resumed; less than 0 is always. */
  readonly retries: number;
  /** kubets' own: by a shell and cat. */
  readonly noTar: boolean;
  /** kubets' own: what is there already is not copied again. */
  readonly resume: boolean;
  readonly program: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Factory["clock"];
  /** Progress, where stderr is a terminal. */
  readonly openLines: () => Promise<LiveLines | undefined>;
}

export function cpCommand(run = runCp): Command {
  return {
    use: "cp <file-spec-src> <file-spec-dest>",
    description: `Copy files and folders to and from containers, by the tar that the container has.

Links are not copied from a container, and permissions are those of new files. Nothing is written outside of the destination.`,
    examples: `# A local file or folder into a pod of the namespace in force
{{program}} cp ./site mypod:/srv/site

# The same, in a container of the pod
{{program}} cp ./site mypod:/srv/site -c web

# Into a pod of another namespace
{{program}} cp ./settings.json tools/mypod:/etc/settings.json

# Out of a pod
{{program}} cp mypod:/var/log/app ./logs

# A large file over a bad connection: what broke off goes on, at most ten times
{{program}} cp mypod:/backup.tar ./backup.tar --retries=10

# Go on with a copy that was interrupted, in either direction
{{program}} cp mypod:/backups ./backups --resume

# From an image without tar
{{program}} cp mypod:/etc/app ./app --no-tar

# Links and permissions, too, by exec
{{program}} exec mypod -- tar cf - /srv/site | tar xf -`,
    flags: [
      containerFlag,
      {
        name: "no-preserve",
        type: "bool",
        usage: "Do not keep owners and permissions of what is copied into a container",
      },
      {
        name: "retries",
        type: "int",
        default: "0",
        usage: "How often a copy from a container goes on after it broke off. 0 is never, less than 0 is always",
      },
      {
        name: "no-tar",
        type: "bool",
        usage: "Copy file by file, by the shell and the cat of the container, which need have no tar",
      },
      {
        name: "resume",
        type: "bool",
        usage:
          "Copy file by file, go on where files that are there begin in the same way, and leave those that are the same",
      },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeFileSpecs,
  };
}

async function complete(factory: Factory, { args, flags, commandPath, signal }: Invocation): Promise<CpOptions> {
  const { namespace } = await factory.namespace();
  const { client, webSockets, requestTimeout } = await sessionHost(factory, signal);
  if (args.length !== 2) throw new Error("source and destination are required");
  const [noTar, resume] = [flags.bool("no-tar"), flags.bool("resume")];
  if ((noTar || resume) && flags.number("retries") !== 0) {
    throw new Error("--retries goes with tar: it cannot be used with --no-tar or --resume");
  }
  return {
    client,
    webSockets,
    requestTimeout,
    streams: factory.streams,
    signal,
    operands: args,
    namespace,
    container: flags.string("container"),
    noPreserve: flags.bool("no-preserve"),
    retries: flags.number("retries"),
    noTar,
    resume,
    program: commandPath.split(" ").slice(0, -1).join(" "),
    cwd: factory.cwd,
    platform: factory.platform,
    clock: factory.clock,
    openLines: () => openLiveLines(factory),
  };
}

export async function runCp(options: CpOptions): Promise<void> {
  const { operands, platform, streams, clock } = options;
  const [source, destination] = operands.map((operand) => parseFileSpec(operand, platform)) as [FileSpec, FileSpec];
  if (source.pod !== "" && destination.pod !== "") {
    throw new Error("one of src or dest must be a local file specification");
  }
  if (source.path === "" || destination.path === "") throw new Error("filepath can not be empty");
  const remote = source.pod === "" ? destination : source;
  if (remote.pod === "") throw new Error("one of src or dest must be a remote file specification");
  const messages = new Messages(streams, clock, await options.openLines());
  const target = { ...options, pod: remote.pod, namespace: remote.namespace || options.namespace };
  const copying = { ...options, target, source: source.path, destination: destination.path, messages };
  try {
    if (options.noTar || options.resume) {
      await copyFiles(remote === source, { ...copying, givenNamespace: source.namespace });
    } else if (remote === source) {
      const { copyFromPod } = await import("../../actions/copy/copy-from-pod.js");
      await copyFromPod({ ...copying, givenNamespace: source.namespace });
    } else {
      const { copyToPod } = await import("../../actions/copy/copy-to-pod.js");
      await copyToPod(copying);
    }
  } catch (error) {
    exitWithProgram(error);
  } finally {
    messages.end();
  }
}

async function copyFiles(down: boolean, copying: CopyFilesFromPodOptions & CopyFilesToPodOptions): Promise<void> {
  if (down) await (await import("../../actions/copy/copy-files-from-pod.js")).copyFilesFromPod(copying);
  else await (await import("../../actions/copy/copy-files-to-pod.js")).copyFilesToPod(copying);
}

/** Milliseconds between two changes of the progress. */
const PACE = 100;

/**
 * Writes the messages of a copy on stdout and stderr, and its progress on stderr if that is a terminal. A terminal shows control
 * characters from the container's tar as text.
 */
export class Messages implements CopyMessages {
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #lines: LiveLines | undefined;
  #file = "";
  #files = 0;
  #shownAt = 0;

  constructor(streams: Streams, clock: Clock, lines: LiveLines | undefined) {
    this.#streams = streams;
    this.#clock = clock;
    this.#lines = lines;
  }

  out(text: string | Uint8Array): Promise<void> {
    return this.#write(this.#streams.out, text);
  }

  err(text: string | Uint8Array): Promise<void> {
    return this.#write(this.#streams.err, text);
  }

  /** Of a file: how many of its bytes are copied, of how many where that is known. */
  progress(path: string, done: number, size?: number): void {
    if (path !== this.#file) this.#files += 1;
    this.#file = path;
    const now = this.#clock.now();
    if (this.#lines === undefined || now - this.#shownAt < PACE) return;
    this.#shownAt = now;
    const before = this.#files === 1 ? "" : `${this.#files} files, `;
    this.#lines.set("Copying", `${before}${path} ${inBytes(done)}${size === undefined ? "" : ` of ${inBytes(size)}`}`);
  }

  end(): void {
    this.#lines?.end();
  }

  async #write(stream: Streams["out"], text: string | Uint8Array): Promise<void> {
    this.#lines?.clear();
    await writeOutput(stream, stream.isTTY === true && typeof text !== "string" ? Buffer.from(text).toString() : text);
  }
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** "12 B", "3.4 MiB". */
function inBytes(count: number): string {
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

/** One of cp's two operands. */
export interface FileSpec {
  /** "" for a local file. */
  readonly pod: string;
  /** "" for the namespace in force. */
  readonly namespace: string;
  readonly path: string;
}

const BAD_FORMAT = "filespec must match the canonical format: [[namespace/]pod:]file/path";

/** A drive of Windows: no pod has a name in capitals, and no path in a container begins with a backslash. */
const DRIVE = /^([A-Z]:|[a-z]:\\)/;

/** Reads `[[namespace/]pod:]path`. Throws in kubectl's words. */
export function parseFileSpec(text: string, platform: NodeJS.Platform): FileSpec {
  const colon = platform === "win32" && DRIVE.test(text) ? -1 : text.indexOf(":");
  if (colon === 0) throw new Error(BAD_FORMAT);
  if (colon < 0) return { pod: "", namespace: "", path: withoutLastSlash(text) };
  const pieces = text.slice(0, colon).split("/");
  if (pieces.length > 2) throw new Error(BAD_FORMAT);
  const path = withoutLastSlash(text.slice(colon + 1)).replaceAll("\\", "/");
  return { pod: pieces.at(-1) ?? "", namespace: pieces.length === 2 ? (pieces[0] ?? "") : "", path };
}

/** Completes the first operand: a pod, `namespace/pod`, or a local path. */
export const completeFileSpecs: Completer = async (factory, { args }, toComplete) => {
  const candidates = args.length === 0 ? await sources(factory, toComplete) : [];
  return { candidates: candidates.filter((candidate) => candidate.startsWith(toComplete)), directive: NO_SPACE };
};

async function sources(factory: Factory, toComplete: string): Promise<readonly string[]> {
  if (/^[/.~]/.test(toComplete) || toComplete.includes(":")) return [];
  const slash = toComplete.indexOf("/");
  if (slash > 0) return await podsOf(factory, toComplete.slice(0, slash));
  const none = (): readonly string[] => [];
  const namespaces = await objectNames(factory, "namespace").catch(none);
  const pods = await objectNames(factory, "pod").catch(none);
  const remote = [...namespaces.map((name) => `${name}/`), ...pods.map((name) => `${name}:`)];
  if (toComplete === "") return [...remote, "./", "/"];
  // Where there is nothing else to offer, the shell completes files itself.
  return remote.some((name) => name.startsWith(toComplete)) ? [...remote, ...(await filesIn(factory.cwd))] : [];
}

async function podsOf(factory: Factory, namespace: string): Promise<readonly string[]> {
  const pods = new Helper(await factory.restClient(), PODS);
  const { items } = await pods.list(namespace, {}).catch((): { readonly items?: unknown } => ({}));
  const list = Array.isArray(items) ? (items as readonly KubeObject[]) : [];
  return list.map(({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}:`);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}
