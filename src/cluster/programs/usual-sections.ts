import { type ComponentFlag, withoutEffect } from "../../component/component-flag.js";

const ONE_VERSION = "the program is one version of Kubernetes";

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
