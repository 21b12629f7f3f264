/**
 * `list-endpoints`: the endpoints of an account and region.
 *
 * @module
 */

import type { EndpointFilter } from "../../aws/sagemaker_endpoints.ts";
import type { Setting } from "../../aws/settings.ts";
import { checkNamePart } from "../../contract/names.ts";
import { type ListedEndpoint, MachinesOfEndpoints } from "./machines.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "../connection.ts";

/** Which endpoints to list. */
export interface EndpointListing {
  readonly choice: CloudChoice;
  readonly filter: EndpointFilter;
  /** Find out what they run on, too, which takes two requests for each. */
  readonly withMachines: boolean;
}

/** Endpoints, page by page, as they come. */
export interface EndpointPages {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Newest first; the next page is asked for when it is wanted. */
  readonly pages: AsyncIterable<readonly ListedEndpoint[]>;
}

/**
 * Lists endpoints; the first page is asked for when it is wanted.
 *
 * @param note tells what may not be asked.
 * @throws UsageError when no endpoint's name could contain the filter's text.
 * @throws AwsError when the service refuses.
 */
export async function listEndpoints(
  { choice, filter, withMachines }: EndpointListing,
  host: CloudHost,
  note: (text: string) => void,
): Promise<EndpointPages> {
  if (filter.nameContains !== undefined) checkNamePart(filter.nameContains);
  const sagemaker = await (await connectToAws(choice, host)).sagemaker();
  const pages = sagemaker.listEndpoints(filter);
  return {
    region: sagemaker.region,
    pages: withMachines ? new MachinesOfEndpoints(sagemaker, note).of(pages) : pages,
  };
}
