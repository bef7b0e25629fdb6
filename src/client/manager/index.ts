export {
  Controller,
  type ControllerStatus,
  type Reconciler,
  type Reconciliation,
  type ReconcileResult,
} from "./controller.js";
export { ControllerBuilder, type Watched } from "./controller-builder.js";
export { Manager, type ManagerOptions } from "./manager.js";
export { describeProblem, type Problem } from "./problem.js";
