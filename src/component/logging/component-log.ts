import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { LogValues } from "../../machinery/text/klog/klog.js";
import { moduleLevels } from "../../machinery/text/klog/leveled-log.js";
import { fileOf, type LogEntry, type LogFormat, textLine } from "./log-entry.js";
import { maskSecrets } from "./mask-secrets.js";

export interface LogSettings {
  /** Receives each line; `isError` is true of what goes to stderr where the log has two streams. */
  readonly write: (line: string, isError: boolean) => void;
  readonly clock: Clock;
  /** -v. */
  readonly verbosity: number;
  /** --vmodule: `pattern=N`, separated by commas. Default: no file has a verbosity of its own. */
  readonly modules?: string;
  /** Default: klog's text. */
  readonly format?: LogFormat;
}

/**
 * The log of a component. A source is the file and line of Kubernetes that a message stands for: "server/secure_serving.go:211". Whatever looks like a
 * credential is masked.
 */
export class ComponentLog {
  readonly #settings: LogSettings;
  readonly #format: LogFormat;
  readonly #levelOf: (file: string) => number;
  #verbosity: number;

  constructor(settings: LogSettings) {
    const { verbosity, modules = "", format = textLine } = settings;
    this.#settings = settings;
    this.#format = format;
    this.#levelOf = moduleLevels(modules);
    this.#verbosity = verbosity;
  }

  /** -v. */
  get verbosity(): number {
    return this.#verbosity;
  }

  /** Sets how much the log says from now on, as the number of -v does. */
  readonly setVerbosity = (verbosity: number): void => {
    this.#verbosity = verbosity;
  };

  /** Whether messages of this level are logged. Asking costs nothing where -v is as high. */
  isOn(level: number, source: string): boolean {
    if (level <= this.#verbosity) return true;
    return this.#settings.modules !== undefined && level <= this.#levelOf(moduleOf(source));
  }

  /** Logs a sentence where -v is at least `level`. */
  info(source: string, message: string, level = 0): void {
    if (this.isOn(level, source)) this.#write({ severity: "I", level, source, message });
  }

  /** Logs a message with values in their order: `"New leader elected" leader="a"`. */
  structured(source: string, message: string, values: LogValues, level = 0): void {
    if (this.isOn(level, source)) this.#write({ severity: "I", level, source, message, values });
  }

  /** Logs a sentence, or a message with values. */
  warn(source: string, message: string, values?: LogValues): void {
    this.#write({ severity: "W", level: 0, source, message, values });
  }

  error(source: string, message: string, error: unknown): void {
    this.#write({ severity: "E", level: 0, source, message, error: errorMessage(error) });
  }

  /** Logs the value of each flag at -v=1, as Kubernetes' components do. */
  flags(values: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of values) this.info("flag/flags.go:64", `FLAG: --${name}=${goQuote(value)}`, 1);
  }

  #write(entry: Omit<LogEntry, "time" | "values" | "error"> & Partial<Pick<LogEntry, "values" | "error">>): void {
    const { write, clock } = this.#settings;
    const { severity, message, values, error } = entry;
    const masked = {
      ...entry,
      message: maskSecrets(message),
      values: values && maskValues(values),
      error: error === undefined ? undefined : maskSecrets(error),
      time: clock.now(),
    };
    // Lines of JSON have no warnings: zap counts them as information.
    write(this.#format(masked), severity === "E" || (severity === "W" && this.#format === textLine));
  }
}

const maskValues = (values: LogValues): LogValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? maskSecrets(value) : value]),
  );

/** What a pattern of --vmodule is compared with. */
function moduleOf(source: string): string {
  const file = fileOf(source);
  return file.slice(0, file.indexOf(".go:"));
}
