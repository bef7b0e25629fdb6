import { readRuntimeConfig } from "../flags/pairs.js";
import { type OptionGroup, sectionOf } from "../option-group.js";
import { configurationPairs } from "./values.js";

/** Returns the entries of --runtime-config without "api/legacy", which has long had no effect. */
export const servedVersions = (entries: readonly string[]): readonly string[] =>
  entries.filter((entry) => !/^api\/legacy(=|$)/.test(entry));

/** The options for which versions of the API a server serves. */
export const enablementOptions = {
  /** "group/version" or a class of versions ("api/all", "api/beta"), to on or off. */
  runtimeConfig: {
    name: "runtime-config",
    ...configurationPairs,
    usage:
      "API versions to serve or not to serve, as key=true or key=false: a version (resource.k8s.io/v1beta1) or api/alpha, api/beta, api/ga, api/all. The stable versions are served by default. apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed, is served when it is named.",
    read: (entries: readonly string[]): Readonly<Record<string, boolean>> => readRuntimeConfig(servedVersions(entries)),
    write: (versions: Readonly<Record<string, boolean>>) => {
      const entries = Object.entries(versions).map(([key, isOn]) => `${key}=${isOn}`);
      return entries.length === 0 ? [] : [entries.join(",")];
    },
  },
} as const satisfies OptionGroup;

export const apiEnablementSection = sectionOf("API enablement", enablementOptions, []);
