import type { FlowSchema, FlowSchemaCondition } from "../../api/types/flowcontrol/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";

/** How often a schema's condition is written in a minute; servers that disagree would write without end. */
const MOST_A_MINUTE = 6;
const MINUTE = 60_000;

/** A condition that a FlowSchema should have. */
export type DanglingCondition = Required<Pick<FlowSchemaCondition, "type" | "status" | "reason" | "message">>;

/** Returns the condition that a schema's status lacks: whether its priority level exists. Undefined where the status is up to date. */
export function missingCondition(stored: KubeObject, level: string, exists: boolean): DanglingCondition | undefined {
  const { status } = stored as ReceivedObject<FlowSchema>;
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  const wanted: DanglingCondition = exists
    ? { type: "Dangling", status: "False", reason: "Found", message: `${subject} and it exists` }
    : { type: "Dangling", status: "True", reason: "NotFound", message: `${subject} but there is no such object` };
  const has = objects(object(status).conditions).some(
    (one) =>
      text(one.type) === wanted.type &&
      text(one.status) === wanted.status &&
      text(one.reason) === wanted.reason &&
      text(one.message) === wanted.message,
  );
  return has ? undefined : wanted;
}

/** Writes the conditions of FlowSchemas, each at most six times a minute. */
export class DanglingSchemas {
  readonly #writes = new Map<string, readonly number[]>();

  /** `write` applies the condition to the schema's status, and throws StatusErrors. */
  constructor(
    private readonly now: () => number,
    private readonly write: (name: string, condition: DanglingCondition) => Promise<unknown>,
  ) {}

  /** Writes the conditions by the schemas' names. Returns whether some have to wait. Throws the first error, when all have been tried. */
  async settle(missing: ReadonlyMap<string, DanglingCondition>): Promise<boolean> {
    const errors: unknown[] = [];
    let somethingWaits = false;
    for (const [name, condition] of missing) {
      if (!this.#mayWrite(name)) somethingWaits = true;
      else {
        await this.write(name, condition).catch((error: unknown) => {
          if (!isNotFound(error)) errors.push(error);
        });
      }
    }
    if (errors.length > 0) throw errors[0];
    return somethingWaits;
  }

  #mayWrite(name: string): boolean {
    const now = this.now();
    const lately = (this.#writes.get(name) ?? []).filter((at) => now - at < MINUTE);
    if (lately.length >= MOST_A_MINUTE) return false;
    this.#writes.set(name, [...lately, now]);
    return true;
  }
}
