import { isNotFound } from "../machinery/errors/status-error.js";

/** What a request answers; undefined when it is answered with NotFound. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
