/** A datum that stands beside the log, as text under its digest. */
export interface Payload {
  readonly digest: string;
  readonly text: string;
}
