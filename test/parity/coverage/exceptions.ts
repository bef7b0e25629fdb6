/** Flags for which there can be no line that shows them, and why. */
export interface CoverageException {
  readonly reason: string;
  /** Names of pairs, as "annotate --all" or "any command --as". */
  readonly pairs: readonly string[];
}

const each = (command: string, flags: string): readonly string[] =>
  flags.split(" ").map((flag) => `${command} --${flag}`);

export const coverageExceptions: readonly CoverageException[] = [
  {
    reason: "kubectl declares it and nothing reads it, or what it says is overwritten before it is used",
    pairs: [
      "apply --wait",
      "create --windows-line-endings",
      "create service clusterip --save-config",
      "create service externalname --save-config",
      "create service loadbalancer --save-config",
      "create service nodeport --save-config",
      "events --chunk-size",
      ...each("run", "grace-period kustomize recursive wait"),
    ],
  },
  {
    reason:
      "what the command prints has no managed fields: it is no object that a server keeps, or a text out of an annotation",
    pairs: [
      "api-resources --show-managed-fields",
      "apply edit-last-applied --show-managed-fields",
      "auth whoami --show-managed-fields",
      "config view --show-managed-fields",
      "create token --show-managed-fields",
      "kuberc view --show-managed-fields",
    ],
  },
  {
    reason:
      "it changes how bytes travel, how long an idle connection lives, how many requests are under way at a time, or when a log is written out; not what comes of it",
    pairs: [
      "any command --disable-compression",
      "any command --log-flush-frequency",
      "diff --concurrency",
      "proxy --keepalive",
      "top node --use-protocol-buffers",
      "top pod --use-protocol-buffers",
    ],
  },
  {
    reason:
      "it is about the insides of a Go program: what its source files log, with durations, and a file of its profiler",
    pairs: ["any command --profile-output", "any command --vmodule"],
  },
  {
    reason: "it acts only on a container that run is attached to, and sessions have none that runs",
    pairs: each("run", "detach-keys force quiet timeout"),
  },
  {
    reason: "it acts only on a terminal, and the lines of sessions have none",
    pairs: ["attach --detach-keys"],
  },
  {
    reason: "kustomize's functions and charts need containers, plugin programs or helm, none of which sessions have",
    pairs: each(
      "kustomize",
      "as-current-user env helm-api-versions helm-debug helm-kube-version mount network network-name",
    ),
  },
];
