import { Budget } from "./budget.js";

const MIB = 1024 * 1024;

/** The budgets that the containers of several nodes share, because they share one process. */
export interface ServerLimits {
  /** Bytes of what programs hold: variables, words, scripts, lines. */
  readonly memory: Budget;
  /** Bytes of files that end with their pods: those of containers and of emptyDirs. */
  readonly files: Budget;
  /** Bytes of volumes that outlive pods: of PersistentVolumes, and of the nodes' folders. */
  readonly volumes: Budget;
  /** Programs, and subshells, which a shell would fork for, beside the first program of each container. */
  readonly processes: Budget;
  /** Containers that use memory or files: the one that uses most ends where there is no more of it. */
  readonly users: Set<LimitedContainer>;
}

/** A container, or the volumes of a pod, as the search for the largest user sees it. */
export interface LimitedContainer {
  readonly memoryBytes: number;
  readonly filesBytes: number;
  outOfMemory(): void;
  outOfDisk(): void;
}

export interface ServerAmounts {
  readonly memory: number;
  readonly files: number;
  readonly volumes: number;
  readonly processes: number;
}

const AMOUNTS: ServerAmounts = { memory: 128 * MIB, files: 128 * MIB, volumes: 128 * MIB, processes: 2048 };

/** Makes limits of their own, for tests; the containers of a process share {@link processLimits}. */
export function serverLimits(amounts: Partial<ServerAmounts> = {}): ServerLimits {
  const { memory, files, volumes, processes } = { ...AMOUNTS, ...amounts };
  return {
    memory: new Budget(() => memory),
    files: new Budget(() => files),
    volumes: new Budget(() => volumes),
    processes: new Budget(() => processes),
    users: new Set(),
  };
}

/** The limits of all containers of this process. */
export const processLimits: ServerLimits = serverLimits();

/** Finds the container with the largest amount; undefined where every amount is 0. */
export function greatestUser(
  { users }: ServerLimits,
  amount: (container: LimitedContainer) => number,
): LimitedContainer | undefined {
  let greatest: LimitedContainer | undefined;
  for (const one of users) if (greatest === undefined || amount(one) > amount(greatest)) greatest = one;
  return greatest;
}

/** Takes bytes of files for a user. Where too few are left, it ends the largest user; it returns false where that is this user. */
export function takeFiles(files: Budget, server: ServerLimits, user: LimitedContainer, bytes: number): boolean {
  while (files.take(bytes) !== undefined) {
    const greatest = greatestUser(server, (one) => one.filesBytes) ?? user;
    greatest.outOfDisk();
    if (greatest === user) return false;
  }
  return true;
}
