import { PassThrough, Readable } from "node:stream";
import { type MainOptions, main } from "../../src/main.js";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSurroundings
  extends Partial<Pick<MainOptions, "env" | "cwd" | "platform" | "clock" | "signal" | "program" | "runPlugin">> {
  readonly stdin?: string;
  /** Pretends that stdout and stderr are a terminal of 80 columns. */
  readonly terminal?: boolean;
}

/** Runs a command line in this process, called kubectl unless told otherwise, and gives back what it wrote. */
export async function runCli(
  argv: readonly string[],
  { stdin = "", terminal = false, ...surroundings }: CliSurroundings = {},
): Promise<CliResult> {
  const out = new PassThrough();
  const err = new PassThrough();
  let stdout = "";
  let stderr = "";
  out.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  err.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  if (terminal) for (const stream of [out, err]) Object.assign(stream, { isTTY: true, columns: 80 });
  const code = await main({
    argv,
    streams: { in: Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]), out, err },
    env: { HOME: "/nonexistent", KUBECONFIG: "/nonexistent/config" },
    cwd: process.cwd(),
    platform: "linux",
    program: "kubectl",
    ...surroundings,
  });
  await new Promise(setImmediate);
  return { code, stdout, stderr };
}
