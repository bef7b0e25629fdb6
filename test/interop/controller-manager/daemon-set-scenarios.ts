import { change, create, daemonSet, type Scenario, stuck, template, update } from "./scenario.js";
import { pods, type Seen } from "./seen.js";

const KIND = "DaemonSet";
const scheduled =
  (count: number) =>
  ({ daemonSets }: Seen): boolean =>
    daemonSets.every(
      ({ status }) => status?.desiredNumberScheduled === count && (status.numberAvailable ?? 0) === count,
    );
const updated =
  (count: number) =>
  ({ daemonSets }: Seen): boolean =>
    daemonSets.every(({ status }) => (status?.updatedNumberScheduled ?? 0) === count && status?.numberAvailable === 3);
const tolerating = (image: string) =>
  template(image, { tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }] });

export const daemonSetScenarios: readonly Scenario[] = [
  {
    title: "a DaemonSet has a pod on each node without a taint",
    steps: [{ act: create(daemonSet()), until: scheduled(3) }],
  },
  {
    title: "a DaemonSet that tolerates a taint",
    steps: [{ act: create(daemonSet({ template: tolerating("web:1") })), until: scheduled(4) }],
  },
  {
    title: "a DaemonSet follows the labels that it selects nodes by",
    steps: [
      {
        act: create(daemonSet({ template: template("web:1", { nodeSelector: { disk: "fast" } }) })),
        until: scheduled(0),
      },
      {
        async act({ patch }) {
          await patch("Node", "node-1", { metadata: { labels: { disk: "fast" } } });
          await patch("Node", "node-2", { metadata: { labels: { disk: "fast" } } });
        },
        until: scheduled(2),
      },
      {
        act: ({ patch }) => patch("Node", "node-1", { metadata: { labels: { disk: null } } }),
        until: (seen) => scheduled(1)(seen) && seen.pods.length === 1,
      },
    ],
  },
  {
    title: "a DaemonSet with node affinity",
    steps: [
      {
        act: create(
          daemonSet({
            template: template("web:1", {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [
                      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn", values: ["node-2"] }] },
                    ],
                  },
                },
              },
            }),
          }),
        ),
        until: scheduled(2),
      },
    ],
  },
  {
    title: "a rolling update of a DaemonSet",
    steps: [{ act: create(daemonSet()), until: scheduled(3) }, { act: update(KIND, "web:2") }],
  },
  {
    title: "a rolling update with two pods unavailable",
    steps: [
      {
        act: create(daemonSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } })),
        until: scheduled(3),
      },
      { act: update(KIND, "web:2") },
    ],
  },
  {
    title: "an update on deletion of a DaemonSet's pod",
    steps: [
      { act: create(daemonSet({ updateStrategy: { type: "OnDelete" } })), until: scheduled(3) },
      { act: update(KIND, "web:2"), until: updated(0) },
      {
        async act({ seen, delete: remove }) {
          const first = seen.pods.find(({ spec }) => spec?.nodeName === "node-1");
          await remove("Pod", first?.metadata?.name ?? "");
        },
        until: updated(1),
      },
    ],
  },
  {
    title: "a DaemonSet whose nodes no longer fit",
    steps: [
      { act: create(daemonSet()), until: scheduled(3) },
      { act: change(KIND, { template: stuck() }), until: (seen) => scheduled(0)(seen) && pods(0, 0)(seen) },
    ],
  },
  {
    title: "a rollback of a DaemonSet makes an old revision the newest",
    steps: [
      { act: create(daemonSet()), until: scheduled(3) },
      { act: update(KIND, "web:2") },
      { act: update(KIND, "web:1") },
    ],
  },
  {
    title: "the history limit of a DaemonSet",
    steps: [
      { act: create(daemonSet({ revisionHistoryLimit: 1 })), until: scheduled(3) },
      { act: update(KIND, "web:2") },
      { act: update(KIND, "web:3") },
      { act: update(KIND, "web:4"), until: ({ revisions }) => revisions.length === 2 },
    ],
  },
  {
    title: "a deleted pod of a DaemonSet is replaced",
    steps: [
      { act: create(daemonSet()), until: scheduled(3) },
      {
        async act({ seen, delete: remove }) {
          await remove("Pod", seen.pods[0]?.metadata?.name ?? "");
        },
        until: (seen) => scheduled(3)(seen) && pods(3, 3)(seen),
      },
    ],
  },
];
