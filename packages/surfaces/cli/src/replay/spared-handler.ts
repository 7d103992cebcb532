import type { NodeContext, NodeType } from '@signalbox/core';

type Handler = NodeType['handler'];
type Context = Pick<NodeContext, 'node'>;

/** Told when an operation that is not recorded is asked for: its name, and by which visit of which node. */
export type Undone = (operation: string, by: { readonly name: string; readonly visit: number }) => void;

/**
 * A handler that does nothing new: an operation that is recorded gives what it gave, as always; the function of any other
 * is not called, its name is told, and it never ends. Hooks are left out.
 */
export function sparedHandler(handler: Handler, tell: Undone): Handler {
  const { settings } = handler;
  return {
    ...(settings === undefined ? {} : { settings }),
    execute: (context: Context) =>
      handler.execute(spared(context, operation => tell(operation, context.node)) as never),
  };
}

function spared(context: object, tell: (operation: string) => void): object {
  return new Proxy(context, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      return name === 'run' && typeof part === 'function' ? sparedRun(part, tell) : part;
    },
  });
}

/** `ctx.run`, which also holds facts of the run. */
function sparedRun(run: object, tell: (operation: string) => void): object {
  return new Proxy(run, {
    apply(target, self, [name, , options]: [string, unknown, unknown]) {
      const untouched = () => {
        tell(name);
        return new Promise(() => undefined);
      };
      return Reflect.apply(target as (...given: unknown[]) => unknown, self, [name, untouched, options]);
    },
  });
}
