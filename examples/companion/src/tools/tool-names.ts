export const TOOL_NAMES = [
  'find-music',
  'list-tabs',
  'close-tab',
  'find-trips',
  'save-trip',
  'place-order',
  'read-settings',
  'save-settings',
  'filter-expenses',
  'list-bills',
  'pay-bill',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];
