import type { MetricRange } from '../../data/devices.ts'

const minuteMs = 60_000

/** Minutes between two of the three ticks, and the round times that they stand at. */
const steps: Record<MetricRange, { step: number; round: number }> = {
  '1h': { step: 20, round: 10 },
  '6h': { step: 120, round: 60 },
  '24h': { step: 480, round: 60 },
  '7d': { step: 2880, round: 1440 },
}

/** Three round times of the browser's time zone, evenly spaced, and none so near an end that its label is cut. */
export function evenTicks(range: MetricRange, end: number, lengthMs: number): number[] {
  const { step, round } = steps[range]
  const middle = end - lengthMs / 2
  const offset = new Date(middle).getTimezoneOffset() * minuteMs
  const roundMs = round * minuteMs
  const center = Math.round((middle - offset) / roundMs) * roundMs + offset
  return [center - step * minuteMs, center, center + step * minuteMs]
}

/** Whether all of these are on the same day, so that the time alone tells them apart. */
export const isOneDay = (times: readonly number[]): boolean =>
  new Set(times.map((at) => new Date(at).toDateString())).size === 1
