import { own } from "../../base/collections/own.js";
import { createHash } from "node:crypto";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import { markStandIn } from "../../machinery/wire/streams/stand-in-end.js";
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
import { Container } from "./container.js";
import { FileError } from "./files/file-error.js";
import type { FileSpace } from "./files/file-store.js";
import { ownFiles } from "./files/own-files.js";
import { type ImageScript, scriptStart } from "./images/image-script.js";
import { connectForward, ForwardError, type PodForwards } from "./network/pod-forwards.js";
import type { ScriptedImage } from "./image.js";
import { processLimits, type ServerLimits } from "./limits/server-limits.js";
import type { PodNetwork } from "../network/pod-network.js";
import { PodView } from "./network/container-network.js";
import { connectionTo, PodPorts } from "./ports.js";
import { ExecError, type Program } from "./program.js";
import { isExhausted, type MainRun, type Running, startMain, startScript } from "./start-main.js";
import { answerOf, isMountedAt, siteOf } from "./stand-in/document-root.js";
import { type HttpAnswer, type HttpRequest, page } from "./stand-in/page.js";
import { standInText, answersPort, type ServicePortsOf } from "./stand-in/stand-in.js";
import { ContainerMounts, PodVolumes } from "./volumes/container-mounts.js";
import { KeptVolumes, type NodeVolumes } from "./volumes/kept-volumes.js";

