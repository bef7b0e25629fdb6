/**
 * How much of the time that a request has left code from outside the server may take, such as a filter or an admission plugin.
 * What takes longer is at fault, and the rest of the time is for saying so.
 */
export const SHARE_OF_TIME = 0.9;
