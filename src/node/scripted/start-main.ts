import type { Clock } from "../../base/time/clock.js";
import { type ContainerSpec, RuntimeError } from "../container-runtime.js";
import type { Container, MainExit } from "./container.js";
import { FileError } from "./files/file-error.js";
import type { ScriptedImage } from "./image.js";
import type { ScriptStart } from "./images/image-script.js";
import { ForkError, OutOfMemoryError } from "./limits/errors.js";
import type { MissingError } from "./missing.js";
import { ExecError, type Program } from "./program.js";
import { noFalse, sleep, yesTrue } from "./programs/system.js";
import { commandLineOf, type StandIn, standInOf, standInProgram } from "./stand-in/stand-in.js";

/** A container that runs, or is about to. */
export interface Running {
  readonly container: Container;
  readonly spec: ContainerSpec;
  /** What its image would have run, where that is not there. */
  standIn: StandIn | undefined;
  /** Nothing of its image runs: its probes and hooks succeed, unless something answers them. */
  isPlaceholder: boolean;
  /** A script of its image runs. */
  isScript: boolean;
}

interface MainProcess {
  readonly argv: readonly string[];
  /** What runs, where that does not depend on the container's files. */
  readonly program?: Program;
}

export interface MainRun {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly ended: Promise<MainExit>;
}

/** What the container's first process is. */
function mainOf(spec: ContainerSpec, image: ScriptedImage, mayStandIn: boolean): MainProcess {
  const { entrypoint } = image;
  if (spec.command === undefined && entrypoint !== undefined) {
    if (typeof entrypoint === "function") return { argv: ["main"], program: entrypoint };
    return commandLine([...entrypoint, ...(spec.args ?? [])], spec, image);
  }
  const line = commandLineOf(spec, mayStandIn);
  if (line !== undefined) return commandLine(line, spec, image);
  if (spec.stdin && spec.tty && image.shell !== false) return commandLine(["sh"], spec, image);
  return { argv: ["main"], program: waitForSignal };
}

/** Programs that look at no file: a container whose only process is one of them needs none. */
const WITHOUT_FILES: Readonly<Record<string, Program>> = { false: noFalse, sleep, true: yesTrue };

function commandLine(argv: readonly string[], { env }: ContainerSpec, image: ScriptedImage): MainProcess {
  const [name = ""] = argv;
  const isInPath = Object.keys(image).length === 0 && env["PATH"] === undefined;
  const program = isInPath && Object.hasOwn(WITHOUT_FILES, name) ? WITHOUT_FILES[name] : undefined;
  return { argv, ...(program && { program }) };
}

/** Starts the main process or its stand-in. Throws a {@link RuntimeError}; then nothing is left of the container. */
export async function startMain(
  running: Running,
  image: ScriptedImage,
  mayStandIn: boolean,
  clock: Clock,
): Promise<MainRun> {
  const { container, spec } = running;
  const { argv, program } = mainOf(spec, image, mayStandIn);
  const standIn = (missing?: MissingError): Program => standInFor(running, missing);
  const begin = (main?: Program): MainRun => ({
    startedAt: clock.now(),
    // Who types a command hears at once that it is not there.
    ended: container.run(argv, main, mayStandIn && !spec.stdin ? standIn : undefined),
  });
  try {
    if (program === waitForSignal && mayStandIn) return begin(standIn());
    running.isPlaceholder = program === waitForSignal;
    if (program === undefined) await container.openFiles();
    return begin(program);
  } catch (error) {
    if (mayStandIn && error instanceof ExecError && error.kind === "not-found") return begin(standIn());
    throw startError(container, error);
  }
}

/** Starts the script for an image. Throws a {@link RuntimeError}; then nothing is left of the container. */
export async function startScript(
  running: Running,
  script: ScriptStart,
  mayStandIn: boolean,
  clock: Clock,
): Promise<MainRun> {
  const { container } = running;
  const placeHolder = (missing?: MissingError): Program => standInFor(running, missing);
  const { program, argv, standsIn = false } = script;
  const standIn = standsIn ? placeHolder() : undefined;
  const main: Program = async (io) => {
    const code = await program(io);
    return code !== 0 || standIn === undefined ? code : standIn(io);
  };
  try {
    await container.openFiles();
    return { startedAt: clock.now(), ended: container.run(argv, main, mayStandIn ? placeHolder : undefined) };
  } catch (error) {
    throw startError(container, error);
  }
}

/** What stands in for the image of a container, which counts as a placeholder from now on. */
function standInFor(running: Running, missing?: MissingError): Program {
  running.standIn = standInOf(running.spec, missing?.message);
  running.isPlaceholder = true;
  return standInProgram(running.standIn);
}

/** What is told of a container that cannot be started, once nothing is left of it. */
function startError(container: Container, error: unknown): unknown {
  container.dropFiles();
  if (!(error instanceof ExecError) && !isExhausted(error)) return error;
  return new RuntimeError(
    "StartError",
    `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: ${error.message}: unknown`,
  );
}

/** Whether an error means that the container, or all of them together, has reached a limit. */
export const isExhausted = (error: unknown): error is Error =>
  error instanceof ForkError || error instanceof OutOfMemoryError || error instanceof FileError;

/** What runs where neither the image nor the pod names anything: it ends at the first signal, with code 0 as a server does. */
const waitForSignal: Program = (io) =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"]) io.onSignal(signal, () => resolve(0));
    io.signal.addEventListener("abort", () => resolve(0), { once: true });
  });
