import {
  isLevel,
  isVersion,
  type Level,
  LEVEL_PROBLEM,
  type Mode,
  type Policy,
  type Standard,
  VERSION_PROBLEM,
} from "../../../api/pod-security/policy.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { duplicate, type FieldError, formatFieldErrors, invalidValue } from "../../../machinery/errors/field-error.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { PluginInitializationError } from "../configuration/configuration-error.js";
import type { PodSecurityConfiguration, PodSecurityExemptions } from "../configuration/pod-security-configuration.js";

/** A configuration that is complete and valid. */
export interface PodSecuritySettings {
  readonly defaults: Policy;
  readonly exempt: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

/** Throws a {@link PluginInitializationError} in kube-apiserver's words for what is wrong with the configuration. */
export function podSecuritySettings({ defaults = {}, exemptions = {} }: PodSecurityConfiguration): PodSecuritySettings {
  const problems: string[] = [];
  const read = (mode: Mode): Standard => {
    const [level, version] = [defaults[mode] || "privileged", defaults[`${mode}-version`] || "latest"];
    if (!isLevel(level)) problems.push(`${mode}: ${LEVEL_PROBLEM}`);
    if (!isVersion(version)) problems.push(`${mode}-version: ${VERSION_PROBLEM}`);
    return { level: level as Level, version };
  };
  const [enforce, audit, warn] = [read("enforce"), read("audit"), read("warn")];
  if (problems.length > 0) {
    throw new PluginInitializationError(`PodSecurity configuration error: ${aggregateText(problems)}`);
  }
  const errors = exemptionErrors(exemptions);
  if (errors.length > 0) throw new PluginInitializationError(`PodSecurity invalid: ${formatFieldErrors(errors)}`);
  const { usernames, namespaces, runtimeClasses } = exemptions;
  return {
    defaults: { enforce, audit, warn },
    exempt: {
      usernames: new Set(usernames),
      namespaces: new Set(namespaces),
      runtimeClasses: new Set(runtimeClasses),
    },
  };
}

function exemptionErrors({ namespaces, runtimeClasses, usernames }: PodSecurityExemptions): readonly FieldError[] {
  const isEmpty = (name: string): string[] => (name === "" ? ["username must not be empty"] : []);
  return [
    ...nameErrors("exemptions.namespaces", namespaces, dns1123LabelErrors),
    ...nameErrors("exemptions.runtimeClasses", runtimeClasses, dns1123SubdomainErrors),
    ...nameErrors("exemptions.usernames", usernames, isEmpty),
  ];
}

function nameErrors(
  path: string,
  names: readonly string[] = [],
  rule: (name: string) => string[],
): readonly FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const problems = rule(name);
    if (problems.length > 0) return [invalidValue(`${path}[${index}]`, name, problems.join(", "))];
    if (seen.has(name)) return [duplicate(`${path}[${index}]`, name)];
    seen.add(name);
    return [];
  });
}
