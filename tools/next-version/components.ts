import { bootstrapFlowControl } from "../../src/api/bootstrap/flow-control.js";
import { controllerManagerSections } from "../../src/cluster/controller-manager/flags.js";
import { schedulerSections } from "../../src/cluster/scheduler/flags.js";
import { apiserverSectionsOf } from "../../src/component/apiserver-flags/sections.js";
import type { FlagSection } from "../../src/component/component-flag.js";
import type { Sources } from "./sources.js";
import {
  type FlagData,
  type FlowControlObject,
  line,
  type Line,
  type MetricData,
  type VersionData,
} from "./version-data.js";

/** The flags that programs of kubets have, by the name of Kubernetes' program. */
const SECTIONS_OF: Readonly<Record<string, readonly [(version?: string) => readonly FlagSection[], file: string]>> = {
  "kube-apiserver": [apiserverSectionsOf, "src/component/apiserver-flags/"],
  "kube-controller-manager": [controllerManagerSections, "src/cluster/controller-manager/flags.ts"],
  "kube-scheduler": [schedulerSections, "src/cluster/scheduler/flags.ts"],
};

const METRICS = "src/server/metrics, src/scheduler/scheduler-metrics.ts, docs/metrics.md";

/** Flags, metrics and objects of priority and fairness that the version has and we have not, or otherwise. */
export function componentLines({ version, components = {} }: VersionData, sources: Sources): readonly Line[] {
  return [
    ...Object.entries(components.flags ?? {}).flatMap(([program, flags]) => flagLines(program, flags, version)),
    ...Object.entries(components.metrics ?? {}).flatMap(([program, metrics]) => metricLines(program, metrics, sources)),
    ...(components.flowControl === undefined ? [] : flowControlLines(components.flowControl)),
  ];
}

/** What two versions have otherwise, where the data of both tell: a change that our tables cannot show. */
export function componentChanges({ components: now }: VersionData, { components: old }: VersionData): readonly Line[] {
  return (["flags", "metrics"] as const).flatMap((part) => {
    const [before, after] = [old?.[part], now?.[part]];
    if (before === undefined || after === undefined) return [];
    return Object.keys(after).flatMap((program) => {
      const where = part === "flags" ? (SECTIONS_OF[program]?.[1] ?? "src/component/") : METRICS;
      return changesOf([program, where], before[program] ?? {}, after[program] ?? {});
    });
  });
}

function changesOf(
  [program, where]: readonly [program: string, where: string],
  before: Readonly<Record<string, object>>,
  after: Readonly<Record<string, object>>,
): readonly Line[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted().flatMap((name) => {
    const [was, is] = [sorted(before[name]), sorted(after[name])];
    if (was === is) return [];
    const text =
      before[name] === undefined ? `new: ${is}` : after[name] === undefined ? `gone: ${was}` : `${was} -> ${is}`;
    return [line("components", [`${program} ${name}`, "change"], text, where)];
  });
}

function flagLines(program: string, flags: Readonly<Record<string, FlagData>>, version: string): readonly Line[] {
  const [sectionsOf, where] = SECTIONS_OF[program] ?? [];
  if (sectionsOf === undefined || where === undefined) return [];
  const own = new Map(sectionsOf(version).flatMap(({ flags: list }) => list.map((flag) => [flag.name, flag] as const)));
  const flagLine = (name: string, text: string): Line => line("components", [`${program} --${name}`], text, where);
  return Object.entries(flags).flatMap(([name, { type, default: fallback, deprecated }]) => {
    const flag = own.get(name);
    if (flag === undefined) return [flagLine(name, `no such flag here: ${type}, default ${fallback || "none"}`)];
    if (deprecated !== undefined && flag.deprecated === undefined) return [flagLine(name, `deprecated: ${deprecated}`)];
    const value = Array.isArray(flag.default) ? flag.default.join(",") : String(flag.default ?? "");
    return shown(value) === shown(fallback)
      ? []
      : [flagLine(name, `default ${value || "none"} -> ${fallback || "none"}`)];
  });
}

/** Help prints no default that is the zero value of its type. */
const shown = (value: string): string => (["false", "0", "0s", "[]"].includes(value) ? "" : value);

function metricLines(
  program: string,
  metrics: Readonly<Record<string, MetricData>>,
  sources: Sources,
): readonly Line[] {
  return Object.entries(metrics)
    .filter(([name]) => !sources.hasName(name))
    .map(([name, { type, stability, labels }]) => {
      const text = `no such metric here: ${type}, ${stability}, labels ${labels.join(", ") || "none"}`;
      return line("components", [`${program} ${name}`], text, METRICS);
    });
}

function flowControlLines(objects: readonly FlowControlObject[]): readonly Line[] {
  const idOf = ({ kind, metadata }: { kind?: unknown; metadata?: unknown }): string =>
    `${String(kind)} ${(metadata as { readonly name?: string }).name}`;
  const [own, theirs] = [
    new Map(bootstrapFlowControl().map((one) => [idOf(one), one["spec"]])),
    new Map(objects.map((one) => [idOf(one), one.spec])),
  ];
  return [...new Set([...own.keys(), ...theirs.keys()])].toSorted().flatMap((id) => {
    const [was, is] = [own.get(id), theirs.get(id)];
    if (sorted(was) === sorted(is)) return [];
    const text = was === undefined ? "new" : is === undefined ? "gone" : `${sorted(was)} -> ${sorted(is)}`;
    return [line("components", [id], text, "src/api/bootstrap/flow-control.ts")];
  });
}

/** JSON with the keys of objects in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, held: unknown) =>
    typeof held === "object" && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  ) ?? "none";
