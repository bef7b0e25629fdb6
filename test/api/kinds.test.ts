import { expect, test } from "vitest";
import { resources } from "../../src/api/facts/index.js";
import { builtInResource } from "../../src/api/kinds/built-in-resource.js";

test("every built-in kind has the resource name and the scope of the API facts", () => {
  expect(resources().length).toBeGreaterThan(90);
  for (const { groupVersion, kind, group, version, name, namespaced } of resources()) {
    expect(builtInResource(groupVersion, kind), `${groupVersion} ${kind}`).toEqual({
      resource: { group, version, resource: name },
      namespaced,
    });
  }
});

test.each([
  ["example.com/v1", "Widget"],
  ["apps/v1", "Widget"],
  ["apps/v1beta1", "Deployment"],
  ["apps/v1", ""],
  ["toString", "Pod"],
])("%s %s is not a built-in kind", (apiVersion, kind) => {
  expect(builtInResource(apiVersion, kind)).toBeUndefined();
});
