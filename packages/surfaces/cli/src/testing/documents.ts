/** What commands print with `--json`, as far as tests look at it. */
export interface RunJson {
  readonly runId: string;
  readonly status: string;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly requests: readonly { readonly id: string; readonly fields: readonly object[] }[];
  readonly trail: string;
}

export interface ErrorJson {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly details: object;
  };
}
