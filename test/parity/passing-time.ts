import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { ClusterClock } from "../../src/cluster/index.js";

/** Lets time pass while a line of a session runs. */
export interface PassingTime {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on a port of its own for lines that are durations. Answers each with "passed" when the cluster is at rest after it, or with what was wrong. */
export async function servePassingTime(clock: ClusterClock): Promise<PassingTime> {
  const answer = async (connection: Socket): Promise<void> => {
    for await (const duration of createInterface({ input: connection })) {
      const outcome = await clock.advance(duration).then(() => "passed", String);
      connection.write(`${outcome}\n`);
    }
  };
  const server = createServer((connection) => void answer(connection)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: async () => void server.close() };
}
