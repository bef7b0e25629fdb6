import { list, number, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { scalar, slice, whole } from "./go-fields.js";

/** "http-get http://:8080/ready delay=0s timeout=1s period=10s #success=1 #failure=3" */
export function probeText(probe: ReadonlyFields): string {
  const times = `delay=${whole(probe.initialDelaySeconds)}s timeout=${whole(probe.timeoutSeconds)}s period=${whole(probe.periodSeconds)}s`;
  const counts = `#success=${whole(probe.successThreshold)} #failure=${whole(probe.failureThreshold)}`;
  return `${targetText(probe)} ${times} ${counts}`;
}

function targetText({ exec, httpGet, tcpSocket, grpc }: ReadonlyFields): string {
  if (exec !== undefined) return `exec ${slice(list(object(exec).command))}`;
  if (httpGet !== undefined) return `http-get ${urlText(object(httpGet))}`;
  if (tcpSocket !== undefined) {
    const { host, port } = object(tcpSocket);
    return `tcp-socket ${text(host)}:${scalar(port)}`;
  }
  if (grpc !== undefined) return `grpc <pod>:${number(object(grpc).port)} ${text(object(grpc).service)}`;
  return "unknown";
}

/** As Go writes the address: a host without a name is left out, a path escaped. */
function urlText({ scheme, host, port, path }: ReadonlyFields): string {
  const [name, portText] = [text(host), scalar(port)];
  const bracketed = /[:%]/.test(name) ? `[${name}]` : name;
  const authority = portText === "" ? name : `${bracketed}:${portText}`;
  const escaped = escapePath(text(path));
  const slash = escaped !== "" && !escaped.startsWith("/") && authority !== "" ? "/" : "";
  return `${text(scheme).toLowerCase()}://${authority}${slash}${escaped}`;
}

const escapePath = (path: string): string =>
  path === "*" ? path : path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/gu, percentEncoded);

const percentEncoded = (characters: string): string =>
  [...new TextEncoder().encode(characters)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
