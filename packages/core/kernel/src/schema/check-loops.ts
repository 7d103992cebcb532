import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { REFERENCES } from './check-references.ts';
import { findRef, hasInnerBase } from './refs.ts';
import { type PlacedSchema, subSchemas } from './sub-schemas.ts';

/**
 * References by which a schema leads back to itself without going into the value, so that checking it would never end.
 * What stands in a schema is a tree, so each such way has a reference that closes it: that is the place that is told.
 * All references must lead somewhere. A schema with `$id` below its root is not looked at: there `#` may mean that part.
 */
export function checkLoops(root: JsonObject, pointer: string): Fault[] {
  return hasInnerBase(root) ? [] : new Loops(root).faults({ schema: root, pointer });
}

/** Keywords whose schemas speak of the very value that the schema around them speaks of. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

class Loops {
  readonly #root: JsonObject;
  readonly #places = new Map<JsonObject, string>();
  readonly #entered = new Set<JsonObject>();
  readonly #left = new Set<JsonObject>();
  readonly #faults: Fault[] = [];

  constructor(root: JsonObject) {
    this.#root = root;
  }

  faults(placed: PlacedSchema): Fault[] {
    this.#place(placed);
    for (const [schema, pointer] of this.#places) this.#visit(schema, pointer);
    return this.#faults;
  }

  #place({ schema, pointer }: PlacedSchema): void {
    if (!isJsonObject(schema)) return;
    this.#places.set(schema, pointer);
    for (const sub of subSchemas(schema, pointer)) this.#place(sub);
  }

  #visit(schema: JsonObject, pointer: string): void {
    if (this.#entered.has(schema)) return;
    this.#entered.add(schema);
    const inner = Object.entries(schema).filter(([keyword]) => IN_PLACE.includes(keyword));
    for (const sub of subSchemas(Object.fromEntries(inner), pointer))
      if (isJsonObject(sub.schema)) this.#visit(sub.schema, sub.pointer);
    for (const keyword of REFERENCES) this.#follow(schema[keyword], pointerTo(pointer, keyword));
    this.#left.add(schema);
  }

  #follow(ref: JsonValue | undefined, place: string): void {
    const target = typeof ref === 'string' ? findRef(this.#root, ref) : undefined;
    if (!isJsonObject(target)) return;
    if (!this.#entered.has(target)) this.#visit(target, this.#places.get(target) ?? place);
    else if (!this.#left.has(target)) this.#faults.push(endless(String(ref), place));
  }
}

function endless(ref: string, place: string): Fault {
  const message = `\`${ref}\` leads back to here without going into the value, so that checking it would never end.`;
  return fault(place, message, 'Refer to it from within `properties` or `items`.');
}

function fault(pointer: string, message: string, hint: string): Fault {
  return { code: 'InvalidSchema', severity: 'error', pointer, message, hint };
}
