import '@mantine/charts/styles.layer.css'
import { AreaChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import type { BackupUsage } from '../../../shared/api/backup-reports.ts'
import { bytes } from '../../lib/format.ts'

interface Props {
  points: BackupUsage['points']
  days: number
  /** Whether what the repositories take is known; else the size of what was backed up in this time is shown. */
  isStored: boolean
}

/** The days of the server are in UTC. */
const dayOf = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

export function UsageChart({ points, days, isStored }: Props) {
  const label = isStored ? 'Stored' : 'Backed up in this time'
  const data = points.map(({ timestamp, storedBytes, totalBytes }) => ({
    day: dayOf.format(new Date(timestamp)),
    value: isStored ? storedBytes : totalBytes,
  }))
  return (
    <>
      <VisuallyHidden component="div">
        <table>
          <caption>{`${label}, last ${days} days`}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{bytes(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
      <div aria-hidden>
        <AreaChart
          h={180}
          data={data}
          dataKey="day"
          series={[{ name: 'value', label, color: 'harbor.5' }]}
          curveType="monotone"
          withDots={data.filter(({ value }) => value !== null).length < 2}
          strokeWidth={1.6}
          fillOpacity={0.14}
          gridAxis="x"
          tickLine="none"
          connectNulls={false}
          valueFormatter={bytes}
          xAxisProps={{ minTickGap: 40 }}
          yAxisProps={{ tickCount: 3, width: 72, tickFormatter: bytes }}
          tooltipProps={{ isAnimationActive: false }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8 } }}
        />
      </div>
    </>
  )
}
