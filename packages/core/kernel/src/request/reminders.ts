/** A reminder, compiled: so many ms after the question was put, or before its deadline. */
export type Reminder = { readonly after: number } | { readonly before: number };

/** When to remind, in order, each time once: after the question was put and before its deadline. */
export function reminderTimes(reminders: readonly Reminder[], from: number, deadline: number | undefined): number[] {
  const times = reminders.flatMap(reminder => {
    if ('after' in reminder) return [from + reminder.after];
    return deadline === undefined ? [] : [deadline - reminder.before];
  });
  const within = times.filter(at => at > from && (deadline === undefined || at < deadline));
  return [...new Set(within)].sort((a, b) => a - b);
}
