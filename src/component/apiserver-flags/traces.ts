import { existsSync } from "node:fs";
import { type OptionGroup, type OptionsOf, sectionOf } from "../option-group.js";

/** The option for where the traces of requests are sent. */
export const tracingOptions = {
  /** The path of a TracingConfiguration (apiserver.config.k8s.io/v1). */
  configFile: {
    name: "tracing-config-file",
    type: "string",
    usage: "A file that says where traces of requests are sent, and of how many (TracingConfiguration).",
    isFile: true,
    faults: (file: unknown) =>
      typeof file === "string" && !existsSync(file) ? [`tracing-config-file ${file} does not exist`] : [],
  },
} as const satisfies OptionGroup;

/**
 * How a server traces requests. Without these options, spans go to the SDK that is registered with `@opentelemetry/api` when the
 * server starts.
 */
export interface TracingOptions extends OptionsOf<typeof tracingOptions> {
  /** Takes the text about each request whose work took 500 ms or longer: kube-apiserver's `Trace[...]`. Default: nothing is measured. */
  readonly onSlowRequest?: ((text: string) => void) | undefined;
  /** klog's level, asked at each request: below 2 nothing is measured, from 4 on a text has every step. Default 2. */
  readonly verbosity?: (() => number) | undefined;
}

/** Where the texts about slow work go; undefined where nothing is measured. */
export const slowRequestLogOf = ({ onSlowRequest: write, verbosity = () => 2 }: TracingOptions) =>
  write && { write, verbosity };

export const tracesSection = sectionOf("traces", tracingOptions, []);
