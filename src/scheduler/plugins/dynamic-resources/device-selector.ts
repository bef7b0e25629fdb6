import type { Device, DeviceAttribute, DeviceSelector } from "../../../api/types/resource/v1.js";
import { Lru } from "../../../base/collections/lru.js";
import { KUBERNETES_PROGRAM, kubernetesEnvironment } from "../../../machinery/cel/kubernetes/environment.js";
import type { Program } from "../../../machinery/cel/program.js";
import { DYN } from "../../../machinery/cel/types/type.js";
import { ErrorValue, type Value } from "../../../machinery/cel/values/value.js";

/** Decides whether a device of a driver matches all selectors. Throws an Error for an expression that cannot be evaluated. */
export type MatchDevice = (selectors: readonly DeviceSelector[], driver: string, device: Device) => boolean;

const MOST_PROGRAMS = 256;

/** What 1.37 adds to the error of an attribute that a device does not have (K37-249). */
const HINT =
  ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";

/** Evaluates the CEL expressions of selectors; each is compiled once. Errors are those of `release`, or of the oldest version. */
export function deviceMatcher(release?: { atLeast(version: string): boolean }): MatchDevice {
  const environment = kubernetesEnvironment().extend({
    variables: [
      { name: "device", type: DYN },
      { name: "text", type: DYN },
    ],
  });
  const programs = new Lru<string, Program>(MOST_PROGRAMS);
  const programOf = (expression: string): Program => {
    let program = programs.get(expression);
    if (program === undefined) {
      const { ast, issues } = environment.compile(expression);
      if (ast === undefined) throw new Error(`CEL expression ${JSON.stringify(expression)}: ${String(issues)}`);
      program = environment.program(ast, KUBERNETES_PROGRAM);
      programs.set(expression, program);
    }
    return program;
  };
  /** Devices come from caches and do not change. */
  const views = new WeakMap<Device, unknown>();
  const made = (expression: string, text: unknown): Value => programOf(expression).evaluate({ text }).value;
  const attribute = ({ bool, int, string, version }: DeviceAttribute): unknown =>
    version === undefined ? (bool ?? int ?? string) : made("semver(text)", version);
  return (selectors, driver, device) => {
    let view = views.get(device);
    if (view === undefined) {
      view = {
        driver,
        attributes: byDomain(driver, device.attributes ?? {}, attribute),
        capacity: byDomain(driver, device.capacity ?? {}, ({ value }) => made("quantity(text)", String(value))),
        allowMultipleAllocations: device.allowMultipleAllocations ?? false,
      };
      views.set(device, view);
    }
    return selectors.every(({ cel }) => {
      if (cel === undefined) return true;
      const { value } = programOf(cel.expression).evaluate({ device: view });
      if (value instanceof ErrorValue) {
        // K37-249
        const hint = release?.atLeast("1.37") && value.message.startsWith("no such key: ") ? HINT : "";
        throw new Error(`CEL expression ${JSON.stringify(cel.expression)}: ${value.message}${hint}`);
      }
      return value === true;
    });
  };
}

/** Names are "domain/name"; those without a domain are the driver's. */
function byDomain<T>(
  driver: string,
  values: Readonly<Record<string, T>>,
  toValue: (value: T) => unknown,
): Record<string, Record<string, unknown>> {
  const domains = Object.create(null) as Record<string, Record<string, unknown>>;
  domains[driver] = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    (domains[domain] ??= Object.create(null) as Record<string, unknown>)[name.slice(slash + 1)] = toValue(value);
  }
  return domains;
}
