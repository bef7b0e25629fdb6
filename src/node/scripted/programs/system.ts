import { dictionary } from "../../../base/collections/dictionary.js";
import type { Program } from "../program.js";
import { signalNamed } from "../signals.js";
import { condition, ConditionError } from "../shell/builtins/test-condition.js";
import { ExecError } from "../program.js";
import { workInSlices } from "../slices.js";
import { optionsOf } from "./options.js";

export const yesTrue: Program = () => 0;
export const noFalse: Program = () => 1;

const UNITS: Readonly<Record<string, number>> = dictionary({ "": 1, s: 1, m: 60, h: 3600, d: 86_400 });

/** sleep SECONDS, with s, m, h and d; "infinity" too. */
export const sleep: Program = async (io) => {
  let seconds = 0;
  for (const text of io.args) {
    const [, number, unit = ""] = /^(\d+(?:\.\d*)?|\.\d+|infinity)([smhd]?)$/.exec(text) ?? [];
    if (number === undefined) {
      await io.stderr.write(`sleep: invalid time interval '${text}'\n`);
      return 1;
    }
    seconds += (number === "infinity" ? Number.POSITIVE_INFINITY : Number(number)) * (UNITS[unit] ?? 1);
  }
  await new Promise<void>((resolve) => {
    const cancel = seconds === Number.POSITIVE_INFINITY ? () => {} : io.timers.start(seconds * 1000, resolve);
    io.signal.addEventListener("abort", () => resolve(cancel()), { once: true });
  });
  return 0;
};

export const pwd: Program = async (io) => {
  await io.stdout.write(`${io.cwd}\n`);
  return 0;
};

/** env, and env [-i] NAME=VALUE... PROGRAM. */
export const env: Program = async (io) => {
  let at = io.args[0] === "-i" ? 1 : 0;
  const variables: Record<string, string> = at === 1 ? {} : { ...io.env };
  for (; /^[^=]+=/.test(io.args[at] ?? ""); at += 1) {
    const [name = "", ...value] = (io.args[at] ?? "").split("=");
    variables[name] = value.join("=");
  }
  const command = io.args.slice(at);
  if (command.length === 0) {
    await io.stdout.write(
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
    return 0;
  }
  try {
    return await io.spawn(command, { env: variables }).exited;
  } catch (error) {
    if (!(error instanceof ExecError) || error.kind === "too-long") throw error;
    await io.stderr.write(`env: '${command[0] ?? ""}': No such file or directory\n`);
    return 127;
  }
};

export const id: Program = async (io) => {
  const { flags } = optionsOf(io.args);
  const shown = flags.has("n") ? "root" : "0";
  await io.stdout.write(flags.has("u") || flags.has("g") ? `${shown}\n` : "uid=0(root) gid=0(root) groups=0(root)\n");
  return 0;
};

export const whoami: Program = async (io) => {
  await io.stdout.write("root\n");
  return 0;
};

export const hostname: Program = async (io) => {
  await io.stdout.write(`${io.container.hostname}\n`);
  return 0;
};

/** uname with -a, -n and -s. */
export const uname: Program = async (io) => {
  const { flags } = optionsOf(io.args);
  const name = flags.has("n") ? io.container.hostname : "Linux";
  await io.stdout.write(flags.has("a") ? `Linux ${io.container.hostname} kubets\n` : `${name}\n`);
  return 0;
};

export const ps: Program = async (io) => {
  await io.stdout.write("  PID USER     COMMAND\n");
  for (const { pid, command } of io.container.processes) {
    await io.stdout.write(`${String(pid).padStart(5)} root     ${command.join(" ")}\n`);
  }
  return 0;
};

/** kill [-SIGNAL] PID... */
export const kill: Program = async (io) => {
  const [first = "", ...rest] = io.args;
  const chosen = first.startsWith("-") ? (first === "-s" ? rest.shift() : first.slice(1)) : "TERM";
  const signal = signalNamed(chosen ?? "");
  if (signal === undefined) {
    await io.stderr.write(`kill: bad signal name '${chosen ?? ""}'\n`);
    return 1;
  }
  let code = 0;
  for (const pid of first.startsWith("-") ? rest : io.args) {
    if (io.container.signal(Number(pid), signal)) continue;
    await io.stderr.write(`kill: can't kill pid ${pid}: No such process\n`);
    code = 1;
  }
  return code;
};

/** stty size, stty raw, stty sane, stty [-]echo, stty [-]icanon, stty [-]isig, stty -a. */
export const stty: Program = async (io) => {
  const { terminal } = io;
  if (terminal === undefined) {
    await io.stderr.write("stty: 'standard input': Inappropriate ioctl for device\n");
    return 1;
  }
  const { width, height } = terminal.size;
  for (const arg of io.args.length === 0 ? ["-a"] : io.args) {
    const on = !arg.startsWith("-");
    switch (arg.replace(/^-/, "")) {
      case "size":
        await io.stdout.write(`${height} ${width}\n`);
        break;
      case "a":
        await io.stdout.write(`speed 38400 baud; rows ${height}; columns ${width};\n`);
        break;
      case "raw":
        Object.assign(terminal.modes, { canonical: !on, signals: !on, returnsAreLineFeeds: !on, writesReturns: !on });
        break;
      case "sane":
        Object.assign(terminal.modes, {
          echo: true,
          canonical: true,
          signals: true,
          returnsAreLineFeeds: true,
          writesReturns: true,
        });
        break;
      case "echo":
        terminal.modes.echo = on;
        break;
      case "icanon":
        terminal.modes.canonical = on;
        break;
      case "isig":
        terminal.modes.signals = on;
        break;
      default:
        await io.stderr.write(`stty: invalid argument '${arg}'\n`);
        return 1;
    }
  }
  return 0;
};

/** test and [. */
export const test: Program = async (io) => {
  const operands = io.name.endsWith("[") ? io.args.slice(0, -1) : io.args;
  try {
    const work = condition(operands, io.files, io.cwd, io.terminal !== undefined);
    return (await workInSlices(work, io)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    await io.stderr.write(`${io.name}: ${error.message}\n`);
    return 2;
  }
};
