import '@mantine/charts/styles.layer.css'
import { AreaChart } from '@mantine/charts'
import type { BackupUsage } from '../../../shared/api/backup-reports.ts'
import { bytes } from '../../lib/format.ts'
import { DayChart, dayName } from '../../ui/day-chart.tsx'

interface Props {
  points: BackupUsage['points']
  days: number
  /** Whether what the repositories take is known; else the size of what was backed up in this time is shown. */
  isStored: boolean
}

export function UsageChart({ points, days, isStored }: Props) {
  const label = isStored ? 'Stored' : 'Backed up in this time'
  const data = points.map(({ timestamp, storedBytes, totalBytes }) => ({
    day: dayName(timestamp),
    value: isStored ? storedBytes : totalBytes,
  }))
  return (
    <DayChart caption={`${label}, last ${days} days`} label={label} data={data} words={bytes}>
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
    </DayChart>
  )
}
