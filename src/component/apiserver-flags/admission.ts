import type { FlagSection } from "../component-flag.js";

export const admissionSection = {
  name: "admission",
  flags: [
    {
      name: "admission-control-config-file",
      type: "string",
      usage: "A file with the configuration of admission plugins (AdmissionConfiguration).",
    },
    {
      name: "disable-admission-plugins",
      type: "stringSlice",
      usage: "Admission plugins not to run, of those that run by default.",
    },
    {
      name: "enable-admission-plugins",
      type: "stringSlice",
      usage: "Admission plugins to run beside those that run by default.",
    },
  ],
} as const satisfies FlagSection;
