import { parseGoDuration } from "../../base/text/go-literals.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { ContainerExit, LogEntry, RuntimeLogOptions, StartedContainer } from "../container-runtime.js";
import { ContainerLog } from "../scripted/container-log.js";
import type { ContainerStages, ExitStage } from "./stages.js";

export interface StagedParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Sends a signal to the container's own program. */
  readonly signal: (name: string) => Promise<void>;
  readonly reportError: (error: unknown) => void;
}

/** The life of one container with stages: when it ends, what it writes, how it stops. */
export class StagedContainer {
  readonly exited: Promise<ContainerExit>;
  readonly startedAt: number;
  /** In place of the program's log; undefined where stages have none. */
  readonly #log: ContainerLog | undefined;
  readonly #cancels: (() => void)[] = [];
  /** How stages have ended it. */
  #ended: ExitStage | undefined;
  #isStopping = false;
  #isOver = false;

  constructor(
    started: StartedContainer,
    attempt: number,
    readonly stages: ContainerStages,
    private readonly parts: StagedParts,
  ) {
    const { logs, logEvery } = stages;
    this.startedAt = started.startedAt;
    if (logs !== undefined || logEvery !== undefined) this.#log = new ContainerLog(parts.clock);
    for (const line of logs ?? []) this.#write(line);
    if (logEvery !== undefined) this.#repeat(logEvery.line, milliseconds(logEvery.period));
    const exit = exitOf(stages, attempt);
    if (exit !== undefined) this.#after(milliseconds(exit.after), () => this.#end(exit));
    this.exited = started.exited.then((own) => this.#exit(own));
  }

  /** Passes a signal on, SIGTERM after the stop delay. */
  async signal(name: string): Promise<void> {
    const { stopDelay } = this.stages;
    if (name !== "SIGTERM" || stopDelay === undefined) return this.parts.signal(name);
    if (this.#isStopping || stopDelay === "never") return;
    this.#isStopping = true;
    this.#after(milliseconds(stopDelay), () => this.#send("SIGTERM"));
  }

  log(options: RuntimeLogOptions): AsyncIterable<LogEntry> | undefined {
    return this.#log?.read(options);
  }

  /** Nobody reads its log any more. */
  dropLog(): void {
    this.#log?.drop();
  }

  #end(exit: ExitStage): void {
    this.#ended = exit;
    this.#cancelAll();
    this.#send("SIGKILL");
  }

  #send(name: string): void {
    this.parts.signal(name).catch(this.parts.reportError);
  }

  #exit(own: ContainerExit): ContainerExit {
    this.#isOver = true;
    this.#cancelAll();
    this.#log?.end();
    if (this.#ended === undefined) return own;
    const { code = 0, reason, message } = this.#ended;
    return {
      exitCode: code,
      finishedAt: own.finishedAt,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    };
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #write(line: string): void {
    this.#log?.write("stdout", Buffer.from(`${line}\n`));
  }

  #repeat(line: string, period: number): void {
    const write = (): void => {
      if (this.#isOver) return;
      this.#write(line);
      this.#repeat(line, period);
    };
    // Any number of containers may write every millisecond.
    this.#after(period, () => (sliceIsSpent() ? void nextSlice(undefined, this).then(write) : write()));
  }

  #after(delay: number, run: () => void): void {
    const cancel = this.parts.timers.start(delay, () => {
      const place = this.#cancels.indexOf(cancel);
      if (place >= 0) this.#cancels.splice(place, 1);
      run();
    });
    this.#cancels.push(cancel);
  }
}

/** The end of a container's run after `attempt` earlier ones; undefined where it runs on. */
export function exitOf({ crashes, exit }: ContainerStages, attempt: number): ExitStage | undefined {
  return crashes !== undefined && attempt < crashes.runs ? { code: 1, ...crashes } : exit;
}

/** The milliseconds of a validated duration; 0 for an absent one. */
export const milliseconds = (duration: string | undefined): number => parseGoDuration(duration ?? "0s") ?? 0;
