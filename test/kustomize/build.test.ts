import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { chartTrees } from "./chart-trees.js";
import { generatorTrees } from "./generator-trees.js";
import { layoutTrees } from "./layout-trees.js";
import { malformedTrees } from "./malformed-trees.js";
import { metadataTrees } from "./metadata-trees.js";
import { nameTrees } from "./name-trees.js";
import { patchTrees } from "./patch-trees.js";
import { pluginTrees } from "./plugin-trees.js";
import { replacementTrees } from "./replacement-trees.js";
import { buildByKubectl, buildByKubets, kubectl, writeTree } from "./run-build.js";
import type { Tree } from "./trees.js";
import { wrongPluginTrees } from "./wrong-plugin-trees.js";
import { wrongTrees } from "./wrong-trees.js";

/*
 * Every tree is built by the real kubectl and by kubets, and what they print is compared byte for byte: the objects, the warnings
 * and what is said of trees that are wrong.
 */

if (kubectl.missing !== undefined) process.stdout.write(`trees are not built: ${kubectl.missing}\n`);

const root = realpathSync(mkdtempSync(join(tmpdir(), "kubets-kustomize-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const groups: Readonly<Record<string, readonly Tree[]>> = {
  layout: layoutTrees,
  names: nameTrees,
  metadata: metadataTrees,
  generators: generatorTrees,
  charts: chartTrees,
  patches: patchTrees,
  replacements: replacementTrees,
  malformed: malformedTrees,
  plugins: pluginTrees,
  "wrong plugins": wrongPluginTrees,
  wrong: wrongTrees,
};

test("there are enough recorded kustomizations, each with its own name", () => {
  const names = Object.values(groups).flatMap((trees) => trees.map(({ name }) => name));
  expect(names.length).toBeGreaterThanOrEqual(80);
  expect(new Set(names).size).toBe(names.length);
});

describe.skipIf(kubectl.missing !== undefined).each(Object.entries(groups))(
  "kustomize build prints what the real kubectl kustomize prints: %s",
  (_, trees) => {
    test.concurrent.each(trees.map((tree) => [tree.name, tree] as const))("%s", async (_name, tree) => {
      const folder = writeTree(root, tree);
      const [real, ours] = await Promise.all([buildByKubectl(folder, tree.dir), buildByKubets(folder, tree.dir)]);
      expect(ours).toEqual(real);
    });
  },
);
