import type { FlagSection } from "../component-flag.js";
import type { FlagSpec } from "../flags/flag-set.js";

/** What a command may say differently of a flag that it has from kube-apiserver. */
type Differences = Partial<Pick<FlagSpec, "default" | "usage">>;

/** Returns the declaration of a flag of kube-apiserver, for a command with the same flag. Throws for a flag that the section lacks. */
export function flagOf(section: FlagSection, name: string, differences: Differences = {}): FlagSpec {
  const flag = section.flags.find((one) => one.name === name);
  if (flag === undefined) throw new Error(`there is no flag ${name} in the section ${section.name}`);
  return { ...flag, ...differences };
}
