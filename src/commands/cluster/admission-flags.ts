import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

type AdmissionOptions = NonNullable<import("../../cluster/index.js").ClusterOptions["admission"]>;

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
export function admissionOf({ cwd }: Factory, { flags }: Invocation): AdmissionOptions | undefined {
  if (![ENABLE, DISABLE, FILE].some((name) => flags.changed(name))) return undefined;
  const file = flags.string(FILE);
  return {
    ...(flags.changed(ENABLE) && { enable: flags.strings(ENABLE) }),
    ...(flags.changed(DISABLE) && { disable: flags.strings(DISABLE) }),
    ...(file !== "" && { configurationFile: resolve(cwd, file) }),
  };
}
