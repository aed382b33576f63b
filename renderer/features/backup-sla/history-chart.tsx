import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import type { SlaHistory } from '../../../shared/api/backup-sla.ts'
import { count } from '../../lib/format.ts'
import { DayChart, dayName } from '../../ui/day-chart.tsx'

export function HistoryChart({ points }: Pick<SlaHistory, 'points'>) {
  const data = points.map(({ timestamp, devices }) => ({ day: dayName(timestamp), value: devices }))
  const label = 'Devices with a breach'
  return (
    <DayChart caption={`${label}, last ${points.length} days`} label={label} data={data} words={count}>
      <BarChart
        h={160}
        data={data}
        dataKey="day"
        series={[{ name: 'value', label, color: 'red.6' }]}
        gridAxis="x"
        tickLine="none"
        valueFormatter={count}
        xAxisProps={{ minTickGap: 40 }}
        yAxisProps={{ tickCount: 3, width: 40, allowDecimals: false }}
        tooltipProps={{ isAnimationActive: false }}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 8 } }}
      />
    </DayChart>
  )
}
