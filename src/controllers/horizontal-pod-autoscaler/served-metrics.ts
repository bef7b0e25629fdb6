import type { CrossVersionObjectReference } from "../../api/types/autoscaling/v2.js";
import { parseGoDuration } from "../../base/text/go-literals.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { ServedResources } from "../served-resources.js";
import type { MetricQuery } from "./metrics-source.js";
import { type PodMetrics, thousandths } from "./pod-metrics.js";

const CUSTOM = "custom.metrics.k8s.io";
/** Preferred first, as client-go asks for them. */
const CUSTOM_VERSIONS = ["v1beta2", "v1beta1"];
const EXTERNAL = "external.metrics.k8s.io/v1beta1";
/** How long a metric is measured that does not say so, in milliseconds. */
const WINDOW = 60_000;

/** Reads the metrics APIs that adapters serve, such as prometheus-adapter and KEDA. Each function throws where a metric is missing. */
export interface ServedMetrics {
  /** Of the pods that `pods`, a selector as text, selects. */
  pods(query: MetricQuery, pods: string): Promise<PodMetrics>;
  /** In thousandths of the metric's unit. */
  object(query: MetricQuery, object: CrossVersionObjectReference): Promise<number>;
  /** The metric's series, in thousandths of its unit. */
  external(query: MetricQuery): Promise<readonly number[]>;
}

export function servedMetrics(client: KubernetesClient, served: ServedResources, now: () => number): ServedMetrics {
  const read = async (path: string, query: Readonly<Record<string, string>>): Promise<readonly ReadonlyFields[]> => {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
    const answer = await client.rest.request({ method: "GET", path, query: given });
    return objects(answer.json()["items"]);
  };
  const customApi = async (): Promise<string> => {
    const { resources } = await served.all();
    const version = CUSTOM_VERSIONS.find((one) =>
      resources.some(({ apiVersion }) => apiVersion === `${CUSTOM}/${one}`),
    );
    if (version === undefined) throw new Error(`no custom metrics API (${CUSTOM}) registered`);
    return `/apis/${CUSTOM}/${version}`;
  };
  return {
    async pods({ namespace, metric, selector }, pods) {
      const path = `${await customApi()}/namespaces/${segment(namespace)}/pods/*/${segment(metric)}`;
      const items = await read(path, { labelSelector: pods, metricLabelSelector: selector });
      return new Map(
        items.map((item) => [
          text(object(item["describedObject"])["name"]),
          {
            value: thousandths(text(item["value"])),
            at: Date.parse(text(item["timestamp"])) || now(),
            window: windowOf(item),
          },
        ]),
      );
    },
    async object({ namespace, metric, selector }, { apiVersion = "", kind, name }) {
      const api = await customApi();
      const resource = await served.ofKind(apiVersion, kind);
      if (resource === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
      const plural = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
      const place = resource.namespaced ? `namespaces/${segment(namespace)}/${plural}` : plural;
      // The metrics of a namespace stand below it.
      const path = plural === "namespaces" ? `namespaces/${segment(name)}/metrics` : `${place}/${segment(name)}`;
      const [item] = await read(`${api}/${path}/${segment(metric)}`, { metricLabelSelector: selector });
      if (item === undefined) throw new Error("no metrics returned from custom metrics API");
      return thousandths(text(item["value"]));
    },
    async external({ namespace, metric, selector }) {
      const { resources } = await served.all();
      if (!resources.some(({ apiVersion }) => apiVersion === EXTERNAL)) {
        throw new Error(`the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`);
      }
      const path = `/apis/${EXTERNAL}/namespaces/${segment(namespace)}/${segment(metric)}`;
      const items = await read(path, { labelSelector: selector });
      return items.map((item) => thousandths(text(item["value"])));
    },
  };
}

const segment = encodeURIComponent;

function windowOf(item: ReadonlyFields): number {
  const seconds = item["windowSeconds"] ?? item["window"];
  if (typeof seconds === "number") return seconds * 1000;
  return parseGoDuration(text(seconds)) || WINDOW;
}
