import { expect } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type Answer, call } from "./api-caller.js";

export const MERGE = "application/merge-patch+json";
export const PODS = "/api/v1/namespaces/default/pods";

/** Expects that a request is refused with a status and exactly this message. */
export async function expectRefused(answer: Promise<Answer>, message: string, status = 403): Promise<void> {
  const { at, status: code, text } = await answer;
  expect([code, at("message")], text).toEqual([status, message]);
}

/** Expects that a request is let pass, and answers what came of it. */
export async function expectTaken(answer: Promise<Answer>): Promise<Answer> {
  const taken = await answer;
  expect(taken.status, taken.text).toBeLessThan(300);
  return taken;
}

/** {@link expectTaken} where the message is "", else {@link expectRefused}. */
export async function expectAnswer(answer: Promise<Answer>, message: string, status = 403): Promise<void> {
  await (message === "" ? expectTaken(answer) : expectRefused(answer, message, status));
}

export const create = (api: Transport, path: string, body: unknown): Promise<Answer> => call(api, "POST", path, body);
/** A create of which nothing stays. */
export const tryCreate = (api: Transport, path: string, body: unknown): Promise<Answer> =>
  call(api, "POST", `${path}?dryRun=All`, body);
export const merge = (api: Transport, path: string, body: unknown): Promise<Answer> =>
  call(api, "PATCH", path, body, { type: MERGE });
export const tryMerge = (api: Transport, path: string, body: unknown): Promise<Answer> =>
  merge(api, `${path}?dryRun=All`, body);

/** A pod of one container. */
export const podOf = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
