/** One difference between two contracts. */
export interface ContractChange {
  /** `widens`: it cannot be shown that no more is allowed than before. */
  readonly kind: 'widens' | 'narrows' | 'neutral';
  /** What comes of it: something becomes allowed or forbidden, its approval changes, or neither. */
  readonly about: 'allowed' | 'forbidden' | 'approval' | 'other';
  /** The tool that it is about, where it is about one. */
  readonly tool?: string;
  /** Into the newer definition; of what is gone, where it stood. */
  readonly pointer: string;
  /** A sentence. */
  readonly message: string;
}

export type ChangeKind = ContractChange['kind'];

/** A difference of one member, before it is said where it stands. `at` goes on from the pointer of the member. */
export interface Difference {
  readonly kind: ChangeKind;
  readonly message: string;
  readonly at?: string;
}

export function widens(message: string, at?: string): Difference {
  return { kind: 'widens', message, ...(at === undefined ? {} : { at }) };
}

export function narrows(message: string, at?: string): Difference {
  return { kind: 'narrows', message, ...(at === undefined ? {} : { at }) };
}

export function neutral(message: string, at?: string): Difference {
  return { kind: 'neutral', message, ...(at === undefined ? {} : { at }) };
}
