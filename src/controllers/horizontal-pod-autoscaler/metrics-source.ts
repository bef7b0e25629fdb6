/** The query of a horizontal pod autoscaler for one metric. */
export interface MetricQuery {
  readonly namespace: string;
  /** The metric's name: "requests_per_second". */
  readonly metric: string;
  /** The selector of the metric's series as text: "verb=GET"; "" for all. */
  readonly selector: string;
}

/** The object that a metric is about. */
export interface DescribedObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * A source of metrics for horizontal pod autoscalers that the resource metrics API does not have: custom.metrics.k8s.io and
 * external.metrics.k8s.io of a cluster. If a function throws, the metric is unavailable, and the error's message is in the
 * autoscaler's conditions. If one is left out, the API of that name is called, which an aggregated server may serve.
 */
export interface MetricsSource {
  /** A metric of each pod, by the pod's name. Pods that are not named count as not measured. */
  readonly pods?: (
    query: MetricQuery & { readonly pods: readonly string[] },
  ) => Answer<Readonly<Record<string, number>>>;
  /** A metric of one object. */
  readonly object?: (query: MetricQuery & { readonly object: DescribedObject }) => Answer<number>;
  /** A metric of something outside the cluster: the values of its series, which are added up. */
  readonly external?: (query: MetricQuery) => Answer<readonly number[]>;
}

type Answer<T> = T | Promise<T>;
