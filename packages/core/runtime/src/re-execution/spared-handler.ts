import type { Handler } from '../journal/handler.ts';
import type { Performer } from '../journal/performer.ts';

type Stand = Pick<Performer, 'asked' | 'perform'>;

/**
 * A handler that does nothing to the world: of an operation that its journal does not hold the function is not called,
 * `perform` is. Hooks are left out.
 */
export function sparedHandler(handler: Handler, performer: Stand): Handler {
  const { settings } = handler;
  return {
    ...(settings === undefined ? {} : { settings }),
    execute: (context: object) => handler.execute(spared(context, performer) as never),
  };
}

function spared(context: object, performer: Stand): object {
  return new Proxy(context, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      return name === 'run' && typeof part === 'function' ? sparedRun(part, performer) : part;
    },
  });
}

type Operation = (
  name: string,
  fn: (tools: { readonly idempotencyKey: string }) => Promise<unknown>,
  options: unknown,
) => unknown;

/** `ctx.run`, which also holds facts of the run. */
function sparedRun(run: object, performer: Stand): object {
  return new Proxy(run, {
    apply(target, self, [name, , options]: [string, unknown, unknown]) {
      performer.asked(name);
      const fn = ({ idempotencyKey }: { readonly idempotencyKey: string }) => performer.perform(name, idempotencyKey);
      return Reflect.apply(target as Operation, self, [name, fn, withoutKey(options)]);
    },
  });
}

/** A key of its own would hide the derived one, by which the log's record is found. */
function withoutKey(options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return options;
  const { key, ...rest } = options as { readonly key?: unknown };
  return typeof key === 'string' ? rest : options;
}
