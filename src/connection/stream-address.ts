/** Where frames are pushed to and read from. */
export interface StreamAddress {
  /** Base URL of the hub, without a slash at its end. */
  readonly url: string;
  /** Bearer token of both sides. */
  readonly token: string;
}
