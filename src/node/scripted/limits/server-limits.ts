import { Budget } from "./budget.js";

const MIB = 1024 * 1024;

/** What the containers of several nodes may use together: they share one process. */
export interface ServerLimits {
  /** Bytes of what programs hold: variables, words, scripts, lines. */
  readonly memory: Budget;
  /** Bytes of files. */
  readonly files: Budget;
  /** Programs, and subshells, which a shell would fork for. */
  readonly processes: Budget;
  /** Containers that use memory or files: the one that uses most ends where there is no more of it. */
  readonly users: Set<LimitedContainer>;
}

/** A container as those see it that look for the one which uses most. */
export interface LimitedContainer {
  readonly memoryBytes: number;
  readonly filesBytes: number;
  outOfMemory(): void;
  outOfDisk(): void;
}

export interface ServerAmounts {
  readonly memory: number;
  readonly files: number;
  readonly processes: number;
}

const AMOUNTS: ServerAmounts = { memory: 128 * MIB, files: 128 * MIB, processes: 2048 };

/** Limits of their own, which tests use; the containers of a process share {@link processLimits}. */
export function serverLimits(amounts: Partial<ServerAmounts> = {}): ServerLimits {
  const { memory, files, processes } = { ...AMOUNTS, ...amounts };
  return {
    memory: new Budget(() => memory),
    files: new Budget(() => files),
    processes: new Budget(() => processes),
    users: new Set(),
  };
}

/** The limits of all containers of this process. */
export const processLimits: ServerLimits = serverLimits();

/** The container that uses most of something; undefined where none uses any. */
export function greatestUser(
  { users }: ServerLimits,
  amount: (container: LimitedContainer) => number,
): LimitedContainer | undefined {
  let greatest: LimitedContainer | undefined;
  for (const one of users) if (greatest === undefined || amount(one) > amount(greatest)) greatest = one;
  return greatest;
}
