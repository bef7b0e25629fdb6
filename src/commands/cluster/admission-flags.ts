import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/factory.js";
import type { FlagSpec } from "../../cli/flags/flag-set.js";

/** Which admission plugins a cluster runs, and how. */
export interface AdmissionChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** An absolute name. */
  readonly configurationFile?: string;
}

const ENABLE = "enable-admission-plugins";
const DISABLE = "disable-admission-plugins";
const FILE = "admission-control-config-file";

/** The flags of admission, as kube-apiserver has them. */
export const admissionFlags: readonly FlagSpec[] = [
  {
    name: ENABLE,
    type: "stringSlice",
    default: "[]",
    usage: "Admission plugins to run beside those that run by default, for this start.",
  },
  {
    name: DISABLE,
    type: "stringSlice",
    default: "[]",
    usage: "Admission plugins not to run, of those that run by default, for this start.",
  },
  {
    name: FILE,
    type: "string",
    default: "",
    usage: "A file with the configuration of admission plugins (AdmissionConfiguration), for this start.",
  },
];

/** Undefined when no flag of admission is given. */
export function admissionOf({ cwd }: Factory, { flags }: Invocation): AdmissionChoice | undefined {
  if (![ENABLE, DISABLE, FILE].some((name) => flags.changed(name))) return undefined;
  const file = flags.string(FILE);
  return {
    enable: flags.strings(ENABLE),
    disable: flags.strings(DISABLE),
    ...(file !== "" && { configurationFile: resolve(cwd, file) }),
  };
}
