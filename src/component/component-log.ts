import type { Clock } from "../base/time/clock.js";
import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { klogError, klogLine, klogWarning } from "../client/klog.js";

/** The log of a component on stderr, in klog's lines. A source is the file and line of Kubernetes that a line stands for: "secure_serving.go:211". */
export class ComponentLog {
  readonly #write: (line: string) => void;
  readonly #clock: Clock;
  #verbosity: number;

  /** `verbosity` is the number of -v. */
  constructor(write: (line: string) => void, clock: Clock, verbosity: number) {
    this.#write = write;
    this.#clock = clock;
    this.#verbosity = verbosity;
  }

  get verbosity(): number {
    return this.#verbosity;
  }

  /** Sets how much the log says from now on, as the number of -v does. */
  readonly setVerbosity = (verbosity: number): void => {
    this.#verbosity = verbosity;
  };

  /** Writes the line when -v is at least `level`. */
  info(source: string, message: string, level = 0): void {
    if (level <= this.#verbosity) this.#write(klogLine("I", source, message, this.#now(), process.pid));
  }

  warn(source: string, message: string): void {
    this.#write(klogWarning(source, message, this.#now(), process.pid));
  }

  error(source: string, message: string, error: unknown): void {
    this.#write(this.errorLine(source, message, error));
  }

  /** The line of an error, for a component that ends with it. */
  errorLine(source: string, message: string, error: unknown): string {
    return klogError(source, message, errorMessage(error), this.#now(), process.pid);
  }

  /** Logs the value of each flag at -v=1, as Kubernetes' components do. */
  flags(values: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of values) this.info("flags.go:64", `FLAG: --${name}=${goQuote(value)}`, 1);
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}
