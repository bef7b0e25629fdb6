import { deferred } from "../../src/base/async/deferred.js";
import type { Transport } from "../../src/client/transport/transport.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

export interface SeenEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** What a watch shows, in order, while it runs. */
export interface Watching extends AsyncDisposable {
  readonly events: readonly SeenEvent[];
  /** Resolves when an object of this resourceVersion was seen. Rejects when the watch ends before. */
  seen(resourceVersion: string): Promise<void>;
}

/** Watches `path` ("/api/v1/namespaces/default/configmaps?fieldSelector=...") from a resourceVersion on. */
export async function watchEvents(transport: Transport, path: string, resourceVersion: string): Promise<Watching> {
  const stop = new AbortController();
  const events: SeenEvent[] = [];
  const versions = new Set<string>();
  let changed = deferred<void>();
  const response = await transport.send({
    method: "GET",
    path: `${path}${path.includes("?") ? "&" : "?"}watch=true&resourceVersion=${resourceVersion}`,
    headers: { accept: "application/json" },
    signal: stop.signal,
  });
  if (response.status !== 200) throw new Error(`the watch was answered with ${response.status}`);
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line) as SeenEvent;
        events.push(event);
        versions.add(event.object.metadata?.resourceVersion ?? "");
      }
      changed.resolve();
      changed = deferred();
    }
  };
  let ended = false;
  const reading = read()
    .catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    })
    .finally(() => {
      ended = true;
      changed.resolve();
    });
  return {
    events,
    async seen(wanted) {
      while (!versions.has(wanted)) {
        if (ended) throw new Error(`the watch ended before it showed ${wanted}`);
        await changed.promise;
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await reading;
    },
  };
}
