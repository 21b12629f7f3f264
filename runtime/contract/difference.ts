/** Something that works here and not on the platform, or that is lost there. */
export interface Difference {
  /** One sentence without a final full stop, for the user: what, and what happens on the platform. Begins with a capital. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /** Whether the code that runs is not the app's, but the older one of its image. */
  readonly isOfOlderCode?: boolean;
}
