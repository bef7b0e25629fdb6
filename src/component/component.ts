import type { Clock } from "../base/time/clock.js";
import type { Timers } from "../base/time/timers.js";
import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { aggregateText } from "../machinery/errors/aggregate-text.js";
import type { ComponentFlag, FlagSection } from "./component-flag.js";
import { FlagError, invalidArgument } from "./flags/flag-errors.js";
import type { Flags } from "./flags/flag-set.js";
import { FlagTable } from "./flags/flag-table.js";
import { defaultText } from "./flags/flag-value.js";
import { type ParsedFlags, parseFlags } from "./flags/parse-flags.js";
import { sectionUsages } from "./flag-usages.js";
import { ComponentLog } from "./logging/component-log.js";
import { openLogStreams } from "./logging/log-streams.js";
import { loggingFaults, readLogging } from "./logging/logging-flags.js";

/** A program that runs until a signal ends it, with flags in sections: what Kubernetes builds on k8s.io/component-base. */
export interface Component {
  /** What it calls itself in errors: "kube-apiserver". */
  readonly name: string;
  /** How it is started, in the help's usage line: "kubets apiserver". */
  readonly program: string;
  /** The first paragraph of the help. */
  readonly description: string;
  /** What --version prints: "Kubernetes v1.36.3". */
  readonly version: string;
  /** Without `--help`, `--version`, `-v` and `--vmodule`: {@link allSections} adds them. */
  readonly sections: readonly FlagSection[];
  /** Returns all that is wrong with the values of the flags, in the component's words; an error with all of it ends the component. */
  validate?(flags: Flags, context: Pick<ComponentContext, "cwd">): readonly string[];
  /** The feature gates that differ from their default, as "NAME=true"; those of logs count. Throws for gates that there are none of. */
  changedGates?(flags: Flags): readonly string[];
  /** Runs until `signal` aborts. An error ends the component with exit code 1 and the line "command failed". */
  run(flags: Flags, context: ComponentContext): Promise<void>;
}

/** The parts of its process that a running component may use. */
export interface ComponentContext {
  readonly log: ComponentLog;
  readonly clock: Clock;
  /** The folder that relative paths of files begin at. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts with the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The values of all flags as the log may have them, for /flagz. */
  readonly flagValues: ReadonlyMap<string, string>;
}

/** The process in which a component runs: its streams, surroundings and signals. */
export interface ComponentHost extends Omit<ComponentContext, "log" | "flagValues"> {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The width of the terminal that help is shown on; undefined in a pipe. */
  readonly columns?: number | undefined;
  /** Flush the buffers of the log. Default: nothing is buffered. */
  readonly timers?: Timers;
}

/**
 * Reads the arguments and runs the component. Resolves to its exit code, as Kubernetes' components have it: 0, or 1 after any error. A command
 * line that cannot be read is answered before anything is started.
 */
export async function runComponent(
  component: Component,
  args: readonly string[],
  host: ComponentHost,
): Promise<number> {
  const sections = allSections(component);
  let parsed: ParsedFlags;
  try {
    parsed = readArguments(component, sections, args);
  } catch (error) {
    host.err(`Error: ${errorMessage(error)}\n`);
    return 1;
  }
  const { flags, notices } = parsed;
  if (flags.bool("help")) {
    host.out(componentHelp(component, host.columns));
    return 0;
  }
  if (flags.string("version") !== "false") {
    host.out(`${component.version}\n`);
    return 0;
  }
  for (const notice of notices) host.err(`${notice}\n`);
  let opened = openLog(flags, host);
  try {
    const faults = hasFormats(flags) ? loggingFaults(flags, component.changedGates?.(flags) ?? []) : [];
    if (faults.length > 0) throw new Error(aggregateText(faults));
    opened = openLog(flags, host, readLogging);
    await runLogged(component, parsed, sections, host, opened.log);
    return 0;
  } catch (error) {
    opened.log.error("cli/run.go:72", "command failed", error);
    return 1;
  } finally {
    opened.close();
  }
}

/** Runs a component whose flags could be read, and whose log is open. */
async function runLogged(
  component: Component,
  parsed: ParsedFlags,
  sections: readonly FlagSection[],
  host: ComponentHost,
  log: ComponentLog,
): Promise<void> {
  const { flags } = parsed;
  const declared = sections.flatMap((section) => section.flags);
  const logged = declared.filter((flag) => !isFormer(flag) || flags.changed(flag.name));
  const flagValues = new Map(logged.map((flag) => [flag.name, valueText(flag, parsed)]));
  log.flags([...flagValues]);
  for (const warning of warningsOf(declared, flags)) log.warn("options/options.go:100", warning);
  const faults = [...refusalsOf(declared, flags), ...(component.validate?.(flags, host) ?? [])];
  if (faults.length > 0) throw new Error(aggregateText(faults));
  const { clock, cwd, env, signal } = host;
  await component.run(flags, { log, clock, cwd, env, signal, flagValues });
}

const hasFormats = (flags: Flags): boolean => flags.has("logging-format");

