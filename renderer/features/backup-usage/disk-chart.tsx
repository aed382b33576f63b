import '@mantine/charts/styles.layer.css'
import { AreaChart } from '@mantine/charts'
import type { BackupForecast } from '../../../shared/api/backup-usage.ts'
import { bytes } from '../../lib/format.ts'
import { DayChart, dayName } from '../../ui/day-chart.tsx'

export function DiskChart({ days, totalBytes }: { days: BackupForecast['disk']['days']; totalBytes: number }) {
  const data = days.map(({ day, usedBytes }) => ({ day: dayName(day), value: usedBytes }))
  return (
    <DayChart caption="Used on the disk of the appliance" label="Used" data={data} words={bytes}>
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
    </DayChart>
  )
}
