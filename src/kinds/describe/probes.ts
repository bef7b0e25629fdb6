import type { HTTPGetAction, Probe } from "../../api/types/core/v1.js";
import { absent, list, number, object, type Received, text } from "../../machinery/meta/received.js";
import { scalar, slice, whole } from "./go-fields.js";

/** "http-get http://:8080/ready delay=0s timeout=1s period=10s #success=1 #failure=3" */
export function probeText(probe: Received<Probe>): string {
  const times = `delay=${whole(probe.initialDelaySeconds)}s timeout=${whole(probe.timeoutSeconds)}s period=${whole(probe.periodSeconds)}s`;
  const counts = `#success=${whole(probe.successThreshold)} #failure=${whole(probe.failureThreshold)}`;
  return `${targetText(probe)} ${times} ${counts}`;
}

function targetText({ exec, httpGet, tcpSocket, grpc }: Received<Probe>): string {
  if (!absent(exec)) return `exec ${slice(list(object(exec).command))}`;
  if (!absent(httpGet)) return `http-get ${urlText(object(httpGet))}`;
  if (!absent(tcpSocket)) {
    const { host, port } = object(tcpSocket);
    return `tcp-socket ${text(host)}:${scalar(port)}`;
  }
  if (!absent(grpc)) return `grpc <pod>:${number(object(grpc).port)} ${text(object(grpc).service)}`;
  return "unknown";
}

/** As Go writes the address: a host without a name is left out, a path escaped. */
function urlText({ scheme, host, port, path }: Received<HTTPGetAction>): string {
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
