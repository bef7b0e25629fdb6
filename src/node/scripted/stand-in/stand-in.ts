import { pause } from "../../../base/time/pause.js";
import type { ContainerSpec } from "../../container-runtime.js";
import type { Program } from "../program.js";
import type { Container, Pod, Probe } from "../../../api/types/core/v1.js";
import { withoutTag } from "../images/image-script.js";

/** A stand-in for an image, whose programs cannot be known. */
export interface StandIn {
  /** The image, as the pod names it. */
  readonly image: string;
  /** What would have run: "/app/server --port=80", or "its entrypoint". */
  readonly instead: string;
  /** Where a script of it needed what is not there: "sh: 3: psql: not found". Undefined where nothing of it ran. */
  readonly missing: string | undefined;
  /** A task ends by itself; a service waits for a signal. */
  readonly life: "task" | "service";
}

/** How long a task runs, by the cluster's clock. Milliseconds. */
const TASK_MS = 1000;

/** Makes the stand-in for a container's image; `missing` is where its script failed, if it ran one. */
export function standInOf(spec: ContainerSpec, missing?: string): StandIn {
  const { image, command, args = [] } = spec;
  const words = args.length > 0 ? ` with the arguments ${lineOf(args)}` : "";
  return {
    image,
    instead: command === undefined ? `its entrypoint${words}` : lineOf([...command, ...args]),
    missing,
    life: lifeOf(spec),
  };
}

/** The sentence about a stand-in for the container's log and for the event of its start. */
export const standInText = ({ image, instead, missing }: StandIn): string =>
  missing === undefined
    ? `stands in for image ${JSON.stringify(image)}; would have run: ${instead}`
    : `stands in for image ${JSON.stringify(image)} from here on: ${missing}`;

/**
 * The program of a stand-in: it writes the sentence into its log and then does nothing. A task ends with 0 after a second, a
 * service at the first signal.
 */
export const standInProgram =
  (standIn: StandIn): Program =>
  async (io) => {
    const signalled = new Promise<void>((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"]) io.onSignal(signal, resolve);
      io.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await io.stdout.write(`kubets: this container ${standInText(standIn)}\n`);
    await (standIn.life === "service" ? signalled : Promise.race([signalled, pause(io.timers, TASK_MS, io.signal)]));
    return 0;
  };

/**
 * Decides whether a stand-in ends: it does where others wait for the end, as for init containers, pods of Jobs, helm's hooks, and
 * commands that are not restarted.
 */
export function lifeOf({ pod, name, command, args }: ContainerSpec): StandIn["life"] {
  const { metadata, spec } = pod.object?.() ?? {};
  const init = spec?.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return init.restartPolicy === "Always" ? "service" : "task";
  const isOfJob = metadata?.ownerReferences?.some(({ kind, controller }) => kind === "Job" && controller === true);
  if (isOfJob === true || metadata?.annotations?.["helm.sh/hook"] !== undefined) return "task";
  const isRestarted = (spec?.restartPolicy ?? "Always") === "Always";
  return isRestarted || (command === undefined && args === undefined) ? "service" : "task";
}

/** As a person would type it. */
function lineOf(words: readonly string[]): string {
  const line = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}...`;
}

/** Of a command line in a log. */
const LONGEST_LINE = 500;

/** Finds the ports to which Services that select the pod send. */
export type ServicePortsOf = (pod: Pod) => Promise<Iterable<number>>;

/** A container that stands in, and the port on which programs of its image listen, where that is known. */
interface StandInPorts {
  readonly name: string;
  readonly imagePort: number | undefined;
}

/**
 * Whether a stand-in listens on a port: one that it declares, that its probes and hooks name, or that its image has or a Service
 * sends to and no other container of the pod declares.
 */
export async function answersPort(
  pod: Pod,
  { name, imagePort }: StandInPorts,
  port: number,
  servicePortsOf: ServicePortsOf | undefined,
): Promise<boolean> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const all = [...containers, ...initContainers];
  const own = all.find((container) => container.name === name);
  if (own === undefined) return false;
  if (declares(own, port) || namesInProbes(own, port)) return true;
  if (all.some((container) => declares(container, port))) return false;
  if (imagePort === port) return true;
  if (servicePortsOf === undefined) return false;
  for (const one of await servicePortsOf(pod)) if (one === port) return true;
  return false;
}

const declares = ({ ports = [] }: Container, port: number): boolean =>
  ports.some(({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP");

function namesInProbes({ startupProbe, readinessProbe, livenessProbe, lifecycle }: Container, port: number): boolean {
  const actions: readonly (Pick<Probe, "httpGet" | "tcpSocket" | "grpc"> | undefined)[] = [
    startupProbe,
    readinessProbe,
    livenessProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return actions.some((action) =>
    [action?.httpGet?.port, action?.tcpSocket?.port, action?.grpc?.port].some((named) => Number(named) === port),
  );
}

/** Images without an entrypoint: what a pod gives as args is their command line. */
const WITHOUT_ENTRYPOINT = new Set([
  "almalinux",
  "alpine",
  "amazonlinux",
  "archlinux",
  "busybox",
  "centos",
  "debian",
  "fedora",
  "opensuse",
  "oraclelinux",
  "rockylinux",
  "toybox",
  "ubuntu",
]);
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/;

/**
 * The command line of a container whose image is unknown; undefined where the image's own entrypoint decides. A pod's command is one. Its
 * args alone are one for an image without an entrypoint or of Docker's own library, whose entrypoints run a program that they are given,
 * and where they call a shell; and for every image that nothing may stand in for.
 */
export function commandLineOf(
  { image, command, args = [] }: ContainerSpec,
  mayStandIn: boolean,
): readonly string[] | undefined {
  if (command !== undefined) return [...command, ...args];
  const [first = ""] = args;
  if (first === "") return undefined;
  if (!mayStandIn) return args;
  const name = withoutTag(image);
  const ofLibrary = /^(?:(?:(?:index\.)?docker\.io\/)?library\/|docker\.io\/)?[^/]+$/.test(name);
  const isCommand = ofLibrary || WITHOUT_ENTRYPOINT.has(name.split("/").at(-1) ?? "") || SHELL.test(first);
  return isCommand ? args : undefined;
}
