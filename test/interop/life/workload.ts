import type { KubeObject } from "../../../src/machinery/meta/object.js";

/** A Deployment that writes a line when it starts, and waits. Its pods end at once when they are deleted. */
export const workload = (name: string, replicas: number, spec: object = {}): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      ...spec,
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name: "main",
              image: "example.org/web:1",
              command: ["sh", "-c", "echo hello from $(hostname); sleep 1h"],
            },
          ],
        },
      },
    },
  }) as KubeObject;
