import type { Timers } from "../../base/time/timers.js";
import { absent, object } from "../../machinery/meta/received.js";
import type { ContainerRecord } from "./container-record.js";
import { HookError, runHook } from "./lifecycle-hook.js";
import { containerEvent, hookTarget, type PodContext } from "./pod-context.js";

/** A container has at least so long between its signal and its end, whatever its hook has taken of its grace. Milliseconds. */
const LEAST_GRACE_MS = 2000;

export interface StopRequest {
  readonly graceSeconds: number;
  /** Of the event. Default: "Stopping container <name>". */
  readonly message?: string;
  /** The signal is sent when it resolves, or when the grace is over. Default: at once. */
  readonly turn?: Promise<unknown> | undefined;
}

/**
 * Stops a container: it runs the preStop hook, sends SIGTERM, and SIGKILL at the end of the grace period. Resolves when the
 * container has ended.
 */
export async function stopContainer(
  record: ContainerRecord,
  { graceSeconds, message = `Stopping container ${record.name}`, turn }: StopRequest,
  context: PodContext,
): Promise<void> {
  const { running } = record;
  if (running === undefined) return;
  const { clock, timers, runtime } = context.parts;
  const deadline = clock.now() + graceSeconds * 1000;
  const upTo = (work: Promise<unknown>): Promise<void> => within(timers, deadline - clock.now(), work, running.exited);
  containerEvent(context, record, "Normal", "Killing", message);
  const { preStop } = object(record.spec.lifecycle);
  if (!absent(preStop) && graceSeconds > 0) await upTo(runPreStop(record, running.id, context));
  if (turn !== undefined) await upTo(turn);
  await runtime.signal(running.id, "SIGTERM");
  const left = Math.max(LEAST_GRACE_MS, deadline - clock.now());
  const cancel = timers.start(left, () => void runtime.signal(running.id, "SIGKILL"));
  await running.exited;
  cancel();
}

/** Stops all containers: each sidecar after the main containers and the sidecars that follow it. */
export async function stopContainers(
  records: readonly ContainerRecord[],
  graceSeconds: number,
  context: PodContext,
): Promise<void> {
  const running = records.filter((one) => one.running !== undefined);
  const turnOf = (record: ContainerRecord, index: number): Promise<unknown> | undefined => {
    if (!record.isSidecar) return undefined;
    const behind = running.slice(index + 1).filter((one) => one.isSidecar || one.kind === "main");
    return Promise.all(behind.flatMap((one) => one.running?.exited ?? []));
  };
  const turns = running.map(turnOf);
  await Promise.all(
    running.map((record, index) => stopContainer(record, { graceSeconds, turn: turns[index] }, context)),
  );
}

/** Kills all containers at once. */
export async function killContainers(records: readonly ContainerRecord[], { parts }: PodContext): Promise<void> {
  const running = records.flatMap((one) => one.running ?? []);
  await Promise.all(running.map(({ id }) => parts.runtime.signal(id, "SIGKILL")));
  await Promise.all(running.map(({ exited }) => exited));
}

/** A hook that fails does not keep the container. */
async function runPreStop(record: ContainerRecord, id: string, context: PodContext): Promise<void> {
  try {
    await runHook(object(object(record.spec.lifecycle).preStop), hookTarget(context, record, id));
  } catch (error) {
    if (!(error instanceof HookError)) context.parts.report(error);
    else containerEvent(context, record, "Warning", "FailedPreStopHook", "PreStopHook failed");
  }
}

/** Resolves with the first of them, and after that time at the latest. Leaves no timer behind. */
async function within(timers: Timers, milliseconds: number, ...work: readonly Promise<unknown>[]): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<void>((resolve) => (cancel = timers.start(Math.max(0, milliseconds), resolve)));
  try {
    await Promise.race([late, ...work]);
  } finally {
    cancel();
  }
}
