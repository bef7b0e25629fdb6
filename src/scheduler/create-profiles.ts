import type { PluginFactory, SchedulerHandle } from "./framework/plugin.js";
import { Profile, type WeightedPlugin } from "./framework/profile.js";
import { DEFAULT_SCHEDULER, type SchedulerOptions, type SchedulerProfile } from "./options.js";
import { DEFAULT_PLUGINS } from "./plugins/default-plugins.js";

/** The profiles by their schedulers' names. Throws an Error that names the profile and the plugin for options that cannot be right. */
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
  const { disabled = [], enabled = [] } = plugins;
  const known = [
    ...DEFAULT_PLUGINS.filter(({ name }) => own[name] === undefined),
    ...Object.entries(own).map(([name, create]) => ({ name, weight: 1, create })),
  ];
  for (const name of [...disabled, ...enabled.map((one) => one.name), ...Object.keys(pluginConfig)]) {
    if (name === "*" || known.some((plugin) => plugin.name === name)) continue;
    const names = known.map((plugin) => plugin.name).join(", ");
    throw new Error(`profile ${profile}: there is no plugin "${name}"; there are ${names}`);
  }
  const made: WeightedPlugin[] = [];
  for (const { name, weight, create } of known) {
    const asked = enabled.find((one) => one.name === name);
    if (disabled.includes(name) || (disabled.includes("*") && asked === undefined)) continue;
    const plugin = create(handle, pluginConfig[name] ?? {});
    if (plugin.name !== name) {
      throw new Error(`profile ${profile}: the plugin that is registered as "${name}" calls itself "${plugin.name}"`);
    }
    made.push({ plugin, weight: asked?.weight ?? weight });
  }
  return made;
}
