import { AreaChart } from '@mantine/charts'
import { ColorSwatch, Group, Text, Title } from '@mantine/core'
import { useMediaQuery, useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import type { MetricPoint } from '../../../shared/api/devices.ts'
import { type MetricRange, metricRanges } from '../../data/devices.ts'
import { timeOfDay } from '../../lib/format.ts'
import type { MetricSeries } from './metric-summary.ts'
import { MetricTable } from './metric-table.tsx'
import { evenTicks, isOneDay } from './metric-ticks.ts'

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

const weekdayAndDate = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })

/** `10 PM`; `22:00` stays as it is. */
const wholeHour = (at: number): string => timeOfDay(at).replace(/:00(?=\s)/, '')

/** One metric over time. The axis covers the whole range, so that a gap shows. */
export function MetricChart({ name, now, points, range, series, format, top }: Props) {
  const data = points.map((point) => ({ ...point, at: new Date(point.timestamp).getTime() }))
  const end = data.at(-1)?.at ?? Date.now()
  const start = end - metricRanges[range].ms
  const ticks = evenTicks(range, end, metricRanges[range].ms)
  // An hour that spans midnight is clear without, and has no room for it.
  const hasDays = range !== '1h' && !isOneDay(ticks)
  const tick = (at: number) =>
    range === '7d' ? weekdayAndDate.format(at) : hasDays ? `${weekday.format(at)} ${wholeHour(at)}` : timeOfDay(at)
  const isTouch = useMediaQuery('(pointer: coarse)')
  const [isTapped, setTapped] = useState(false)
  useWindowEvent('scroll', () => setTapped(false))
  return (
    <div>
      <Group justify="space-between" mb={6} wrap="nowrap">
        <Title order={3} size="sm" fw={500}>
          {name}
        </Title>
        <Group gap="md" wrap="nowrap">
          {series.map(({ name: key, color }, index) => (
            <Group key={key} gap={6} wrap="nowrap">
              {series.length > 1 && (
                <ColorSwatch size={8} color={`var(--mantine-color-${color.replace('.', '-')})`} withShadow={false} />
              )}
              <Text size="sm" className="nums">
                {now[index]}
              </Text>
            </Group>
          ))}
        </Group>
      </Group>
      <MetricTable name={name} points={points} range={range} series={series} format={format} />
      <div aria-hidden onClick={() => setTapped(true)}>
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
            ticks,
            tickFormatter: tick,
            interval: 0,
          }}
          yAxisProps={{ domain: [0, top ?? 'auto'], tickCount: 3, width: 88, tickFormatter: format }}
          tooltipProps={{
            labelFormatter: (at) => (typeof at === 'number' ? `${weekday.format(at)}, ${timeOfDay(at)}` : ''),
            isAnimationActive: false,
            // A tap shows it until the page is scrolled; there is no pointer that leaves the chart.
            ...(isTouch && { trigger: 'click', ...(!isTapped && { active: false }) }),
          }}
          // Narrow enough for the plot on a phone, so that it does not stick out.
          styles={{ tooltip: { minWidth: 0 } }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
        />
      </div>
    </div>
  )
}
