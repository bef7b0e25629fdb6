/** Leader election: one leader among the processes of an operator. */
export { LEADER_ANNOTATION, type LeaderElectionRecord, readElectionRecord } from "./lease-lock.js";
export { type ElectionEvents, LeaderElector, type LeaderElectorOptions } from "./leader-elector.js";
export { isLeadershipLost, LeadershipLostError } from "./leadership-term.js";
