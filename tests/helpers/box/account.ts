/** The account and the region of the box, and who may ask it. */

export const REGION = "eu-west-1";
export const ACCOUNT = "123456789012";

/** An access key that AWS knows. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
  /** Whose key it is, for the service's messages. */
  readonly user: string;
  readonly isExpired?: boolean;
}

/** The key of the tests' user; long enough to be taken for a secret. */
export const USER_KEY: AccessKey = {
  id: "AKIDUSERUSERUSERUSER",
  secret: "user-secret-that-nobody-may-see-00000001",
  user: `arn:aws:iam::${ACCOUNT}:user/jo`,
};

/** The environment of a program whose user has the key and asks at that address. */
export function environmentOf(url: string, key: AccessKey): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: key.id,
    AWS_SECRET_ACCESS_KEY: key.secret,
    ...(key.token ? { AWS_SESSION_TOKEN: key.token } : {}),
    AWS_EC2_METADATA_DISABLED: "true",
  };
}
