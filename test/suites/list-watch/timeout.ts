import { row } from "./runner/row.js";
import { create, events, lastEventsOf, touch, watch } from "./runner/steps.js";

const SECOND = "timeoutSeconds=1";
const STREAMED = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

export const timeoutRows = [
  row(
    // One row, because each waits for a real second. It is too short for a last bookmark.
    "timeoutSeconds ends a watch without a word, whether nothing happened, something did, or it is a streamed list",
    create("a"),
    watch(`configmaps?watch=true&resourceVersion={now}&labelSelector=none&${SECOND}`, { name: "quiet" }),
    watch(`configmaps?watch=true&resourceVersion={now}&allowWatchBookmarks=true&${SECOND}`, { name: "busy" }),
    watch(`configmaps?watch=true&${STREAMED}&${SECOND}`, { name: "streamed" }),
    touch("a"),
    lastEventsOf("quiet"),
    lastEventsOf("busy", "MODIFIED a@{a:2}"),
    lastEventsOf("streamed", "ADDED a@{a}", "BOOKMARK @{a} end", "MODIFIED a@{a:2}"),
  ),
  row(
    "timeoutSeconds=0 is the server's own choice",
    watch("configmaps?watch=true&resourceVersion={now}&timeoutSeconds=0"),
    create("a"),
    events("ADDED a@{a}"),
  ),
];
