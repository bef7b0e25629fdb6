import { dictionary } from "../../../base/collections/dictionary.js";
import type { Program } from "../program.js";
import { signalNamed } from "../signals.js";
import { runCommand } from "./find/run-command.js";
import { gnuProgram, UsageError } from "./gnu-program.js";

const UNITS: Readonly<Record<string, number>> = dictionary({ "": 1, s: 1, m: 60, h: 3600, d: 86_400 });
/** Exit codes of timeout and nohup: the time is up, and they could not begin. */
const TIMED_OUT = 124;
const CANNOT_BEGIN = 125;
const KILLED = 137;

function seconds(text: string): number {
  const [, number, unit = ""] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`invalid time interval '${text}'`);
  return Number(number) * (UNITS[unit] ?? 1);
}

/** timeout [-s SIGNAL] [-k DURATION] DURATION COMMAND... */
export const timeout: Program = gnuProgram(
  {
    letters: "+k:s:vf",
    long: { "kill-after": "k", signal: "s", verbose: "v", "preserve-status": "p", foreground: "f" },
    usageCode: CANNOT_BEGIN,
  },
  async (io, { has, operands, value }) => {
    const [duration, ...argv] = operands;
    if (duration === undefined || argv.length === 0) throw new UsageError();
    const name = value("s") ?? "TERM";
    const signal = signalNamed(name);
    if (signal === undefined) throw new UsageError(`'${name}': invalid signal`);
    const [limit, grace] = [seconds(duration), value("k") === undefined ? 0 : seconds(value("k") ?? "")];
    let isUp = false;
    let cancel = (): void => {};
    const spawned = {
      ...io,
      get files() {
        return io.files;
      },
      spawn(command: readonly string[]) {
        const child = io.spawn(command);
        if (limit > 0) {
          cancel = io.timers.start(limit * 1000, () => {
            isUp = true;
            child.signal(signal);
            if (grace > 0) cancel = io.timers.start(grace * 1000, () => child.signal("SIGKILL"));
          });
        }
        for (const one of ["SIGTERM", "SIGINT", "SIGHUP"]) io.onSignal(one, () => child.signal(one));
        return child;
      },
    };
    const end = await runCommand(spawned, argv);
    cancel();
    if ("reason" in end) {
      await io.stderr.write(`timeout: failed to run command '${argv[0] ?? ""}': ${end.reason}\n`);
      return end.code;
    }
    return !isUp || has("p") || end.code === KILLED ? end.code : TIMED_OUT;
  },
);

/** nohup: it ignores SIGHUP, although nothing sends that here. */
export const nohup: Program = gnuProgram({ letters: "+", usageCode: CANNOT_BEGIN }, async (io, { operands: argv }) => {
  if (argv.length === 0) throw new UsageError("missing operand");
  io.onSignal("SIGHUP", () => {});
  const end = await runCommand(io, argv);
  if ("reason" in end) await io.stderr.write(`nohup: failed to run command '${argv[0] ?? ""}': ${end.reason}\n`);
  return end.code;
});

/** nice and ionice: all programs of a container have the same priority. */
export const nice: Program = gnuProgram(
  { letters: "+n:c:", usageCode: CANNOT_BEGIN },
  async (io, { operands: argv }) => {
    if (argv.length === 0) {
      await io.stdout.write("0\n");
      return 0;
    }
    const end = await runCommand(io, argv);
    if ("reason" in end) await io.stderr.write(`nice: '${argv[0] ?? ""}': ${end.reason}\n`);
    return end.code;
  },
);

/** time: measures how long a command takes by the container's clock. */
export const time: Program = gnuProgram({ letters: "+p" }, async (io, { operands: argv }) => {
  const began = io.clock.now();
  const end = argv.length === 0 ? { code: 0 } : await runCommand(io, argv);
  if ("reason" in end) await io.stderr.write(`time: cannot run ${argv[0] ?? ""}: ${end.reason}\n`);
  const took = ((io.clock.now() - began) / 1000).toFixed(2);
  await io.stderr.write(`real ${took}\nuser 0.00\nsys 0.00\n`);
  return end.code;
});

export const printenv: Program = gnuProgram(
  { letters: "+0", long: { null: "0" }, usageCode: 2 },
  async (io, { has, operands }) => {
    const end = has("0") ? "\0" : "\n";
    let code = 0;
    if (operands.length === 0)
      for (const [name, value] of Object.entries(io.env)) await io.stdout.write(`${name}=${value}${end}`);
    for (const name of operands) {
      const value = Object.hasOwn(io.env, name) ? io.env[name] : undefined;
      if (value === undefined) code = 1;
      else await io.stdout.write(value + end);
    }
    return code;
  },
);

/** nproc: prints 1, because the programs of all containers share one thread. */
export const nproc: Program = async (io) => {
  await io.stdout.write("1\n");
  return 0;
};

export const tty: Program = gnuProgram({ letters: "s", long: { silent: "s", quiet: "s" } }, async (io, { has }) => {
  if (!has("s")) await io.stdout.write(io.terminal === undefined ? "not a tty\n" : "/dev/pts/0\n");
  return Number(io.terminal === undefined);
});

/** sync: it does nothing, because files are in memory. */
export const sync: Program = () => 0;
