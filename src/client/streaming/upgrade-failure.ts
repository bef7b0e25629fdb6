import type { FieldsOf } from "../../machinery/meta/received.js";
import { type Status, StatusError } from "../../machinery/errors/status-error.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { UpgradeAnswer } from "../transport/transport.js";

/** The server, or a proxy before it, rejected a WebSocket's handshake. A client then tries SPDY. */
export class UpgradeFailure extends Error {
  override readonly name = "UpgradeFailure";

  /** `reason` has client-go's words, or is the StatusError of the answer. */
  constructor(reason: Error) {
    super(`unable to upgrade streaming request: ${reason.message}`, { cause: reason });
  }
}

/** Makes the error of a rejected WebSocket handshake. */
export function badHandshake(answer: UpgradeAnswer): UpgradeFailure {
  const status = statusOf(answer);
  if (status !== undefined) return new UpgradeFailure(status);
  const text = textOf(answer);
  const cause = `websocket: bad handshake (${answer.statusLine})`;
  return new UpgradeFailure(new Error(text === "" ? cause : `${cause}: ${text}`));
}

/** Makes the error of a rejected upgrade to SPDY: with the message of a Status, or with the whole text. */
export function refusedUpgrade(answer: Pick<UpgradeAnswer, "body">): Error {
  const text = textOf(answer);
  return new Error(`unable to upgrade connection: ${messageOf(text) ?? (text || "empty server response")}`);
}

/** The message of a JSON object, whatever its kind. */
function messageOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const message = isJsonObject(value) ? value["message"] : undefined;
    return typeof message === "string" && message !== "" ? message : undefined;
  } catch {
    return undefined;
  }
}

const textOf = ({ body }: Pick<UpgradeAnswer, "body">): string => Buffer.from(body).toString("utf8").trim();

/** The Status that an answer holds. */
function statusOf(answer: UpgradeAnswer): StatusError | undefined {
  let value: unknown;
  try {
    value = JSON.parse(textOf(answer));
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const status: FieldsOf<Status> = value;
  if (status.kind !== "Status" || status.apiVersion !== "v1") return undefined;
  return new StatusError(status as Status);
}
