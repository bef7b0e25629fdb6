import { waitFor, WaitTimeoutError } from "../client/wait-for.js";
import type { ClusterOptions } from "../cluster/options/cluster-options.js";
import { type Cluster, startCluster } from "../cluster/start-cluster.js";
import type { ApiObject, KubeObject } from "../machinery/meta/object.js";
import { kubernetesClient, type KubernetesClient } from "../library/kubernetes-client.js";
import { errorMessage } from "../base/text/error-message.js";
import { isReady } from "./readiness.js";
import { conditionsOf, unreadyReport } from "./unready-report.js";
import { isAlreadyExists } from "../machinery/errors/status-error.js";

export interface ClusterTestOptions extends Omit<ClusterOptions, "clock"> {
  /**
   * Files, folders, URLs and kustomizations that are applied once the cluster has started: definitions of custom resources, and what all
   * tests of a file use.
   */
  readonly apply?: string | URL | readonly (string | URL)[];
}

export interface ReadyOptions {
  /** Milliseconds. Default 30,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** The argument of a test's function. */
export interface ClusterTestContext {
  /** The cluster of the test's file. */
  readonly cluster: Cluster;
  /** A client whose namespace is the test's own. */
  readonly client: KubernetesClient;
  /** The test's own namespace. */
  readonly namespace: string;
  /**
   * Resolves with the object once it is ready: a workload is rolled out, a pod is ready or has succeeded, a Job is complete, a claim is
   * bound, other kinds have their conditions Ready, Available and Established. Rejects when it has failed or the time is over, and says what in
   * the namespace is not ready and why.
   */
  readonly ready: <T extends ApiObject>(object: T, options?: ReadyOptions) => Promise<T>;
}

/** Of a test's title, in its namespace's name. A number follows, also behind a dash where the title was cut. */
const LONGEST_WORDS = 40;

/** The cluster of one file of tests. */
export class TestCluster {
  #count = 0;

  private constructor(
    readonly cluster: Cluster,
    private readonly client: KubernetesClient,
  ) {}

  /** Starts a cluster with one node, in memory and without a socket; the options say otherwise. */
  static async start({ apply, ...options }: ClusterTestOptions): Promise<TestCluster> {
    const cluster = await startCluster({ nodes: 1, port: false, ...options });
    const client = kubernetesClient(cluster);
    try {
      if (apply !== undefined) await client.applyFiles(apply);
    } catch (error) {
      await client.close();
      await cluster.close();
      throw error;
    }
    return new TestCluster(cluster, client);
  }

  /** Makes the namespace of a test, which begins with the test's title. It stays until the cluster is closed. */
  async namespaceFor(title: string): Promise<string> {
    this.#count += 1;
    const words = (title.toLowerCase().match(/[a-z0-9]+/g) ?? ["test"]).join("-").slice(0, LONGEST_WORDS);
    const name = `${words}-${this.#count}`;
    await this.client.of("v1", "Namespace").create({ metadata: { name } });
    // Pods are refused without it, and its controller takes a moment, or does not run.
    await this.client
      .of("v1", "ServiceAccount")
      .create({ metadata: { namespace: name, name: "default" } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    return name;
  }

  /** What a test in that namespace is given. */
  contextOf(namespace: string): ClusterTestContext & AsyncDisposable {
    const client = kubernetesClient(this.cluster, { namespace });
    return {
      cluster: this.cluster,
      client,
      namespace,
      ready: (object, options) => this.#untilReady(client, object, options),
      [Symbol.asyncDispose]: () => client.close(),
    };
  }

  /** What is not ready in a test's namespace; "" where everything is. */
  report(namespace: string): Promise<string> {
    return unreadyReport(this.client, namespace);
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.cluster.close();
  }

  async #untilReady<T extends ApiObject>(client: KubernetesClient, wanted: T, options: ReadyOptions = {}): Promise<T> {
    const { kind = "object", metadata } = wanted;
    const name = metadata?.name ?? "";
    const resource = await client.resourceFor(wanted);
    let last: KubeObject | undefined;
    const isSo = (found: ApiObject): boolean => {
      last = found as KubeObject;
      return isReady(last);
    };
    try {
      return await waitFor(resource, name, isSo, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      const isLate = error instanceof WaitTimeoutError;
      const why = isLate
        ? `is not ready after ${options.timeout ?? 30_000} ms`
        : `cannot become ready: ${errorMessage(error)}`;
      const state = last === undefined ? "it does not exist" : conditionsOf(last).join(", ");
      const report = await this.report(metadata?.namespace ?? client.namespace);
      const head = `${kind} ${name} ${why}${state === "" ? "" : `: ${state}`}`;
      throw new NotReadyError([head, report].filter((part) => part !== "").join("\n\n"));
    }
  }
}

/** Thrown when objects did not become ready. The message tells which ones, and why. */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";
}
