import type { ByteStream } from "../../src/machinery/wire/streams/byte-stream.js";
import { pod, streamingCluster } from "../helpers/streaming-cluster.js";
import { describeChecks } from "./foreign-checks.js";

/** Runs a program that enters the pod "web", in "default", whose port 7 sends back what comes. */
export function describeForeignStreams(
  title: string,
  command: readonly string[] | undefined,
  checks: readonly string[],
): void {
  describeChecks(title, {
    command,
    checks,
    start: async () => {
      const shared = await streamingCluster([pod("web", [{ name: "main", image: "shell" }])], {
        shell: { ports: { 7: echo } },
      });
      return {
        kubeconfig: shared.cluster.kubeconfig(),
        [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
      };
    },
  });
}

async function echo(connection: ByteStream): Promise<void> {
  for await (const chunk of connection) await connection.write(chunk);
  await connection.end();
}
