import type { FlagSection } from "../component-flag.js";

export const tracesSection = {
  name: "traces",
  flags: [
    {
      name: "tracing-config-file",
      type: "string",
      usage: "A file that says where traces of requests are sent.",
      withoutEffect: "no traces are sent yet",
    },
  ],
} as const satisfies FlagSection;
