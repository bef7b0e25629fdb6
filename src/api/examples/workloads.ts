/** Examples of manifests that can be applied unchanged, by kind, of the groups batch, autoscaling, policy and scheduling.k8s.io. */
export const workloads: Readonly<Record<string, string>> = {
  "batch/CronJob": `apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly-report
spec:
  schedule: "30 2 * * *"
  timeZone: Etc/UTC
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: report
            image: busybox:1.37
            command: ["sh", "-c", "date; echo the report is made"]
`,
  "batch/Job": `apiVersion: batch/v1
kind: Job
metadata:
  name: import
spec:
  completions: 4
  parallelism: 2
  backoffLimit: 3
  ttlSecondsAfterFinished: 3600
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: import
        image: busybox:1.37
        command: ["sh", "-c", "echo imported"]
`,
  "autoscaling/HorizontalPodAutoscaler": `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
  minReplicas: 2
  maxReplicas: 10
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 70
`,
  "policy/PodDisruptionBudget": `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
spec:
  minAvailable: 2
  selector:
    matchLabels:
      app: web
`,
  "scheduling.k8s.io/PriorityClass": `apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: important
value: 100000
preemptionPolicy: PreemptLowerPriority
description: For requests that users wait for.
`,
};
