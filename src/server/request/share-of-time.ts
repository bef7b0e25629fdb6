/**
 * The share of a request's remaining time that a user's code, such as a filter or an admission plugin, may take. Code that takes
 * longer is reported as the cause, in the time that is left.
 */
export const SHARE_OF_TIME = 0.9;
