/**
 * The SDK's providers of credentials from other places than the environment.
 *
 * @module
 */

/** Loads them, which only credentials from such places need. */
export function credentialProviders(): Promise<typeof import("@aws-sdk/credential-providers")> {
  return import("@aws-sdk/credential-providers");
}
