import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { JsonObject } from '@signalbox/kernel';
import type { ModelService } from './model-service.ts';

/** A model that can be called. */
export interface Connection {
  /** `provider/model`. */
  readonly name: string;
  readonly kind: ModelService['kind'];
  readonly model: LanguageModelV3;
  /** Does it take a JSON Schema for its reply? */
  readonly takesSchema: boolean;
  /** By the name that the provider package reads. */
  readonly options: Readonly<Record<string, JsonObject>>;
  /** Values that must not be seen anywhere. */
  readonly secrets: readonly string[];
}
