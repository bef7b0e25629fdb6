import { describe, expect, it } from "vitest";
import { create, type CreateRow, rowName } from "./workload-kinds.js";

const DEPLOYMENT_ROWS: readonly CreateRow[] = [
  [{}, []],
  [
    { selector: null },
    [
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [{ selector: {} }, ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]],
  [
    { selector: { matchLabels: { app: "y" } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    { selector: { matchLabels: { app: "x y" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.selector: Invalid value: {"matchLabels":{"app":"x y"}}: invalid label selector',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }, []],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid label selector',
    ],
  ],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "Bad" }] } },
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Bad"}]}: invalid label selector',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["z"] }] } }, []],
  [
    { selector: { matchLabels: { "a b": "x" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.selector: Invalid value: {"matchLabels":{"a b":"x"}}: invalid label selector',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 },
      },
    },
    ["spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [] } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { template: { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    [
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
      },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
      },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
        },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
      },
    },
    [],
  ],
  [{ template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } } }, []],
  [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [{ replicas: -1 }, ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]],
  [{ revisionHistoryLimit: -1 }, ["spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"]],
  [
    { progressDeadlineSeconds: 0 },
    ["spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"],
  ],
  [
    { progressDeadlineSeconds: 5, minReadySeconds: 5 },
    ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"],
  ],
  [
    { progressDeadlineSeconds: -1 },
    [
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds",
    ],
  ],
  [{ strategy: { type: "Recreate" } }, []],
  [
    { strategy: { type: "Recreate", rollingUpdate: {} } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    { strategy: { type: "Blue" } },
    [
      'spec.strategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: -1 } } },
    ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "101%" } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "abc" } } },
    [
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"abc\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: "0%" } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    { strategy: { rollingUpdate: { maxSurge: -1 } } },
    ["spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ strategy: { rollingUpdate: { maxSurge: "200%" } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: "50%", maxSurge: 0 } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "10%" } } }, []],
];

const REPLICA_SET_ROWS: readonly CreateRow[] = [
  [{}, []],
  [
    { selector: null },
    [
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [{ selector: {} }, ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]],
  [
    { selector: { matchLabels: { app: "y" } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    { selector: { matchLabels: { app: "x y" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.selector: Invalid value: {"matchLabels":{"app":"x y"}}: invalid label selector',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }, []],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid label selector',
    ],
  ],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "Bad" }] } },
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Bad"}]}: invalid label selector',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["z"] }] } }, []],
  [
    { selector: { matchLabels: { "a b": "x" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.selector: Invalid value: {"matchLabels":{"a b":"x"}}: invalid label selector',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 },
      },
    },
    ["spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [] } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { template: { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    [
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
      },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
      },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
        },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
      },
    },
    [],
  ],
  [{ template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } } }, []],
  [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [{ replicas: -1 }, ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]],
];

const DAEMON_SET_ROWS: readonly CreateRow[] = [
  [{}, []],
  [
    { selector: null },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [{ selector: {} }, ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"]],
  [
    { selector: { matchLabels: { app: "y" } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    { selector: { matchLabels: { app: "x y" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }, []],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "Bad" }] } },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator'],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["z"] }] } }, []],
  [
    { selector: { matchLabels: { "a b": "x" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 },
      },
    },
    ["spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [] } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { template: { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    [
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
      },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
      },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
        },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
      },
    },
    [],
  ],
  [{ template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } } }, []],
  [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [{ revisionHistoryLimit: -1 }, ["spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0"]],
  [{ updateStrategy: { type: "OnDelete" } }, []],
  [
    { updateStrategy: { type: "Blue" } },
    [
      'spec.updateStrategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: -1 } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "101%" } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "abc" } } },
    [
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"abc\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: "0%" } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: -1 } } },
    [
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0",
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: may not be set when maxUnavailable is non-zero",
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: "200%" } } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "200%": must not be greater than 100%',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "200%": may not be set when maxUnavailable is non-zero',
    ],
  ],
  [{ updateStrategy: { rollingUpdate: { maxUnavailable: "50%", maxSurge: 0 } } }, []],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
  ],
  [{ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "10%" } } }, []],
];

