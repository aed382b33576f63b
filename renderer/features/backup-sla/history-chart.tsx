import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import type { SlaHistory } from '../../../shared/api/backup-sla.ts'
import { count } from '../../lib/format.ts'

/** The days of the server are in UTC. */
const dayOf = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

export function HistoryChart({ points }: Pick<SlaHistory, 'points'>) {
  const data = points.map(({ timestamp, devices }) => ({ day: dayOf.format(new Date(timestamp)), devices }))
  const label = 'Devices with a breach'
  return (
    <>
      <VisuallyHidden component="div">
        <table>
          <caption>{`${label}, last ${points.length} days`}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ day, devices }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{count(devices)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
      <div aria-hidden>
        <BarChart
          h={160}
          data={data}
          dataKey="day"
          series={[{ name: 'devices', label, color: 'red.6' }]}
          gridAxis="x"
          tickLine="none"
          valueFormatter={count}
          xAxisProps={{ minTickGap: 40 }}
          yAxisProps={{ tickCount: 3, width: 40, allowDecimals: false }}
          tooltipProps={{ isAnimationActive: false }}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8 } }}
        />
      </div>
    </>
  )
}
