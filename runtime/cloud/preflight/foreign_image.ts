/** An image that mlcli did not push, for a job: of ECR, in any account. */

import type { Ecr } from "../../aws/ecr.ts";
import { ifAllowed } from "../../aws/errors.ts";
import { awsImageIn, isAwsAccount } from "../../contract/aws_images.ts";
import { architectureOf } from "../../contract/instances.ts";
import { ECR_PUBLIC, ecrImage, type ImageName, parseImageName } from "../../contract/registry.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { jobForm, storedImage } from "../push/repository.ts";

/**
 * The image's address for a job: by its digest, where that may be looked up.
 *
 * @param note gets what could not be checked.
 * @throws MlcliError where SageMaker takes no such image, with what makes one that it takes; where there
 * is none, or, of a list, none for the instance type.
 */
export async function foreignImage(
  image: string,
  instanceType: string,
  ecr: Pick<Ecr, "region" | "image">,
  note: (text: string) => void,
): Promise<string> {
  const { value: region } = ecr.region;
  const named = parseImageName(image);
  const { host } = named;
  const place = ecrImage(image);
  const shown = inOneLine(image);
  if (place === undefined) {
    throw new MlcliError(
      host === ECR_PUBLIC
        ? `SageMaker does not support images from Amazon ECR Public: ${shown}`
        : `SageMaker supports only images in Amazon ECR, not ${shown}`,
      { hint: instead(awsImageIn(image, region), image, named, region) },
    );
  }
  const { account, repository, key } = place;
  if (place.region !== region) {
    throw new MlcliError(
      `SageMaker in ${region} cannot use an image in another region: ${shown}`,
      { hint: instead(awsImageIn(image, region), image, named, region) },
    );
  }
  const images = { ecr, repository, account };
  let isDenied = false;
  const stored = await ifAllowed(storedImage(key, images), ({ message }) => {
    isDenied = true;
    note(`Cannot check that ${shown} exists and supports ${instanceType}: ${message}`);
  });
  if (isDenied) return image;
  if (stored === undefined) throw missing(image);
  const platform = `linux/${architectureOf(instanceType)}`;
  const form = await jobForm(stored, platform, images);
  const isThere = form.digest === stored.digest || await storedImage(form, images) !== undefined;
  // Of AWS's own images, whatever they are.
  if (isThere || isAwsAccount(account)) {
    return `${host}/${repository}@${(isThere ? form : stored).digest}`;
  }
  throw new MlcliError(
    `SageMaker does not support the manifest type of ${shown}: ${stored.mediaType}`,
    { hint: instead(undefined, image, named, region) },
  );
}

function missing(image: string): MlcliError {
  const right = awsImageIn(image);
  return new MlcliError(`Image ${inOneLine(image)} does not exist`, {
    hint: right === undefined
      ? "Check the account ID, the repository and the tag in the image's name"
      : `Use the image from AWS's account for this region: ${right}`,
  });
}

/** AWS's own image of that name, or the lines that copy it into the caller's registry. */
function instead(
  own: string | undefined,
  image: string,
  { name, rest }: ImageName,
  region: string,
): string {
  if (own !== undefined) return `Use the image from AWS's account for this region: --image ${own}`;
  const repository = `ACCOUNT.dkr.ecr.${region}.amazonaws.com/${name}`;
  const tag = rest.split("@")[0] || ":latest";
  return [
    "Copy the image into your own registry:",
    `aws ecr create-repository --repository-name ${name} --region ${region}`,
    `aws ecr get-login-password --region ${region} | docker login -u AWS --password-stdin ${
      repository.split("/")[0]
    }`,
    `docker pull ${inOneLine(image)}`,
    `docker tag ${inOneLine(image)} ${repository}${tag}`,
    `docker push ${repository}${tag}`,
    `Then use the copy: --image ${repository}${tag}`,
  ].join("\n");
}
