/**
 * The processors of SageMaker's instance types.
 *
 * @module
 */

/** Architectures, as images name them. */
export type Architecture = "amd64" | "arm64";

/**
 * Which images an instance type runs: `ml.m5.xlarge`, `ml.c7g.large`. Graviton's families have a `g`
 * among the letters after their generation, and Grace's a part `gb`; `a1` was the first Graviton
 * (EC2 user guide, "Amazon EC2 instance type naming conventions"). A type that mlcli has not heard
 * of follows the same convention.
 */
export function architectureOf(instanceType: string): Architecture {
  const [, family = ""] = /^(?:ml\.)?([^.]+)/.exec(instanceType) ?? [];
  return /^a1$|^[a-z]+\d+[a-z]*g|-gb\d/.test(family) ? "arm64" : "amd64";
}

/**
 * Whether an instance type has processors for models beside its own, which this machine may not have:
 * GPUs (g, gr, p), Inferentia and Trainium (the same page).
 */
export function isAccelerated(instanceType: string): boolean {
  const [, family = ""] = /^(?:ml\.)?([^.]+)/.exec(instanceType) ?? [];
  return /^(g|gr|p|inf|trn|dl)\d/.test(family);
}