export interface ScriptedRuntimeOptions {
  /** What images are, by name as pods write it. An image that is not here is an ordinary one with a shell. */
  readonly images?: Readonly<Record<string, ScriptedImage>>;
  /** Which images there are at all. Default: every name. One that there is none of is an ErrImagePull. */
  readonly hasImage?: (image: string) => boolean;
  /**
   * Whether a container whose program is not there stands in for its image, where its pod has no annotation kubets.dev/images that says so.
   * Default false: it cannot start. Images that `images` names are what they say.
   */
  readonly standIn?: boolean;
  /** Programs beside the usual ones, by name, of images with a shell. */
  readonly programs?: Readonly<Record<string, Program>>;
  /** What programs of pods reach beside their own pod. Left out: nothing. */
  readonly network?: PodNetwork;
  /** Ports of pods that lead to programs of this machine. Left out: none. */
  readonly forwards?: PodForwards;
  /** Ports that stand-ins answer beside those of their pods. */
  readonly servicePortsOf?: ServicePortsOf;
  /** What containers of some images run; the first that fits counts. `images` come before them. */
  readonly imageScripts?: readonly ImageScript[];
  /** The same behind them, for containers that may stand in for their images. */
  readonly builtInScripts?: readonly ImageScript[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Volumes that outlive pods. Default: the runtime's own. */
  readonly volumes?: NodeVolumes;
  /** Default: the limits of this process, which all runtimes share. */
  readonly limits?: ServerLimits;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Of a termination message: so many of its last bytes are read. */
const LONGEST_MESSAGE = 4096;

/** The containers of a pod, and the ports and volumes that they share. */
interface RunningPod {
  readonly ports: PodPorts;
  readonly containers: Set<Running>;
  /** Undefined while no container has opened any. */
  volumes?: PodVolumes | undefined;
  /** Its volumes had so many bytes that it is to be evicted. */
  evictedBytes?: number;
}

/**
 * A container runtime whose programs are functions of this process, over files in memory. It touches neither the machine's files
 * nor its network.
 */
export class ScriptedRuntime implements ContainerRuntime {
  readonly version = "scripted://1.0.0";
  readonly #containers = new Map<string, Running>();
  readonly #pods = new Map<string, RunningPod>();
  readonly #volumes: NodeVolumes;

  constructor(private readonly options: ScriptedRuntimeOptions) {
    const { clock, limits, volumes } = options;
    this.#volumes = volumes ?? new KeptVolumes({ clock, ...(limits && { limits }) }).ofNode("");
  }

  async run(spec: ContainerSpec): Promise<StartedContainer> {
    const { clock, timers, random } = this.options;
    if (this.options.hasImage?.(spec.image) === false) {
      throw new RuntimeError("ErrImagePull", `failed to resolve reference "${spec.image}": ${spec.image}: not found`);
    }
    const image = own(this.options.images, spec.image) ?? {};
    const id = Buffer.from(random.bytes(32)).toString("hex");
    const cwd = spec.workingDir ?? image.workingDir ?? "/";
    const pod = this.#podOf(spec.pod.uid);
    const mounts = new ContainerMounts(spec, { pod: () => this.#volumesOf(pod), node: this.#volumes });
    const files = async (space: FileSpace) => {
      const own = ownFiles(spec, image, this.options, space);
      await mounts.bind(own);
      own.makeDirectory(cwd, { recursive: true });
      return own;
    };
    await mounts.prepare();
    const env = { PATH, HOSTNAME: spec.pod.hostname, HOME: "/root", ...image.env, ...spec.env };
    const hasCapacity = image.capacity !== undefined;
    const server = this.options.limits ?? processLimits;
    const network = new PodView({
      pod: spec.pod,
      network: this.options.network,
      dialPod: (port) => this.#dialPod(pod, port),
    });
    const container = new Container({
      spec,
      files,
      ports: pod.ports,
      network,
      env,
      cwd,
      clock,
      timers,
      server,
      hasCapacity,
    });
    const running: Running = { container, spec, standIn: undefined, isPlaceholder: false, isScript: false };
    const { startedAt, ended } = await this.#startMain(running, image);
    this.#containers.set(id, running);
    pod.containers.add(running);
    if (pod.evictedBytes !== undefined) container.evict(pod.evictedBytes);
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
    const standsIn = noteOf(running);
    const podObject = spec.pod.object?.();
    const leads = podObject && this.options.forwards?.note(podObject);
    const note = [standsIn, leads].filter((sentence) => sentence !== undefined).join(". ");
    return { id, imageId: imageId(spec.image), startedAt, exited, ...(note !== "" && { note }) };
  }

  async signal(containerId: string, signal: string): Promise<void> {
    this.#containers.get(containerId)?.container.signalMain(signal);
  }

  async remove(containerId: string): Promise<void> {
    const running = this.#containers.get(containerId);
    if (running === undefined) return;
    this.#containers.delete(containerId);
    running.container.log.drop();
    const { uid } = running.spec.pod;
    const pod = this.#pods.get(uid);
    if (pod?.containers.delete(running) === true) this.#forget(uid, pod);
  }

  async stopPod(podUid: string): Promise<void> {
    const pod = this.#pods.get(podUid);
    if (pod === undefined) return;
    pod.volumes?.close();
    pod.volumes = undefined;
    this.#forget(podUid, pod);
  }

  volumeBytes(podUid: string, volume: string): number | undefined {
    return this.#pods.get(podUid)?.volumes?.bytesOf(volume);
  }

  #forget(uid: string, { containers, volumes }: RunningPod): void {
    if (containers.size === 0 && volumes === undefined) this.#pods.delete(uid);
  }

  #volumesOf(pod: RunningPod): PodVolumes {
    const { clock, limits = processLimits } = this.options;
    pod.volumes ??= new PodVolumes(clock, limits, (bytes) => {
      const running = [...pod.containers].find(({ container }) => container.running);
      if (running === undefined) pod.evictedBytes = bytes;
      else running.container.evict(bytes);
    });
    return pod.volumes;
  }

  log(containerId: string, options: RuntimeLogOptions): AsyncIterable<LogEntry> {
    return this.#find(containerId).log.read(options);
  }

  async exec(containerId: string, command: readonly string[], streams: ProcessStreams): Promise<number> {
    const container = this.#find(containerId);
    try {
      if (container.running) await container.openFiles();
      if (!container.running) {
        const reason = `container ${containerId} is not in running state`;
        throw new RuntimeError("NotRunning", `failed to exec in container: ${reason}`);
      }
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
    const pod = this.#pods.get(podUid);
    const connection = pod && (await this.#dialPod(pod, port));
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

  /** A placeholder succeeds in its probes, unless something answers the port, or the probe names a port that the container has not. */
  answerProbe(containerId: string, { port }: ProbeQuestion): boolean | undefined {
    const running = this.#containers.get(containerId);
    if (running?.isPlaceholder !== true || port === 0) return undefined;
    if (port === undefined) return true;
    const pod = this.#pods.get(running.spec.pod.uid);
    const isAnswered = pod !== undefined && (pod.ports.has(port) || this.#forwardOf(pod, port) !== undefined);
    return isAnswered ? undefined : true;
  }

  standIn(containerId: string): string | undefined {
    const { standIn } = this.#containers.get(containerId) ?? {};
    return standIn && standInText(standIn);
  }

  #find(containerId: string): Container {
    const found = this.#containers.get(containerId);
    if (found !== undefined) return found.container;
    throw new RuntimeError("NotFound", `an error occurred when try to find container "${containerId}": not found`);
  }

  #podOf(uid: string): RunningPod {
    const known = this.#pods.get(uid) ?? { ports: new PodPorts(), containers: new Set() };
    this.#pods.set(uid, known);
    return known;
  }

  /** Throws a {@link RuntimeError} where the pod's annotation says neither. */
  #mayStandIn({ image, pod, isStaged = false }: ContainerSpec): boolean {
    if (isStaged || own(this.options.images, image) !== undefined) return false;
    const wanted = pod.object?.().metadata?.annotations?.[IMAGES_ANNOTATION];
    if (wanted === undefined) return this.options.standIn === true;
    if (wanted === "stand-in" || wanted === "strict") return wanted === "stand-in";
    const message = `annotation ${IMAGES_ANNOTATION}: ${JSON.stringify(wanted)} is neither "stand-in" nor "strict"`;
    throw new RuntimeError("CreateContainerError", message);
  }

  #startMain(running: Running, image: ScriptedImage): Promise<MainRun> {
    const { clock, images, imageScripts = [], builtInScripts = [] } = this.options;
    const { spec } = running;
    const mayStandIn = this.#mayStandIn(spec);
    const isGiven = spec.isStaged === true || own(images, spec.image) !== undefined;
    const scripts = isGiven ? [] : mayStandIn ? [...imageScripts, ...builtInScripts] : imageScripts;
    const script = scriptStart(scripts, spec);
    if (script === undefined) return startMain(running, image, mayStandIn, clock);
    running.isScript = true;
    return startScript(running, script, mayStandIn, clock);
  }

  /** The client's end of a connection to a port of a pod; undefined where nothing listens. */
  async #dialPod(pod: RunningPod, port: number): Promise<ByteStream | undefined> {
    const forward = this.#forwardOf(pod, port);
    if (forward === undefined) return pod.ports.dial(port) ?? this.#dialStandIn(pod, port);
    try {
      return await connectForward(forward.to, forward.pod, port);
    } catch (error) {
      if (error instanceof ForwardError) throw new RuntimeError("ForwardRefused", error.message);
      throw error;
    }
  }

  /** Where a port leads that is not the pod's own; undefined for others, and where nothing of the pod runs. */
  #forwardOf({ containers }: RunningPod, port: number) {
    const { forwards } = this.options;
    if (forwards === undefined) return undefined;
    for (const { container, spec } of containers) {
      const pod = spec.pod.object?.();
      const to = pod && container.running ? forwards.to(pod, port) : undefined;
      if (pod !== undefined && to !== undefined) return { pod, to };
    }
    return undefined;
  }

