import type { HTTPGetAction, Container, EphemeralContainer } from "../../../api/types/core/v1.js";
import { objects, type Received, text, number, type OrAbsent } from "../../../machinery/meta/received.js";
import type { ByteStream } from "../../../machinery/wire/streams/byte-stream.js";
import type { IntOrString } from "../../../api/types/meta/v1.js";

/** So long is the beginning of an answer at most. */
const STATUS_LINE = 64;

/** Sends the request of an HTTPGetAction, and resolves with the status code; undefined where the answer is not HTTP. */
export async function httpGet(
  connection: ByteStream,
  { path, host, httpHeaders }: Received<HTTPGetAction>,
  { address, kubeletVersion }: { readonly address: string; readonly kubeletVersion: string },
): Promise<number | undefined> {
  const own = objects(httpHeaders).map(({ name, value }) => [text(name), text(value)] as const);
  const has = (name: string): boolean => own.some(([one]) => one.toLowerCase() === name);
  const headers = [
    ...(has("host") ? [] : [["Host", text(host) || address] as const]),
    ...(has("user-agent") ? [] : [["User-Agent", `kube-probe/${minorOf(kubeletVersion)}`] as const]),
    ...own,
    ["Connection", "close"] as const,
  ];
  const target = text(path).startsWith("/") ? text(path) : `/${text(path)}`;
  const lines = [`GET ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), "", ""];
  await connection.write(Buffer.from(lines.join("\r\n")));
  let head = "";
  for await (const chunk of connection) {
    head += Buffer.from(chunk).toString("latin1");
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
    if (status !== undefined) return Number(status);
    if (head.length > STATUS_LINE) return undefined;
  }
  return undefined;
}

/** "1.36" of "v1.36.3". */
const minorOf = (version: string): string => version.replace(/^v/, "").split(".").slice(0, 2).join(".");

/** Resolves a port by its number, or by the container's name for it; 0 for an unknown name. */
export function portNumber(port: OrAbsent<IntOrString>, container: Received<Container | EphemeralContainer>): number {
  if (typeof port === "number") return port;
  const name = text(port);
  if (/^\d+$/.test(name)) return Number(name);
  return number(objects(container.ports).find((one) => text(one.name) === name)?.containerPort);
}
