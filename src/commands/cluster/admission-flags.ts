import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { admissionSection } from "../../component/apiserver-flags/admission.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

type AdmissionOptions = NonNullable<import("../../cluster/index.js").ClusterOptions["admission"]>;

const ENABLE = "enable-admission-plugins";
const DISABLE = "disable-admission-plugins";
const FILE = "admission-control-config-file";

/** The flags of admission, as kube-apiserver has them. */
export const admissionFlags: readonly FlagSpec[] = [
  flagOf(admissionSection, ENABLE),
  flagOf(admissionSection, DISABLE),
  flagOf(admissionSection, FILE),
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
