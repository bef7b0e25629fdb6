import { join } from "node:path";
import { expect, test } from "vitest";
import { SERVED_VERSIONS } from "../../src/api/facts/index.js";
import { leftovers } from "../../tools/next-version/leftovers.js";

const root = join(import.meta.dirname, "../..");

test("nothing in the repository belongs to a Kubernetes version that is no longer served", () => {
  expect(leftovers(root, SERVED_VERSIONS)).toEqual([]);
});

test("dropping the oldest Kubernetes version in the list names what must be removed with it", () => {
  const [newest = "", oldest = ""] = [SERVED_VERSIONS[0], SERVED_VERSIONS.at(-1)];
  const left = leftovers(
    root,
    SERVED_VERSIONS.filter((version) => version !== oldest),
  );
  for (const expected of [
    `tools/api-data: kubernetes-${oldest}-api.json.gz`,
    `src/api/facts/data: kubernetes-${oldest}-delta.json`,
    `tools/api-facts/versions.mjs: ${oldest}`,
    `tools/next-version/decisions.json: ${newest} has no older version beside it`,
  ]) {
    expect(left).toContain(expected);
  }
  for (const some of [
    /^src\/api\/validation\/.*: atLeast\("/,
    /^src\/api\/gates\/gates\.json: \w+ is known no more$/,
  ]) {
    expect(left.filter((one) => some.test(one))).not.toEqual([]);
  }
});
