import { expect, test } from "vitest";
import { chosenContainer } from "../../src/polymorphic-helpers/pod-containers.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

const PRESET = "kubectl.kubernetes.io/default-container";
const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const pod = (spec: object, preset?: string): KubeObject => ({
  metadata: { name: "web", namespace: "shop", ...(preset !== undefined && { annotations: { [PRESET]: preset } }) },
  spec,
});
const several = { containers: named("a", "b"), initContainers: named("i"), ephemeralContainers: named("e") };

test.each([
  ["the only one", pod({ containers: named("a") }), "", "a", []],
  [
    "the first of several, with a word",
    pod(several),
    "",
    "a",
    ['Defaulted container "a" out of: a, b, e (ephem), i (init)'],
  ],
  [
    "the first beside an init container, with a word",
    pod({ ...several, containers: named("a") }),
    "",
    "a",
    ['Defaulted container "a" out of: a, e (ephem), i (init)'],
  ],
  ["the one that the pod names", pod(several, "b"), "", "b", []],
  ["an ephemeral one by name", pod(several, "b"), "e", "e", []],
  ["an init container by name", pod(several), "i", "i", []],
] as const)("exec, attach and logs choose as container %s", (_which, from, name, chosen, lines) => {
  const said: string[] = [];
  expect(chosenContainer(from, name, (line) => said.push(line)).container.name).toBe(chosen);
  expect(said).toEqual(lines);
});

test.each([
  [
    "a name that it does not have",
    pod(several),
    "x",
    "container x is not valid for pod web out of: a, b, e (ephem), i (init)",
  ],
  [
    "an annotation with such a name",
    pod(several, "y"),
    "",
    "container y is not valid for pod web out of: a, b, e (ephem), i (init)",
  ],
  ["no containers", pod({}), "", "pod shop/web does not have any containers"],
] as const)("exec, attach and logs find no container in a pod with %s", (_what, from, name, message) => {
  expect(() => chosenContainer(from, name, () => undefined)).toThrow(message);
});
