/** How a node of the trail stands. */
export type Mark = 'working' | 'waiting' | 'done' | 'failed' | 'skipped' | 'cancelled' | 'undone';

const MARKS: Readonly<Record<Mark, string>> = {
  working: '…',
  waiting: '?',
  done: '',
  failed: '!',
  skipped: '~',
  cancelled: '✗',
  undone: '↩',
};

export type Joint = '→' | '↺' | '⇢';

const BRANCHES_SHOWN = 8;
const LEAST_ROOM = 4;

/** One node on a token's way, several visits of it in a row, or the branches of a fork (`node` is '' then). */
export class Step {
  readonly node: string;
  readonly joint: Joint;
  visit: number;
  count = 1;
  mark: Mark = 'working';
  /** The scope it opened, with the ways of its tokens; a map counts its items instead. */
  scope: string | undefined;
  readonly branches = new Map<string, Path>();
  items: { readonly size: number; opened: number; failed: number } | undefined;

  constructor(node: string, visit: number, joint: Joint) {
    this.node = node;
    this.visit = visit;
    this.joint = joint;
  }

  text(): string {
    const inner = [...this.branches.values()].slice(0, BRANCHES_SHOWN).map(path => path.text() || '·');
    if (this.branches.size > BRANCHES_SHOWN) inner.push(`… ${this.branches.size - BRANCHES_SHOWN} more …`);
    if (this.node === '') return `(${inner.join(' | ')})`;
    const times = this.count > 1 ? ` ×${this.count}` : '';
    return `${this.node}${this.#itemsText()}${MARKS[this.mark]}${times}${inner.length > 0 ? ` { ${inner.join(' | ')} }` : ''}`;
  }

  #itemsText(): string {
    if (this.items === undefined) return '';
    const { size, opened, failed } = this.items;
    return `[${opened < size ? `${opened} of ${size}` : size}${failed > 0 ? `, ${failed} failed` : ''}]`;
  }
}

/**
 * The way of one token. It keeps its beginning and its end and counts what lies between, so a way of 100,000 nodes takes no
 * more room than its line.
 */
export class Path {
  readonly #room: number;
  readonly #forget: (step: Step) => void;
  readonly #head: Step[] = [];
  #tail: Step[] = [];
  #between = 0;
  #joint: Joint = '→';

  /** @param room steps kept of its beginning, and as many of its end. @param forget told of every step that is left out. */
  constructor(room: number, forget: (step: Step) => void) {
    this.#room = room;
    this.#forget = forget;
  }

  /** A further visit of the node that the token was at just now is counted there. */
  visit(node: string, visit: number): Step {
    const last = this.#tail.at(-1) ?? this.#head.at(-1);
    const same = last?.node === node && last.scope === undefined && last.mark === 'done' && this.#joint === '→';
    if (!same) return this.#push(new Step(node, visit, this.#joint));
    last.count += 1;
    last.visit = visit;
    return last;
  }

  fork(): Step {
    return this.#push(new Step('', 0, this.#joint));
  }

  find(node: string, visit: number): Step | undefined {
    const fits = (step: Step) => step.node === node && step.visit === visit;
    return this.#tail.findLast(fits) ?? this.#head.findLast(fits);
  }

  /** How the next step is reached. */
  turn(joint: Joint): void {
    this.#joint = joint;
  }

  /** The way of one token of the scope that `step` opened. */
  branch(step: Step, token: string): Path {
    const path = new Path(Math.max(LEAST_ROOM, Math.floor(this.#room / 3)), this.#forget);
    step.branches.set(token, path);
    return path;
  }

  /** Steps of this token that are kept. */
  ownSteps(): readonly Step[] {
    return [...this.#head, ...this.#tail];
  }

  /** Steps that are kept, with those of their branches. */
  *steps(): Generator<Step> {
    for (const step of this.ownSteps()) {
      yield step;
      for (const path of step.branches.values()) yield* path.steps();
    }
  }

  text(): string {
    const between = this.#between === 0 ? '' : ` → … ${this.#between.toLocaleString('en-US')} more …`;
    const [first, ...rest] = this.#head;
    const told = (steps: readonly Step[]) => steps.map(step => ` ${step.joint} ${step.text()}`).join('');
    return first === undefined ? '' : `${first.text()}${told(rest)}${between}${told(this.#tail)}`;
  }

  #push(step: Step): Step {
    this.#joint = '→';
    if (this.#head.length < this.#room) this.#head.push(step);
    else this.#tail.push(step);
    if (this.#tail.length > this.#room) {
      const [left, ...kept] = this.#tail;
      this.#tail = kept;
      this.#between += left!.count;
      this.#forgetAll(left!);
    }
    return step;
  }

  #forgetAll(step: Step): void {
    this.#forget(step);
    for (const path of step.branches.values()) for (const inner of path.steps()) this.#forget(inner);
  }
}