const STATEFUL_SET_ROWS: readonly CreateRow[] = [
  [{}, []],
  [
    { selector: null },
    [
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [{ selector: {} }, ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"]],
  [
    { selector: { matchLabels: { app: "y" } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    { selector: { matchLabels: { app: "x y" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.selector: Invalid value: {"matchLabels":{"app":"x y"}}',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }, []],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}',
    ],
  ],
  [
    { selector: { matchExpressions: [{ key: "app", operator: "Bad" }] } },
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Bad"}]}',
    ],
  ],
  [{ selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["z"] }] } }, []],
  [
    { selector: { matchLabels: { "a b": "x" } } },
    [
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.selector: Invalid value: {"matchLabels":{"a b":"x"}}',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 },
      },
    },
    ["spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [] } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { template: { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    [
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
      },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
      },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
        },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
      },
    },
    [],
  ],
  [{ template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } } }, []],
  [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [{ replicas: -1 }, ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]],
  [
    { revisionHistoryLimit: -1 },
    [],
    ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"],
  ],
  [
    { podManagementPolicy: "Chaos" },
    ["spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [{ podManagementPolicy: "Parallel" }, []],
  [{ updateStrategy: { type: "OnDelete" } }, []],
  [
    { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
  ],
  [
    { updateStrategy: { type: "Blue" } },
    [
      'spec.updateStrategy: Invalid value: {"Type":"Blue","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { partition: -1 } } },
    ["spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ updateStrategy: { type: "RollingUpdate" } }, []],
  [
    { serviceName: "S" },
    [
      "spec.serviceName: Invalid value: \"S\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ serviceName: "a.b" }, ['spec.serviceName: Invalid value: "a.b": must not contain dots']],
  [{ ordinals: { start: -1 } }, ["spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"]],
  [{ ordinals: { start: 3 } }, []],
  [
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep" } },
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ],
  ],
  [{ persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }, []],
  [
    { volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] },
    [
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ],
  ],
  [
    {
      volumeClaimTemplates: [
        {
          metadata: { name: "d" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "d", mountPath: "/d" }] }] },
      },
    },
    [],
  ],
  [
    {
      volumeClaimTemplates: [
        { metadata: { name: "d" }, spec: { accessModes: ["X"], resources: { requests: { storage: "-1Gi" } } } },
      ],
    },
    [
      'spec.volumeClaimTemplates[0].spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], hostname: "A!" },
      },
    },
    [],
  ],
];

const REPLICATION_CONTROLLER_ROWS: readonly CreateRow[] = [
  [{}, []],
  [
    { selector: { app: "y" } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [{ replicas: -1 }, ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]],
  [{ minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [{ template: null }, ["spec.template: Required value"]],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 },
      },
    },
    [
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
    ],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [] } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    { template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
      },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
      },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
        },
      },
    },
    [],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
      },
    },
    [],
  ],
  [{ template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } } }, []],
];

const POD_TEMPLATE_ROWS: readonly CreateRow[] = [
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } },
    [],
  ],
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 } },
    [],
  ],
  [{ metadata: { labels: { app: "x" } }, spec: { containers: [] } }, ["template.spec.containers: Required value"]],
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } },
    [
      "template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    [
      "template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    [
      "template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
    },
    ["template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
    },
    [
      "template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
    },
    [],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
      },
    },
    [],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
    },
    [],
  ],
  [{ metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } }, []],
];

describe("workloads", () => {
  it.each(DEPLOYMENT_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a Deployment's spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("deployment", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(REPLICA_SET_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a ReplicaSet's spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("replicaSet", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(DAEMON_SET_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a DaemonSet's spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("daemonSet", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(STATEFUL_SET_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a StatefulSet's spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("statefulSet", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(REPLICATION_CONTROLLER_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a ReplicationController's spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("replicationController", fields)).toEqual({ errors, warnings });
    },
  );
  it.each(POD_TEMPLATE_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "a PodTemplate's template: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("podTemplate", fields)).toEqual({ errors, warnings });
    },
  );
});