/** Opens the log: of klog's lines on stderr, or as `read` says. */
function openLog(
  flags: Flags,
  { out, err, clock, timers }: ComponentHost,
  read?: typeof readLogging,
): { readonly log: ComponentLog; readonly close: () => void } {
  const options = read !== undefined && hasFormats(flags) ? read(flags) : undefined;
  const { splits = false, bufferBytes = 0, flushFrequency = 0, format } = options ?? {};
  const streams = openLogStreams({ out, err, splits, bufferBytes, flushFrequency, timers });
  const write = (line: string, isError: boolean): void => streams.write(line, isError);
  const modules = flags.string("vmodule");
  const settings = { write, clock, verbosity: flags.number("v"), ...(modules !== "" && { modules }) };
  return { log: new ComponentLog({ ...settings, ...(format && { format }) }), close: streams.close };
}

/** The help of a component. `columns` is the width of the terminal; without it no line is wrapped. */
export function componentHelp(component: Component, columns?: number): string {
  const { program, description } = component;
  const usages = sectionUsages(allSections(component), columns);
  return `${description}\n\nUsage:\n  ${program} [flags]\n${usages}`;
}

/** The flags of a component together with those that every component has. If there is a section for logs, the log flags are in it. */
export function allSections({ name, sections }: Pick<Component, "name" | "sections">): readonly FlagSection[] {
  const hasLogs = sections.some((section) => section.name === LOGS);
  const global = globalSection({ name });
  if (!hasLogs) return [...sections, { ...global, flags: [...global.flags, ...logFlags] }];
  const withLogs = sections.map((section) =>
    section.name === LOGS ? { ...section, flags: [...section.flags, ...logFlags] } : section,
  );
  return [...withLogs, global];
}

const LOGS = "logs";

const logFlags: readonly ComponentFlag[] = [
  { name: "v", short: "v", type: "level", usage: "How much the log says; 1 logs the value of each flag." },
  {
    name: "vmodule",
    type: "moduleSpec",
    usage: "How much single files of Kubernetes' source log, which klog's lines name: httplog=3.",
  },
];

const globalSection = ({ name }: Pick<Component, "name">): FlagSection => ({
  name: "global",
  flags: [
    { name: "help", short: "h", type: "bool", usage: `Print this help of ${name}.` },
    {
      name: "version",
      type: "string",
      typeName: "version",
      bare: "true",
      default: "false",
      usage: "Print the version and quit.",
    },
  ],
});

function readArguments(component: Component, sections: readonly FlagSection[], args: readonly string[]): ParsedFlags {
  const declared = sections.flatMap(({ flags }) => flags);
  const parsed = parseFlags(new FlagTable(declared), args);
  const stray = parsed.args.find((operand) => operand !== "");
  if (stray !== undefined) {
    const given = parsed.args.map(goQuote).join(" ");
    throw new FlagError(`${goQuote(component.name)} does not take any arguments, got [${given}]`);
  }
  const byName = new Map(declared.map((flag) => [flag.name, flag]));
  for (const { name, text } of parsed.flags.order) {
    const flag = byName.get(name);
    const fault = flag?.check?.(text);
    if (flag !== undefined && fault !== undefined) throw invalidArgument(flag, text, new Error(fault));
  }
  return parsed;
}

/** Names all flags whose values would not be obeyed, and that nobody should believe obeyed. */
function refusalsOf(declared: readonly ComponentFlag[], flags: Flags): readonly string[] {
  return declared
    .filter((flag) => flag.refused !== undefined && flags.changed(flag.name))
    .filter((flag) => {
      const accepted = [defaultText(flag), ...(flag.alsoAccepted ?? [])];
      return flags.order.some(({ name, text }) => name === flag.name && !accepted.includes(text));
    })
    .map(({ name, refused }) => `--${name} is not supported: ${refused}`);
}

function warningsOf(declared: readonly ComponentFlag[], flags: Flags): string[] {
  return declared.flatMap(({ name, withoutEffect, dropped }) => {
    if (!flags.changed(name)) return [];
    if (withoutEffect !== undefined) return [`--${name} has no effect: ${withoutEffect}`];
    return dropped === undefined ? [] : [`--${name} has no effect: Kubernetes has dropped it, ${dropped}`];
  });
}

/** Whether Kubernetes' component has the flag no more. */
const isFormer = ({ hidden = false, deprecated }: ComponentFlag): boolean => hidden && deprecated === undefined;

/** The value of a flag as Go prints it. */
function valueText(flag: ComponentFlag, { flags }: ParsedFlags): string {
  const given = flags.order.filter(({ name }) => name === flag.name).map(({ text }) => text);
  const last = given.at(-1);
  if (last === undefined) return defaultText(flag);
  if (flag.logged !== undefined) return flag.logged(last);
  if ("parse" in flag) return flags.strings(flag.name).join(",");
  const isList = flag.type === "stringSlice" || flag.type === "stringArray";
  return isList ? `[${flags.strings(flag.name).join(",")}]` : last;
}
