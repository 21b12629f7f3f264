/**
 * Whether an image of a platform (operating system and architecture) runs on SageMaker.
 *
 * @module
 */

/** What SageMaker's instances are, those with Graviton processors aside. */
export const PLATFORM = "linux/amd64";

/** Those with Graviton processors; the user has to ask for them. */
const GRAVITON = "linux/arm64";

/** An image, as far as it matters here. */
export interface BuiltImage {
  /** `name:tag` */
  readonly reference: string;
  /** `linux/amd64` */
  readonly platform: string;
  /** Whether `mlcli build` made it, and can make another. */
  readonly isOurs: boolean;
}

/**
 * What is wrong with an image's platform, and what to do about it; nothing where it runs on all
 * instances, or on those with Graviton processors and the configuration asks for that.
 *
 * Source: https://aws.amazon.com/sagemaker/pricing (instance types)
 *
 * @param configured the configuration's `platform`.
 */
export function platformFinding(
  { reference, platform, isOurs }: BuiltImage,
  configured: string | undefined,
): { readonly message: string; readonly hint: string } | undefined {
  if (platform === PLATFORM) return undefined;
  const isGraviton = platform === GRAVITON;
  if (isGraviton && isFor(configured, GRAVITON)) return undefined;
  const remedy = isOurs
    ? `mlcli build --platform ${PLATFORM} makes one for the others`
    : `Take one for ${PLATFORM}`;
  return {
    message: isGraviton
      ? `${reference} is for ${platform}: on the platform it runs on Graviton instances ` +
        "(ml.c7g, ...) only"
      : `${reference} is for ${platform}, and does not run on the platform`,
    hint: isGraviton
      ? `${remedy}; "platform": "${GRAVITON}" in the configuration says that it is meant.`
      : `${remedy}.`,
  };
}

/** Also with a variant: `linux/arm64/v8`. */
function isFor(configured: string | undefined, platform: string): boolean {
  return configured === platform || (configured?.startsWith(`${platform}/`) ?? false);
}
