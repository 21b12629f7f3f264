/**
 * Check of the way to the cloud service.
 *
 * @module
 */

import { regionWords } from "../aws/settings.ts";
import { type CloudChoice, connectToAws } from "../cloud/connection.ts";
import type { Context } from "../context.ts";
import type { Check } from "./check.ts";

/** Asks the service for one page of endpoints: that takes credentials, a region and a permission. */
export async function cloudCheck(
  choice: CloudChoice,
  host: Pick<Context, "cwd" | "env" | "aws">,
): Promise<Check> {
  const sagemaker = await (await connectToAws(choice, host)).sagemaker();
  const pages = sagemaker.listEndpoints({});
  await pages.next();
  await pages.return(undefined);
  const region = regionWords(sagemaker.region);
  return {
    name: "cloud",
    status: "ok",
    message: `The service takes the credentials, and may be asked in ${region}`,
  };
}
