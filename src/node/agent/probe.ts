import type { ByteStream } from "../../machinery/streaming/byte-stream.js";
import { number, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { ContainerRuntime } from "../container-runtime.js";

/** What a probe asks. */
export interface ProbeTarget {
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  readonly containerId: string;
  readonly container: ReadonlyFields;
}

/** Runs a probe once: a command that succeeds, a port that answers, or an HTTP answer from 200 to 399. */
export async function probeOnce(probe: ReadonlyFields, target: ProbeTarget, signal: AbortSignal): Promise<boolean> {
  const { runtime, podUid, containerId, container } = target;
  try {
    if (probe.exec !== undefined) {
      const command = (object(probe.exec).command as readonly unknown[] | undefined)?.map(text) ?? [];
      return (await runtime.exec(containerId, command, { tty: false, signal })) === 0;
    }
    const { port, path } = object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc);
    const connection = await runtime.dial(podUid, portNumber(port, container));
    try {
      return probe.httpGet === undefined || (await answersHttp(connection, text(path) || "/"));
    } finally {
      connection.destroy();
    }
  } catch {
    return false;
  }
}

/** The port that a probe connects to; undefined for a command. */
export function probedPort(probe: ReadonlyFields, container: ReadonlyFields): number | undefined {
  if (probe.exec !== undefined) return undefined;
  return portNumber(object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc).port, container);
}

function portNumber(port: unknown, container: ReadonlyFields): number {
  if (typeof port === "number") return port;
  return number(objects(container.ports).find((one) => text(one.name) === text(port))?.containerPort);
}

async function answersHttp(connection: ByteStream, path: string): Promise<boolean> {
  await connection.write(
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-probe/1.36\r\nConnection: close\r\n\r\n`),
  );
  let head = "";
  for await (const chunk of connection) {
    head += Buffer.from(chunk).toString("latin1");
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
    if (status !== undefined) return Number(status) >= 200 && Number(status) < 400;
    if (head.length > 64) return false;
  }
  return false;
}
