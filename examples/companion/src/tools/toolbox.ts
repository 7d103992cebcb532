import { readSettings, saveSettings } from './backup-settings.ts';
import { listBills, payBill } from './bills.ts';
import { closeTab, listTabs } from './browser-tabs.ts';
import { placeOrder } from './catalogue.ts';
import { filterExpenses } from './expenses.ts';
import { findMusic } from './music-library.ts';
import type { Tool } from './tool.ts';
import type { ToolName } from './tool-names.ts';
import { findTrips, saveTrip } from './trips.ts';

export const TOOLBOX: Readonly<Record<ToolName, Tool>> = {
  'find-music': findMusic,
  'list-tabs': listTabs,
  'close-tab': closeTab,
  'find-trips': findTrips,
  'save-trip': saveTrip,
  'place-order': placeOrder,
  'read-settings': readSettings,
  'save-settings': saveSettings,
  'filter-expenses': filterExpenses,
  'list-bills': listBills,
  'pay-bill': payBill,
};