  /** A connection to the port of a container that stands in; undefined where none has it. */
  async #dialStandIn({ containers }: RunningPod, port: number): Promise<ByteStream | undefined> {
    for (const { standIn, container, spec } of containers) {
      const pod = spec.pod.object?.();
      if (standIn === undefined || pod === undefined || !container.running) continue;
      const own = { name: spec.name, imagePort: siteOf(spec.image)?.port };
      if (!(await answersPort(pod, own, port, this.options.servicePortsOf)) || !container.running) continue;
      const { namespace, name } = spec.pod;
      const what = `container ${spec.name} of pod ${namespace}/${name} ${standInText(standIn)}`;
      const answer = page(`kubets: ${what}\n`, (request) => answerOfSite(container, spec, request));
      return markStandIn(connectionTo({ answer, signal: container.ended }), what);
    }
    return undefined;
  }
}

/** What the files of a web server's container answer; undefined where it is none, or has no files to serve. */
async function answerOfSite(
  container: Container,
  { image, mounts }: ContainerSpec,
  request: HttpRequest,
): Promise<HttpAnswer | undefined> {
  const site = siteOf(image);
  if (site === undefined) return undefined;
  const paths = mounts.map(({ path }) => path);
  // Where nothing of it was mounted or written there, nothing is made.
  if (container.filesBytes === 0 && !isMountedAt(site, paths)) return undefined;
  await container.openFiles();
  return answerOf(container.files, site, request);
}

/** On a pod: whether its containers stand in for their images ("stand-in") or must have a program that runs here ("strict"). */
const IMAGES_ANNOTATION = "kubets.dev/images";

/** What people should know of a container whose image does not run, a sentence without its point. */
function noteOf({ spec, standIn, isScript }: Running): string | undefined {
  if (standIn !== undefined) return `It ${standInText(standIn)}`;
  return isScript ? `It runs a script in place of image ${JSON.stringify(spec.image)}` : undefined;
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
