import { systemClock } from "../../src/base/time/clock.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { systemTimers } from "../../src/base/time/timers.js";
import type { ContainerSpec, StartedContainer } from "../../src/node/container-runtime.js";
import type { ScriptedImage } from "../../src/node/scripted/image.js";
import type { ServerLimits } from "../../src/node/scripted/limits/server-limits.js";
import { ScriptedRuntime, type ScriptedRuntimeOptions } from "../../src/node/scripted/scripted-runtime.js";

export interface ScriptedContainer {
  readonly runtime: ScriptedRuntime;
  readonly started: StartedContainer;
  /** Runs a program to its end. */
  exec(command: readonly string[], input?: string | Uint8Array): Promise<Output>;
  /** What a program writes, whatever its bytes. */
  bytes(command: readonly string[]): Promise<Buffer>;
  /** Runs a script in the container's shell. */
  sh(script: string, input?: string | Uint8Array): Promise<Output>;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The container that `startScripted` starts. */
export const scriptedSpec: ContainerSpec = {
  pod: { uid: "pod-uid", name: "web", namespace: "default", hostname: "web", ip: "10.88.0.2" },
  name: "c",
  attempt: 0,
  image: "busybox",
  env: {},
  mounts: [],
  stdin: false,
  stdinOnce: false,
  tty: false,
  terminationMessagePath: "/dev/termination-log",
};

/** Starts one container of a scripted image. `limits` are those of the whole server. */
export async function startScripted(
  image: ScriptedImage = {},
  spec: Partial<ContainerSpec> = {},
  limits?: ServerLimits,
): Promise<ScriptedContainer> {
  return startIn(scriptedRuntime({ images: { busybox: image }, ...(limits && { limits }) }), spec);
}

/** A runtime on the machine's clock. */
export const scriptedRuntime = (options: Partial<ScriptedRuntimeOptions> = {}): ScriptedRuntime =>
  new ScriptedRuntime({ clock: systemClock, timers: systemTimers, random: systemRandom, ...options });

/** Starts one more container of a runtime. */
export async function startIn(runtime: ScriptedRuntime, spec: Partial<ContainerSpec> = {}): Promise<ScriptedContainer> {
  const started = await runtime.run({ ...scriptedSpec, ...spec });
  const run = async (command: readonly string[], input: string | Uint8Array) => {
    const out: Uint8Array[] = [];
    const err: Uint8Array[] = [];
    const code = await runtime.exec(started.id, command, {
      stdin: chunks(input),
      stdout: async (chunk) => void out.push(chunk),
      stderr: async (chunk) => void err.push(chunk),
      tty: false,
      signal: new AbortController().signal,
    });
    return { out: Buffer.concat(out), err: Buffer.concat(err), code };
  };
  const exec: ScriptedContainer["exec"] = async (command, input = "") => {
    const { out, err, code } = await run(command, input);
    return { stdout: out.toString("utf8"), stderr: err.toString("utf8"), code };
  };
  const bytes = async (command: readonly string[]): Promise<Buffer> => (await run(command, "")).out;
  return { runtime, started, exec, bytes, sh: (script, input) => exec(["sh", "-c", script], input) };
}

async function* chunks(input: string | Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (input.length > 0) yield Buffer.from(input);
}
