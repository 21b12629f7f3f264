import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import { inOneLine } from "../../text.ts";
import { inParallel, REQUESTS_AT_ONCE } from "../in_parallel.ts";
import type { WaitingHost } from "../connection.ts";
import { modelsOf, type Part } from "./parts.ts";

export type LookHost = Pick<WaitingHost, "messages" | "waiting">;

/**
 * Finds other endpoints that use these configurations and models, because SageMaker would delete them anyway.
 * Prints a note for each check that the permissions do not cover.
 *
 * @param endpoint the owner of the parts, which does not count.
 * @returns the names of a part's users, sorted.
 */
export async function findOtherUsers(
  parts: readonly Part[],
  endpoint: string,
  { messages, waiting }: LookHost,
  sagemaker: Pick<
    SageMaker,
    "listEndpoints" | "describeEndpoint" | "describeEndpointConfiguration"
  >,
): Promise<(part: Part) => readonly string[]> {
  const what = parts.map(({ name }) => inOneLine(name)).join(" and ");
  const users = new Map<Part, string[]>(parts.map((part) => [part, []]));
  const models = new Map<string, Promise<readonly string[]>>();
  let asked = 0;
  let denials = 0;
  let denial: AwsError | undefined;
  const modelsIn = (configuration: string): Promise<readonly string[]> => {
    const found = models.get(configuration) ??
      sagemaker.describeEndpointConfiguration(configuration).then(modelsOf);
    models.set(configuration, found);
    return found;
  };
  const add = (kind: Part["kind"], used: readonly string[], by: string): void => {
    for (const part of parts) {
      if (part.kind === kind && used.includes(part.name)) users.get(part)!.push(by);
    }
  };
  async function ask(name: string): Promise<void> {
    waiting.show(`Checking whether other endpoints use ${what}: ${++asked} checked`);
    try {
      const { configuration, pendingConfiguration } = await sagemaker.describeEndpoint(name);
      const used = [...new Set([configuration, pendingConfiguration ?? ""])]
        .filter((one) => one !== "");
      add("configuration", used, name);
      if (parts.every(({ kind }) => kind !== "model")) return;
      add("model", (await Promise.all(used.map(modelsIn))).flat(), name);
    } catch (error) {
      // Deleted since it was listed.
      if (isRefusal(error, "not found")) return;
      if (!isRefusal(error, "denied")) throw error;
      denials++;
      denial = error;
    }
  }
  try {
    await inParallel(othersThan(endpoint, sagemaker), REQUESTS_AT_ONCE, ask);
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    denial = error;
  }
  if (denial && [...users.values()].every((names) => names.length === 0)) {
    const which = denials > 1 ? `any of ${denials} endpoints` : "another endpoint";
    messages.note(`Cannot check whether ${which} uses ${what}: ${denial.message}`);
  }
  return (part) => users.get(part)!.toSorted();
}

export function inUseError(
  { kind, name }: Part,
  users: readonly string[],
  remedy: string,
): AwsError {
  const what = kind === "model" ? "model" : "endpoint config";
  return new AwsError(
    "other",
    `Cannot delete ${what}, still in use: ${name} (by ${users.map(inOneLine).join(", ")})`,
    { hint: `Nothing was deleted. ${remedy}` },
  );
}

/** All endpoints except one and those being deleted, which do not need their parts any more. */
async function* othersThan(
  endpoint: string,
  sagemaker: Pick<SageMaker, "listEndpoints">,
): AsyncGenerator<string> {
  for await (const page of sagemaker.listEndpoints({})) {
    for (const { name, status } of page) {
      if (name !== endpoint && status !== "Deleting") yield name;
    }
  }
}
