/** The exports of "kubets/vitest": tests that have a cluster. */
import { test as base, type TestAPI } from "vitest";
import { type ClusterTestContext, type ClusterTestOptions, NotReadyError, TestCluster } from "./test-cluster.js";

export { type ClusterTestContext, type ClusterTestOptions, NotReadyError, type ReadyOptions } from "./test-cluster.js";

interface Fixtures extends ClusterTestContext {
  /** The cluster, before anything of the test. Underscored, because tests have no use for it. */
  readonly _file: TestCluster;
  readonly _context: ClusterTestContext;
}

/**
 * Vitest's `test` with a cluster for each file and a namespace for each test: `test("...", async ({ client, namespace, ready }) => ...)`. Where a
 * test fails, its report says what in its namespace is not ready, with conditions, events and the last lines of logs.
 */
export function clusterTest(options: ClusterTestOptions = {}): TestAPI<ClusterTestContext> {
  return base.extend<Fixtures>({
    _file: [
      // oxlint-disable-next-line no-empty-pattern -- the braces are how Vitest knows that the fixture uses none
      async ({}, use) => {
        const file = await TestCluster.start(options);
        await use(file);
        await file.close();
      },
      { scope: "file" },
    ],
    _context: async ({ _file, task, onTestFailed }, use) => {
      const namespace = await _file.namespaceFor(task.name);
      onTestFailed(async () => {
        const report = await _file.report(namespace);
        for (const error of task.result?.errors ?? []) {
          if (report === "" || error.name === NotReadyError.name) continue;
          error.message = `${error.message}\n\n${report}`;
        }
      });
      await using context = _file.contextOf(namespace);
      await use(context);
    },
    cluster: ({ _context }, use) => use(_context.cluster),
    client: ({ _context }, use) => use(_context.client),
    namespace: ({ _context }, use) => use(_context.namespace),
    ready: ({ _context }, use) => use(_context.ready),
  });
}
