/** Names an object in the graph. No resource, namespace or name has a space. */
export const keyOf = (resource: string, namespace: string, name: string): string => `${resource} ${namespace} ${name}`;
