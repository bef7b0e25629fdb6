import type { ClusterOptions, LeadershipEvent } from "../../../src/cluster/index.js";
import { openSync, readFileSync, writeSync } from "node:fs";

export interface ServerSettings {
  readonly name: string;
  /** Of `startCluster`. */
  readonly storage: Pick<ClusterOptions, "storage" | "etcd">;
  readonly dataDir: string;
  /** The file that the server's terms and its controllers' requests are written to. */
  readonly log: string;
}

/** A line of a server's log. Times are milliseconds of a clock that all processes of this machine share. */
export interface LogLine {
  readonly at: number;
  /** The name of the Lease. */
  readonly lease: string;
  readonly act: LeadershipEvent["type"];
}

/** CLOCK_MONOTONIC on Linux: every process reads the same. */
export const sharedNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

export function openLog(path: string): { write(lease: string, act: LogLine["act"]): void } {
  const file = openSync(path, "a");
  return { write: (lease, act) => void writeSync(file, `${JSON.stringify({ at: sharedNow(), lease, act })}\n`) };
}

export const readLog = (path: string): LogLine[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LogLine);
