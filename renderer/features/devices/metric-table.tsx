import { VisuallyHidden } from '@mantine/core'
import type { MetricPoint } from '../../../shared/api/devices.ts'
import { type MetricRange, metricRanges } from '../../data/devices.ts'
import { dash, exactTime } from '../../lib/format.ts'
import { type MetricSeries, summarize } from './metric-summary.ts'

interface Props {
  name: string
  points: MetricPoint[]
  range: MetricRange
  series: readonly MetricSeries[]
  format: (value: number) => string
}

/** A chart for people who do not see it: average and highest value of up to twelve stretches of time. */
export function MetricTable({ name, points, range, series, format }: Props) {
  const value = (of: number | null) => (of === null ? dash : format(of))
  return (
    <VisuallyHidden component="div">
      <table>
        <caption>{`${name}, last ${metricRanges[range].label}`}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name: key, label }) => [
              <th key={`${key}-average`} scope="col">{`${label}, average`}</th>,
              <th key={`${key}-highest`} scope="col">{`${label}, highest`}</th>,
            ])}
          </tr>
        </thead>
        <tbody>
          {summarize(
            points,
            series.map((one) => one.name),
          ).map(({ from, values }) => (
            <tr key={from}>
              <th scope="row">{exactTime(from)}</th>
              {values.map(({ name: key, average, highest }) => [
                <td key={`${key}-average`}>{value(average)}</td>,
                <td key={`${key}-highest`}>{value(highest)}</td>,
              ])}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  )
}
