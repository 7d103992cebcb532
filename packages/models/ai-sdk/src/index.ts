export { createModels, type Fallback, type Models, type ModelsOptions } from './create-models.ts';
export { DEFAULT_PRICES } from './default-prices.ts';
export type {
  AnthropicService,
  CompatibleService,
  ModelService,
  OpenAIService,
  SdkService,
  Services,
} from './model-service.ts';
export type { ModelNotice } from './notice.ts';
export { costOf, type ModelPrice, type Prices } from './prices.ts';
export type { Retrying } from './retrying.ts';
