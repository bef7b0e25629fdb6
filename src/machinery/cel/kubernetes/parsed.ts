import { spendSteps } from "../values/meter.js";
import { ErrorValue } from "../values/value.js";

/** What reading the shortest text takes, and what the error of a wrong one takes beside that. */
const STEPS = 20;
const STEPS_OF_FAILURE = 200;

/** What a parser makes of a text; the message of the error with which it refuses the text. Errors of other classes pass through. */
export function parsed<T>(
  text: string,
  parse: (text: string) => T,
  refusal: abstract new (...args: never[]) => Error,
  message: (problem: string) => string = (problem) => problem,
): T | ErrorValue {
  spendSteps(STEPS + text.length);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    spendSteps(STEPS_OF_FAILURE);
    return new ErrorValue(message(error.message));
  }
}
