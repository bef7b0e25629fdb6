import { signalNamed, signalNames } from "../../signals.js";
import { type BuiltinCall, builtinOptions } from "./builtin.js";
import { quoted, writePieces } from "./builtin-output.js";
import { CommandError } from "../control-flow.js";

/** trap [-p] [ACTION SIGNAL...] */
export async function trap(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0 || words[0] === "-p") {
    const lines = [...shell.traps].map(([name, script]) => `trap -- ${quoted(script)} ${name.replace(/^SIG/, "")}\n`);
    return lines.length === 0 ? 0 : writePieces(call, lines);
  }
  if (words[0] === "-l") return writePieces(call, [`${signalNames().join(" ")}\n`]);
  // A single word is a signal that is restored, as a number before signals is.
  const isReset = words.length === 1 || /^\d+$/.test(words[0] ?? "");
  const [action = "", ...signals] = isReset ? ["-", ...words] : words;
  for (const text of signals) {
    const name = text === "EXIT" || text === "0" ? "EXIT" : text === "ERR" ? "ERR" : signalNamed(text);
    if (name === undefined) {
      const construct = text === "DEBUG" || text === "RETURN" ? `trap ${text}` : undefined;
      throw new CommandError(`trap: ${text}: bad trap`, 1, construct);
    }
    shell.trap(name, action === "-" ? undefined : action);
  }
  return 0;
}

/** wait [-n] [PID...] */
export function wait({ shell, args }: BuiltinCall): Promise<number> {
  const { flags, operands } = builtinOptions(args, "nf", "p");
  const signal = shell.nextSignal();
  return flags.has("n") ? shell.jobs.waitForOne(signal) : shell.jobs.wait(operands, signal);
}

/** kill [-s SIGNAL | -SIGNAL] PID..., kill -l: processes of the container, and jobs of the shell. */
export async function kill(call: BuiltinCall): Promise<number> {
  const { shell, args, streams, line } = call;
  const [first = "", ...rest] = args;
  if (first === "-l" || first === "-L") return writePieces(call, [`${signalNames().join("\n")}\n`]);
  const isNamed = first.startsWith("-") && first !== "--";
  const chosen = !isNamed ? "TERM" : first === "-s" || first === "-n" ? (rest.shift() ?? "") : first.slice(1);
  const isProbe = chosen === "0";
  const signal = isProbe ? "0" : signalNamed(chosen);
  if (signal === undefined) throw new CommandError(`kill: Illegal option -${chosen}`);
  const targets = (isNamed || first === "--" ? rest : args).filter((text) => text !== "--");
  if (targets.length === 0)
    throw new CommandError("kill: usage: kill [-s sigspec | -signum | -sigspec] [pid | job]...");
  let code = 0;
  for (const target of targets) {
    // A process group is the job itself.
    const job = shell.jobs.find(target.replace(/^-/, ""));
    if (job !== undefined && !job.hasEnded) {
      if (!isProbe) job.signal(signal);
      continue;
    }
    if (!/^-?\d+$/.test(target)) throw new CommandError(`kill: Illegal number: ${target}`);
    const pid = Math.abs(Number(target)) || shell.io.pid;
    const isThere = isProbe ? hasProcess(shell.io.container.processes, pid) : shell.io.container.signal(pid, signal);
    if (isThere && job === undefined) continue;
    await shell.complain("kill: No such process", streams, line);
    code = 1;
  }
  return code;
}

function hasProcess(processes: Iterable<{ readonly pid: number }>, pid: number): boolean {
  for (const process of processes) if (process.pid === pid) return true;
  return false;
}

/** jobs [-p]: the jobs that run. */
export async function listJobs(call: BuiltinCall): Promise<number> {
  const { shell, args } = call;
  const lines = shell.jobs.running.map(({ pid }, index) =>
    args.includes("-p") ? `${pid}\n` : `[${index + 1}] Running\n`,
  );
  return lines.length === 0 ? 0 : writePieces(call, lines);
}
