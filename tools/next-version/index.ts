export { report } from "./report.js";
export { undecided } from "./undecided.js";
