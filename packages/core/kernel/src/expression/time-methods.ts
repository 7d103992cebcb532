import { type CelFunc, CelScalar, celMethod, objectType } from '@bufbuild/cel';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { Temporal } from 'temporal-polyfill';

const TIMESTAMP = objectType(TimestampSchema);

/**
 * `getHours()` and its like, in UTC or in a named zone. The library's own go through the machine's local time, whose
 * gaps would make the same run decide differently on another machine.
 */
export function timeMethods(): CelFunc[] {
  return [
    ...method('getFullYear', at => at.year),
    ...method('getMonth', at => at.month - 1),
    ...method('getDate', at => at.day),
    ...method('getDayOfMonth', at => at.day - 1),
    ...method('getDayOfWeek', at => at.dayOfWeek % 7),
    ...method('getDayOfYear', at => at.dayOfYear - 1),
    ...method('getHours', at => at.hour),
    ...method('getMinutes', at => at.minute),
    ...method('getSeconds', at => at.second),
    ...method('getMilliseconds', at => at.millisecond),
  ];
}

function method(name: string, read: (at: Temporal.ZonedDateTime) => number): CelFunc[] {
  const { INT, STRING } = CelScalar;
  return [
    celMethod(name, TIMESTAMP, [], INT, function () {
      return BigInt(read(zoned(this.message, 'UTC')));
    }),
    celMethod(name, TIMESTAMP, [STRING], INT, function (zone) {
      return BigInt(read(zoned(this.message, zone)));
    }),
  ];
}

/** `zone` is an IANA name or an offset; CEL lets the plus sign of an offset be left out. */
function zoned(timestamp: Timestamp, zone: string): Temporal.ZonedDateTime {
  const millis = Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000);
  return Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO(/^\d/.test(zone) ? `+${zone}` : zone);
}
