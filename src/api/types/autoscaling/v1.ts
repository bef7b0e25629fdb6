// Made by tools/generate-api-types.mjs of the API facts.
import type { Int64, ListMeta, ObjectMeta, Time } from "../meta/v1.js";

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

/** HorizontalPodAutoscaler of autoscaling/v1, since Kubernetes 1.2. Namespaced; resource `horizontalpodautoscalers`. */
export interface HorizontalPodAutoscaler {
  kind?: "HorizontalPodAutoscaler";
  apiVersion?: "autoscaling/v1";
  metadata?: ObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: HorizontalPodAutoscaler[];
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: Int64;
  lastScaleTime?: Time;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number;
}

export interface Scale {
  kind?: "Scale";
  apiVersion?: "autoscaling/v1";
  metadata?: ObjectMeta;
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string;
}
