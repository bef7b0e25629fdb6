import type { SchedulerPlugin } from "./framework/plugin.js";

/** The methods of a plugin at each extension point, by kube-scheduler's names of the points. */
const METHODS = {
  preEnqueue: ["preEnqueue"],
  queueSort: ["compare"],
  preFilter: ["preFilter", "addPod", "removePod"],
  filter: ["filter"],
  postFilter: ["postFilter"],
  preScore: ["preScore"],
  score: ["score", "normalize"],
  reserve: ["reserve", "unreserve"],
  permit: ["permit"],
  preBind: ["preBind"],
  bind: ["bind"],
  postBind: ["postBind"],
} as const satisfies Readonly<Record<string, readonly (keyof SchedulerPlugin)[]>>;

export type ExtensionPoint = keyof typeof METHODS;

/** The extension points in the order in which a pod passes them. */
export const EXTENSION_POINTS = Object.keys(METHODS) as readonly ExtensionPoint[];

/** Lists the extension points that the plugin has methods for. */
export const pointsOf = (plugin: SchedulerPlugin): readonly ExtensionPoint[] =>
  EXTENSION_POINTS.filter((point) => METHODS[point].some((method) => plugin[method] !== undefined));

/** Restricts a plugin to the methods of some extension points. Its members that belong to no point (`prepare`, `events`) stay. */
export function restrictedTo(plugin: SchedulerPlugin, points: ReadonlySet<ExtensionPoint>): SchedulerPlugin {
  const methods = EXTENSION_POINTS.filter((point) => points.has(point)).flatMap((point): string[] => [
    ...METHODS[point],
  ]);
  const bound = [...methods, "prepare"].flatMap((method) => {
    const implementation = plugin[method as "filter"];
    return implementation === undefined ? [] : [[method, implementation.bind(plugin)] as const];
  });
  return {
    name: plugin.name,
    ...(plugin.events && { events: plugin.events }),
    ...Object.fromEntries(bound),
  };
}
