import { type ComponentFlag, type FlagSection, withoutEffect } from "../../component/component-flag.js";

const ONE_FORMAT = "the log is text on stderr, a line at a time";
const ONE_VERSION = "the program is one version of Kubernetes";

/** Without `-v` and `--vmodule`, which every component has. */
export const logsSection: FlagSection = {
  name: "logs",
  flags: [
    withoutEffect("log-flush-frequency", "duration", "5s", "How often the log is flushed.", ONE_FORMAT),
    {
      ...withoutEffect("log-text-info-buffer-size", "string", "", "How much of the log is buffered.", ONE_FORMAT),
      typeName: "quantity",
    },
    withoutEffect("log-text-split-stream", "bool", "", "Write errors and the rest to two streams.", ONE_FORMAT),
    {
      name: "logging-format",
      type: "string",
      default: "text",
      usage: "The format of the log: text.",
      check: (text) => (text === "text" ? undefined : `unsupported log format: ${JSON.stringify(text)}`),
    },
  ],
};

/** `obeyed` says which gates have an effect. */
export const featureFlags = (obeyed: string): readonly ComponentFlag[] => [
  withoutEffect("emulated-version", "stringSlice", "", "The version whose features there are.", ONE_VERSION),
  {
    name: "feature-gates",
    type: "stringArray",
    typeName: "colonSeparatedMultimapStringString",
    default: "[]",
    usage: `Gates of features, as NAME=true,NAME=false. ${obeyed}`,
  },
  withoutEffect("min-compatibility-version", "stringSlice", "", "The oldest version of other programs.", ONE_VERSION),
];
