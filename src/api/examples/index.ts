import { dictionary } from "../../base/collections/dictionary.js";
import { access } from "./access.js";
import { apps } from "./apps.js";
import { core } from "./core.js";
import { extensions } from "./extensions.js";
import { networking } from "./networking.js";
import { storage } from "./storage.js";
import { workloads } from "./workloads.js";

const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = dictionary({ "": core, apps });
const others = { ...workloads, ...networking, ...storage, ...access, ...extensions };

/** A manifest (YAML) of a built-in kind that can be applied unchanged; undefined for kinds that cannot be created from a manifest. */
export function exampleOf(group: string, kind: string): string | undefined {
  const own = groups[group];
  return own === undefined ? others[`${group}/${kind}`] : own[kind];
}

/** Every group and kind that has an example: "apps/Deployment"; "/Pod" for the core group. */
export const exampleKinds: readonly string[] = [
  ...Object.entries(groups).flatMap(([group, kinds]) => Object.keys(kinds).map((kind) => `${group}/${kind}`)),
  ...Object.keys(others),
];
