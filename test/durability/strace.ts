import { spawnSync } from "node:child_process";

/** Why system calls cannot be traced here; undefined when they can. */
export function straceMissing(): string | undefined {
  if (process.platform !== "linux") return "system calls are traced on Linux only";
  const probe = spawnSync("strace", ["-o", "/dev/null", "-e", "trace=none", process.execPath, "-e", "0"]);
  if (probe.error !== undefined) return "strace is not installed";
  return probe.status === 0 ? undefined : "strace may not trace processes here";
}
