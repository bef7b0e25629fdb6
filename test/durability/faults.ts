import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { straceMissing } from "./strace.js";

/** Something that keeps a process from writing to its disk, and goes away again. */
export interface Fault {
  readonly what: string;
  /** Why it cannot be brought about here; undefined when it can. */
  readonly missing: string | undefined;
  /** What runs before the server's own command line. */
  launcher(directory: string): readonly string[];
  /** Answers how to end it. */
  begin(pid: number, directory: string): Promise<() => Promise<void>>;
}

/** The directory is a small file system of its own, filled to the last byte. */
export const fullDisk: Fault = {
  what: "a full disk",
  missing: unshareMissing(),
  launcher: (directory) => [
    "unshare",
    "-rm",
    "sh",
    "-c",
    `mount -t tmpfs -o size=12m none '${directory}' && exec "$@"`,
    "sh",
  ],
  async begin(pid, directory) {
    const ballast = `/proc/${pid}/root${directory}/ballast`;
    const file = openSync(ballast, "w");
    try {
      for (const size of [65_536, 4096, 1]) fill(file, size);
    } finally {
      closeSync(file);
    }
    return async () => rmSync(ballast);
  },
};

/** Every such system call fails with EIO, as on a disk that is dying; with `when`, those that strace's words name. */
export function failingCalls(calls: string, when?: string): Fault {
  return {
    what: `an I/O error of ${calls}`,
    missing: straceMissing(),
    launcher: () => [],
    async begin(pid) {
      const inject = [
        "-e",
        `trace=${calls}`,
        "-e",
        `inject=${calls}:error=EIO${when === undefined ? "" : `:when=${when}`}`,
      ];
      const tracer = spawn("strace", ["-f", "-p", String(pid), "-o", "/dev/null", ...inject]);
      await said(tracer, /attached/);
      return async () => {
        const ended = new Promise((resolve) => tracer.on("close", resolve));
        tracer.kill("SIGINT");
        await ended;
      };
    },
  };
}

/** No file of the process may grow. */
export const fileSizeLimit: Fault = {
  what: "a limit on the size of files",
  missing: spawnSync("prlimit", ["--fsize"]).status === 0 ? undefined : "prlimit is not installed",
  launcher: () => [],
  async begin(pid) {
    const limit = (size: string): void => {
      const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${size}`]);
      if (status !== 0) throw new Error(`prlimit: ${stderr.toString()}`);
    };
    limit("8192:unlimited");
    return async () => limit("unlimited:unlimited");
  },
};

function fill(file: number, size: number): void {
  const chunk = Buffer.alloc(size);
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (data: Buffer) => {
      text += data.toString();
      if (pattern.test(text)) resolve();
    });
    child.on("close", () => reject(new Error(`it ended: ${text}`)));
  });
}

function unshareMissing(): string | undefined {
  if (process.platform !== "linux") return "file systems are mounted on Linux only";
  const { status } = spawnSync("unshare", ["-rm", "--", "mount", "-t", "tmpfs", "none", "/mnt"]);
  return status === 0 ? undefined : "no file system may be mounted here";
}
