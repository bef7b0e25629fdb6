import type { SchedulerHandle, SchedulerPlugin } from "../framework/plugin.js";
import { PLUGIN } from "./names.js";

/** Binds pods by the binding subresource. */
export function defaultBinder({ client, signal }: SchedulerHandle): SchedulerPlugin {
  const { rest } = client;
  return {
    name: PLUGIN.defaultBinder,
    events: [],
    async bind(_state, { namespace, name, uid }, node) {
      const binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name, namespace, uid },
        target: { kind: "Node", name: node },
      };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
      await rest.request({ method: "POST", path, body: Buffer.from(JSON.stringify(binding)), signal });
      return undefined;
    },
  };
}
