import { AreaChart } from '@mantine/charts'
import { ColorSwatch, Group, Text, VisuallyHidden } from '@mantine/core'
import type { MetricPoint } from '../../../shared/api/devices.ts'
import { type MetricRange, metricRanges } from '../../data/devices.ts'
import { exactTime, timeOfDay } from '../../lib/format.ts'
import type { MetricSeries } from './metric-summary.ts'
import { MetricTable } from './metric-table.tsx'

interface ChartSeries extends MetricSeries {
  color: string
}

interface Props {
  name: string
  /** The latest value of each series in words; screen readers read it too. */
  now: string[]
  points: MetricPoint[]
  range: MetricRange
  series: readonly ChartSeries[]
  format: (value: number) => string
  /** Top of the scale; without it, the values decide. */
  top?: number
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })

/** One metric over time. The axis covers the whole range, so that a gap shows. */
export function MetricChart({ name, now, points, range, series, format, top }: Props) {
  const data = points.map((point) => ({ ...point, at: new Date(point.timestamp).getTime() }))
  const end = data.at(-1)?.at ?? Date.now()
  const start = end - metricRanges[range].ms
  const tick = (at: number) => (range === '7d' ? weekday.format(at) : timeOfDay(at))
  return (
    <div>
      <Group justify="space-between" mb={6} wrap="nowrap">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Group gap="md" wrap="nowrap">
          {series.map(({ name: key, label, color }, index) => (
            <Group key={key} gap={6} wrap="nowrap">
              {series.length > 1 && (
                <ColorSwatch size={8} color={`var(--mantine-color-${color.replace('.', '-')})`} withShadow={false} />
              )}
              <Text size="sm" className="nums">
                {series.length > 1 && <VisuallyHidden>{label}</VisuallyHidden>}
                {now[index]}
              </Text>
            </Group>
          ))}
        </Group>
      </Group>
      <MetricTable name={name} points={points} range={range} series={series} format={format} />
      <div aria-hidden>
        <AreaChart
          h={120}
          data={data}
          dataKey="at"
          series={series.map((one) => ({ name: one.name, label: one.label, color: one.color }))}
          curveType="monotone"
          withDots={data.length < 2}
          strokeWidth={1.6}
          fillOpacity={0.14}
          gridAxis="x"
          tickLine="none"
          connectNulls={false}
          valueFormatter={format}
          xAxisProps={{
            type: 'number',
            scale: 'time',
            domain: [start, end],
            ticks: evenTicks(start, end),
            tickFormatter: tick,
            interval: 'preserveStartEnd',
          }}
          yAxisProps={{ domain: [0, top ?? 'auto'], tickCount: 3, width: 88, tickFormatter: format }}
          tooltipProps={{
            labelFormatter: (at) => (typeof at === 'number' ? exactTime(new Date(at).toISOString()) : ''),
            isAnimationActive: false,
          }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false }}
        />
      </div>
    </div>
  )
}

const evenTicks = (start: number, end: number): number[] =>
  [0, 1, 2, 3].map((part) => start + ((end - start) * part) / 3)
