import { type OptionGroup, sectionOf } from "../option-group.js";

/** The options for which of Kubernetes' admission plugins a server runs. */
export const pluginOptions = {
  /** Names not to run. */
  disable: {
    name: "disable-admission-plugins",
    type: "stringSlice",
    usage: "Admission plugins not to run, of those that run by default.",
  },
  /** Names to run besides those that run by default. */
  enable: {
    name: "enable-admission-plugins",
    type: "stringSlice",
    usage: "Admission plugins to run beside those that run by default.",
  },
} as const satisfies OptionGroup;

/** The options for which admission plugins a server runs, and their configuration. */
export const admissionOptions = {
  /** A file with an AdmissionConfiguration (apiserver.config.k8s.io/v1), which has the configuration of plugins or names the files that have it. Read once, at
   * the start; what it has for plugins that do not run is not read. `configuration` must not have the same plugins. */
  configurationFile: {
    name: "admission-control-config-file",
    type: "string",
    usage: "A file with the configuration of admission plugins (AdmissionConfiguration).",
    isFile: true,
  },
  ...pluginOptions,
} as const satisfies OptionGroup;

export const admissionSection = sectionOf("admission", { admissionOptions }, []);
