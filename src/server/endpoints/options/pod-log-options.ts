import { type FieldError, forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { badRequest, invalid } from "../../../machinery/errors/status-error.js";
import { canonicalizeTime, TimeParseError } from "../../../machinery/text/go/go-time.js";

/** v1 PodLogOptions of a query. */
export interface PodLogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** RFC 3339, whole seconds, in UTC. */
  readonly sinceTime?: string | undefined;
  readonly sinceSeconds?: bigint | undefined;
  readonly tailLines?: bigint | undefined;
  readonly limitBytes?: bigint | undefined;
}

/** Reads PodLogOptions. Throws 400 for values that cannot be parsed, 422 for invalid ones. The error names `pod`. */
export function podLogOptions(query: URLSearchParams, pod: string): PodLogOptions {
  const options: PodLogOptions = {
    container: query.get("container") ?? "",
    follow: flag(query.get("follow")),
    previous: flag(query.get("previous")),
    timestamps: flag(query.get("timestamps")),
    sinceTime: time(query.get("sinceTime")),
    sinceSeconds: integer(query.get("sinceSeconds")),
    tailLines: integer(query.get("tailLines")),
    limitBytes: integer(query.get("limitBytes")),
  };
  const errors = problems(options);
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
  return options;
}

function problems({ tailLines, limitBytes, sinceSeconds, sinceTime }: PodLogOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n) {
    errors.push(invalidValue("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1n) {
    errors.push(invalidValue("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1n) {
    errors.push(invalidValue("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  return errors;
}

function integer(value: string | null): bigint | undefined {
  if (value === null) return undefined;
  const fault = (reason: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${reason}`);
  if (!/^[+-]?\d+$/.test(value)) throw fault("invalid syntax");
  const number = BigInt(value.replace(/^\+/, ""));
  if (BigInt.asIntN(64, number) !== number) throw fault("value out of range");
  return number;
}

function time(value: string | null): string | undefined {
  if (value === null || value === "") return undefined;
  try {
    return canonicalizeTime(value);
  } catch (error) {
    if (error instanceof TimeParseError) throw badRequest(error.message);
    throw error;
  }
}

/** Reads a boolean of the query as apimachinery does: any value but "false" and "0" is true. */
export const flag = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== "false" && value !== "0";
