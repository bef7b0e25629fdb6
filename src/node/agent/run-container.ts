import { pause } from "../../base/time/pause.js";
import { restartAction } from "../../api/pods/restart-policy.js";
import { absent, object, text } from "../../machinery/meta/received.js";
import type { StartedContainer } from "../container-runtime.js";
import { ContainerProbes } from "./probes/container-probes.js";
import type { ContainerRecord } from "./container-record.js";
import { HookError, runHook } from "./lifecycle-hook.js";
import { containerEvent, hookTarget, type PodContext, podName } from "./pod-context.js";
import { backoffText, RestartBackoff } from "./restart-backoff.js";
import { startContainer, type StartFailure } from "./start-container.js";
import { stopContainer } from "./stop-containers.js";
import { withTerminationMessage } from "./termination-message.js";

export interface ContainerRun {
  /** Aborts when the container is not to be started again. */
  readonly signal: AbortSignal;
  /** Called when it has started: its postStart hook is done and its startup probe has succeeded. */
  readonly onStart?: () => void;
  /** Called when a rule of the container asks for a restart of all containers. */
  readonly restartAll: () => void;
}

/** Runs a container, again and again as its policy and rules have it. Resolves when it will not run again. */
export async function runContainer(record: ContainerRecord, run: ContainerRun, context: PodContext): Promise<void> {
  const { signal, restartAll } = run;
  const { clock } = context.parts;
  for (;;) {
    const began = clock.now();
    const started = await startContainer(record, context, signal);
    if (started === undefined) return;
    const waiting =
      "id" in started ? await runStarted(record, started, run, context) : notStarted(record, started, context);
    if (signal.aborted) return;
    if (record.mustRestart) {
      record.mustRestart = false;
      record.backoff = new RestartBackoff();
    } else {
      const action = restartAction(record.spec, policyOf(record, context), record.exitCode ?? 0);
      if (action === "none" || record.kind === "ephemeral") return;
      if (action === "restart" && waiting !== undefined) {
        record.wait(waiting.reason, waiting.message);
        context.changed();
      }
      await waitToRestart(record, clock.now() - began, context, signal);
      if (signal.aborted) return;
      if (action === "restart-all") return restartAll();
    }
    record.restartCount += 1;
  }
}

/** An init container of a pod that always restarts runs until it succeeds once. */
function policyOf({ kind }: ContainerRecord, { pod }: PodContext): string {
  const policy = text(object(pod().spec).restartPolicy) || "Always";
  return kind === "init" && policy === "Always" ? "OnFailure" : policy;
}

function notStarted(record: ContainerRecord, { reason, message }: StartFailure, context: PodContext): StartFailure {
  record.failed(reason, message, context.parts.clock.now());
  context.changed();
  return { reason: "RunContainerError", message };
}

/** Waits for the end of a container that runs. Answers why its start was not complete. */
async function runStarted(
  record: ContainerRecord,
  container: StartedContainer,
  { signal, onStart }: ContainerRun,
  context: PodContext,
): Promise<StartFailure | undefined> {
  const { runtime } = context.parts;
  if ("terminated" in record.state) record.last = record.state;
  if (record.previousId !== "") await runtime.remove(record.previousId);
  record.started(container);
  containerEvent(context, record, "Normal", "Created", "Container created");
  const note = container.note === undefined ? "" : `. ${container.note}`;
  containerEvent(context, record, "Normal", "Started", `Container started${note}`);
  // One that was started while the pod was being stopped is stopped as well.
  if (signal.aborted) await runtime.signal(container.id, "SIGKILL");
  const { postStart } = object(record.spec.lifecycle);
  const failure = absent(postStart) ? undefined : await runPostStart(record, container.id, context);
  const probes = new ContainerProbes(record, context, onStart ?? (() => {}));
  if (failure === undefined) probes.start();
  const exit = await withTerminationMessage(await container.exited, record.spec, runtime, container.id);
  record.ended(exit);
  probes.stop();
  if (exit.eviction !== undefined) context.evict(exit.eviction);
  // A container that runs again whatever its policy says is never seen as ended: the API lets no such container run again.
  if (!record.mustRestart) context.changed();
  return failure;
}

/** Runs the hook. Where it fails, the container is stopped. */
async function runPostStart(
  record: ContainerRecord,
  id: string,
  context: PodContext,
): Promise<StartFailure | undefined> {
  context.changed();
  try {
    const hook = runHook(object(object(record.spec.lifecycle).postStart), hookTarget(context, record, id));
    await Promise.race([hook, record.running?.exited]);
    return undefined;
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    containerEvent(context, record, "Warning", "FailedPostStartHook", "PostStartHook failed");
    const { terminationGracePeriodSeconds } = object(context.pod().spec);
    const graceSeconds = Number(terminationGracePeriodSeconds ?? 30);
    await stopContainer(record, { graceSeconds, message: "FailedPostStartHook" }, context);
    return { reason: "PostStartHookError", message: error.message };
  }
}

/** The first restart comes at once, the others after growing pauses. */
async function waitToRestart(
  record: ContainerRecord,
  ranMilliseconds: number,
  context: PodContext,
  signal: AbortSignal,
): Promise<void> {
  const delay = record.backoff.after(ranMilliseconds);
  if (delay === 0) return;
  const pod = podName(context.pod());
  const what = `restarting failed container=${record.name} pod=${pod}`;
  const said = `Back-off restarting failed container ${record.name} in pod ${pod}`;
  record.wait("CrashLoopBackOff", `back-off ${backoffText(delay)} ${what}`);
  containerEvent(context, record, "Warning", "BackOff", said);
  context.changed();
  await pause(context.parts.timers, delay, signal);
}
