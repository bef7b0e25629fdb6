/** The exports of "kubets/node-test": tests of node:test that have a cluster. */
import { after, test, type TestContext, type TestOptions } from "node:test";
import { type ClusterTestContext, type ClusterTestOptions, NotReadyError, TestCluster } from "./test-cluster.js";

export { type ClusterTestContext, type ClusterTestOptions, NotReadyError, type ReadyOptions } from "./test-cluster.js";

/** node:test's context, and the cluster, client and namespace of the test. */
export type ClusterTestFn = (context: ClusterTestContext & { readonly t: TestContext }) => void | Promise<void>;

/** node:test's `test`, with functions that also get a cluster. */
export interface ClusterTest {
  (name: string, fn: ClusterTestFn): void;
  (name: string, options: TestOptions, fn: ClusterTestFn): void;
}

/**
 * node:test's `test` with a cluster for each file and a namespace for each test: `test("...", async ({ client, namespace, ready }) => ...)`. Where
 * a test fails, its error says what in its namespace is not ready, with conditions, events and the last lines of logs.
 */
export function clusterTest(options: ClusterTestOptions = {}): ClusterTest {
  let starting: Promise<TestCluster> | undefined;
  after(async () => (await starting?.catch(() => undefined))?.close());
  return (name: string, second: TestOptions | ClusterTestFn, third?: ClusterTestFn) => {
    const [testOptions, fn] = typeof second === "function" ? [{}, second] : [second, third];
    void test(name, testOptions, async (t) => {
      starting ??= TestCluster.start(options);
      const file = await starting;
      const namespace = await file.namespaceFor(name);
      await using context = file.contextOf(namespace);
      try {
        await fn?.({ ...context, t });
      } catch (error) {
        throw await withReport(error, file, namespace);
      }
    });
  };
}

/** The error with what is not ready behind its message. */
async function withReport(error: unknown, file: TestCluster, namespace: string): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof NotReadyError) return error;
  const report = await file.report(namespace);
  if (report === "") return error;
  const { message, stack = "" } = error;
  error.message = `${message}\n\n${report}`;
  // The report of node:test shows the stack, which begins with the message as it was.
  error.stack = stack.replace(message, () => error.message);
  return error;
}
