/**
 * `list-endpoints`: the endpoints of an account and region.
 *
 * @module
 */

import type { Endpoint, EndpointFilter } from "../../aws/sagemaker_endpoints.ts";
import type { Setting } from "../../aws/settings.ts";
import { checkNamePart } from "../../contract/endpoint_names.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "../connection.ts";

/** Which endpoints to list. */
export interface EndpointListing {
  readonly choice: CloudChoice;
  readonly filter: EndpointFilter;
}

/** Endpoints, page by page, as they come. */
export interface EndpointPages {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Newest first; the next page is asked for when it is wanted. */
  readonly pages: AsyncIterable<readonly Endpoint[]>;
}

/**
 * Lists endpoints; the first page is asked for when it is wanted.
 *
 * @throws UsageError when no endpoint's name could contain the filter's text.
 * @throws AwsError when the service refuses.
 */
export async function listEndpoints(
  { choice, filter }: EndpointListing,
  host: CloudHost,
): Promise<EndpointPages> {
  if (filter.nameContains !== undefined) checkNamePart(filter.nameContains);
  const sagemaker = await (await connectToAws(choice, host)).sagemaker();
  return { region: sagemaker.region, pages: sagemaker.listEndpoints(filter) };
}
