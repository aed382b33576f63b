import '@mantine/charts/styles.layer.css'
import { AreaChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import type { BackupForecast } from '../../../shared/api/backup-usage.ts'
import { bytes } from '../../lib/format.ts'

/** The days of the server are in UTC. */
const dayOf = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

export function DiskChart({ days, totalBytes }: { days: BackupForecast['disk']['days']; totalBytes: number }) {
  const data = days.map(({ day, usedBytes }) => ({ day: dayOf.format(new Date(day)), value: usedBytes }))
  return (
    <>
      <VisuallyHidden component="div">
        <table>
          <caption>Used on the disk of the appliance</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Used</th>
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
          h={160}
          data={data}
          dataKey="day"
          series={[{ name: 'value', label: 'Used', color: 'harbor.5' }]}
          curveType="monotone"
          withDots={false}
          strokeWidth={1.6}
          fillOpacity={0.14}
          gridAxis="x"
          tickLine="none"
          valueFormatter={bytes}
          xAxisProps={{ minTickGap: 40 }}
          yAxisProps={{ tickCount: 3, width: 72, tickFormatter: bytes, domain: [0, totalBytes] }}
          tooltipProps={{ isAnimationActive: false }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8 } }}
        />
      </div>
    </>
  )
}
