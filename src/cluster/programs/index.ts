import type { Component } from "../../component/component.js";

/** The name of a program in its help, and the text that its --version prints. */
export interface ProgramNames {
  readonly program: string;
  readonly version: string;
}

export async function loadControllerManager({ program, version }: ProgramNames): Promise<Component> {
  return (await import("../controller-manager/component.js")).controllerManager(program, version);
}

export async function loadScheduler({ program, version }: ProgramNames): Promise<Component> {
  return (await import("../scheduler/component.js")).kubeScheduler(program, version);
}

export async function loadNodes({ program, version }: ProgramNames): Promise<Component> {
  return (await import("../node/component.js")).simulatedNodes(program, version);
}
