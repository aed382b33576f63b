import type { MetricPoint } from '../../../shared/api/devices.ts'

/** A line of a chart. */
export interface MetricSeries {
  name: keyof MetricPoint
  label: string
}

export interface Stretch {
  /** When its first point was measured. */
  from: string
  /** Null where nothing was measured. */
  values: { name: keyof MetricPoint; average: number | null; highest: number | null }[]
}

const mostStretches = 12

/** Splits points, in order of time, into at most twelve stretches of as many points each. */
export function summarize(points: readonly MetricPoint[], names: readonly (keyof MetricPoint)[]): Stretch[] {
  const size = Math.ceil(points.length / mostStretches)
  const stretches: Stretch[] = []
  for (let start = 0; start < points.length; start += size) {
    const part = points.slice(start, start + size)
    const values = names.map((name) => {
      const measured = part.map((point) => point[name]).filter((value) => typeof value === 'number')
      return {
        name,
        average: measured.length > 0 ? measured.reduce((sum, value) => sum + value, 0) / measured.length : null,
        highest: measured.length > 0 ? Math.max(...measured) : null,
      }
    })
    const [first] = part
    if (first) stretches.push({ from: first.timestamp, values })
  }
  return stretches
}
