/**
 * How much room a model has where SageMaker unpacks it.
 *
 * @module
 */

/** Room for a model. */
export interface ModelRoom {
  /** In bytes. `undefined`: nobody says. */
  readonly bytes: number | undefined;
  /** What has it: `ml.m5.large`, `a serverless endpoint`. */
  readonly words: string;
}

/** Where a model is to be served. */
export interface ServedOn {
  /** `undefined`: serverless. */
  readonly instanceType: string | undefined;
  /** In GB, where the endpoint names one. */
  readonly volumeSize?: number | undefined;
}

/** The room on an instance type, or of a serverless endpoint. */
export function roomFor({ instanceType, volumeSize }: ServedOn): ModelRoom {
  if (instanceType === undefined) return { bytes: 5 * 1024 ** 3, words: "a serverless endpoint" };
  return { bytes: (volumeSize ?? 30) * 1024 ** 3, words: instanceType };
}
