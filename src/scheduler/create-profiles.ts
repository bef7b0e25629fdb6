import { EXTENSION_POINTS, type ExtensionPoint, pointsOf, restrictedTo } from "./extension-points.js";
import type { PluginFactory, SchedulerHandle } from "./framework/plugin.js";
import { Profile, type WeightedPlugin } from "./framework/profile.js";
import { DEFAULT_SCHEDULER, type PluginChoice, type SchedulerOptions, type SchedulerProfile } from "./options.js";
import { DEFAULT_PLUGINS } from "./plugins/default-plugins.js";

/** Makes the profiles, by the names of their schedulers. Throws an Error with the profile and the plugin for invalid options. */
export function createProfiles(
  options: SchedulerOptions,
  handleOf: (profile: () => Profile) => SchedulerHandle,
): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const given of options.profiles ?? [{}]) {
    const name = given.schedulerName ?? DEFAULT_SCHEDULER;
    if (profiles.has(name)) throw new Error(`two profiles have the scheduler name "${name}"; give each its own`);
    // Plugins may ask for their profile only when all of them are made.
    let profile: Profile | undefined;
    const handle = handleOf(() => {
      if (profile === undefined)
        throw new Error(`profile ${name}: its plugins asked for the profile before all of them were made`);
      return profile;
    });
    const percentage = given.percentageOfNodesToScore ?? options.percentageOfNodesToScore ?? 0;
    if (!Number.isInteger(percentage) || percentage < 0 || percentage > 100) {
      throw new Error(`profile ${name}: percentageOfNodesToScore is ${percentage}; it must be from 0 to 100`);
    }
    profile = new Profile(name, pluginsOf(name, given, options.plugins ?? {}, handle), percentage);
    profiles.set(name, profile);
  }
  const sorts = new Set([...profiles.values()].map(({ sortedBy }) => sortedBy));
  if (sorts.size > 1)
    throw new Error(`all profiles must order the queue by the same plugin, not by ${[...sorts].join(", ")}`);
  return profiles;
}

function pluginsOf(
  profile: string,
  { plugins = {}, pluginConfig = {} }: SchedulerProfile,
  own: Readonly<Record<string, PluginFactory>>,
  handle: SchedulerHandle,
): readonly WeightedPlugin[] {
  const { at = {} } = plugins;
  const known = [
    ...DEFAULT_PLUGINS.filter(({ name }) => own[name] === undefined),
    ...Object.entries(own).map(([name, create]) => ({ name, weight: 1, create })),
  ];
  for (const name of [...[plugins, ...Object.values(at)].flatMap(namedIn), ...Object.keys(pluginConfig)]) {
    if (name === "*" || known.some((plugin) => plugin.name === name)) continue;
    const names = known.map((plugin) => plugin.name).join(", ");
    throw new Error(`profile ${profile}: there is no plugin "${name}"; there are ${names}`);
  }
  const made: WeightedPlugin[] = [];
  for (const { name, weight, create } of known) {
    const everywhere = choiceOf(name, plugins) ?? { weight: undefined };
    const isAsked = EXTENSION_POINTS.some((point) => runsAt(name, at[point]) === true);
    if (everywhere === "disabled" && !isAsked) continue;
    const plugin = create(handle, pluginConfig[name] ?? {});
    if (plugin.name !== name) {
      throw new Error(`profile ${profile}: the plugin that is registered as "${name}" calls itself "${plugin.name}"`);
    }
    const points = pointsOf(plugin);
    const chosen = points.filter((point) => runsAt(name, at[point]) ?? everywhere !== "disabled");
    if (chosen.length === 0 && points.length > 0) continue;
    const scoring = choiceOf(name, at.score ?? {});
    const asked = typeof scoring === "object" ? scoring.weight : undefined;
    const general = typeof everywhere === "object" ? everywhere.weight : undefined;
    const isWhole = chosen.length === points.length;
    const restricted = isWhole ? plugin : restrictedTo(plugin, new Set<ExtensionPoint>(chosen));
    made.push({ plugin: restricted, weight: asked ?? general ?? weight });
  }
  return made;
}

const namedIn = ({ disabled = [], enabled = [] }: PluginChoice): readonly string[] => [
  ...disabled,
  ...enabled.map(({ name }) => name),
];

/** What is chosen for a plugin; undefined where nothing is said of it. */
function choiceOf(
  name: string,
  { disabled = [], enabled = [] }: PluginChoice,
): "disabled" | { readonly weight?: number | undefined } | undefined {
  const asked = enabled.find((one) => one.name === name);
  if (asked !== undefined && !disabled.includes(name)) return asked;
  return disabled.includes(name) || disabled.includes("*") ? "disabled" : undefined;
}

/** Whether a plugin runs at a point; undefined where the point's choice does not say. */
function runsAt(name: string, choice: PluginChoice | undefined): boolean | undefined {
  const found = choice && choiceOf(name, choice);
  return found && found !== "disabled";
}
