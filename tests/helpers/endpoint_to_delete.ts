import { Box } from "./box/box.ts";
import { type InProcessOptions, runCloudInProcess } from "./in_process.ts";
import type { ProgramResult } from "./program.ts";

export const ALL = ["--delete-config", "--delete-model"];
export const CONFIGURATION_BY_HAND = "aws sagemaker delete-endpoint-config --endpoint-config-name";
export const MODEL_BY_HAND = "aws sagemaker delete-model --model-name";
export const OURS = [{ Key: "mlcli.endpoint", Value: "shop" }];

/** Runs `delete-endpoint -n shop`, or of another endpoint where `-n` is among the arguments. */
export function run(
  box: Box,
  args: readonly string[],
  more: Partial<InProcessOptions> = {},
): Promise<ProgramResult> {
  const name = args.includes("-n") ? [] : ["-n", "shop"];
  const line = ["delete-endpoint", ...name, ...args];
  return runCloudInProcess(box, line, more);
}

/** What `deploy` leaves: an endpoint with a configuration and a model. */
export async function deployed(): Promise<Box> {
  const box = await Box.open();
  box.endpoints.add("shop", { model: "shop-mlcli", settings: { Tags: OURS } });
  return box;
}

/** The same after an update whose end nobody saw: both configurations, both models. */
export async function updated(): Promise<Box> {
  const box = await deployed();
  const { endpoints } = box;
  const old = endpoints.endpoint("shop").current;
  endpoints.addModel("shop-mlcli-2", endpoints.models.get("shop-mlcli")!.request);
  const configuration = endpoints.addConfiguration("shop-config-2", {
    ProductionVariants: [{ VariantName: "AllTraffic", ModelName: "shop-mlcli-2" }],
    Tags: OURS,
  });
  endpoints.endpoint("shop").current = { ...old, configuration };
  return box;
}

/** All that there is, by name. */
export function remains({ endpoints }: Box): string[] {
  const { endpoints: all, configurations, models } = endpoints;
  return [
    ...[...all.values()].map(({ name, status }) => `${name} ${status}`),
    ...configurations.keys(),
    ...models.keys(),
  ];
}

/** What `remains` says of `shop` once its deletion has begun. */
export const GOING = "shop Deleting";

/** What the platform was asked to delete, in order. */
export function deletions(box: Box): readonly string[] {
  return box.operations.flatMap((name) => /:(Delete.*)/.exec(name)?.[1] ?? []);
}
