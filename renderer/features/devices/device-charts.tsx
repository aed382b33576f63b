import '@mantine/charts/styles.layer.css'
import { SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { MetricPoint } from '../../../shared/api/devices.ts'
import { type MetricRange, metricRanges, metricsQuery } from '../../data/devices.ts'
import { byteRate, gigabytes, megabytes, percent } from '../../lib/format.ts'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { MetricChart } from './metric-chart.tsx'

const ranges = Object.entries(metricRanges).map(([value, { label }]) => ({ value, label }))

/** Four small charts over one range. */
export function DeviceCharts({ deviceId, range }: { deviceId: string; range: MetricRange }) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const metrics = useQuery(metricsQuery(deviceId, range))
  const setRange = (next: string) =>
    navigate({
      search: (old) => ({ ...old, range: next === '1h' ? undefined : (next as Exclude<MetricRange, '1h'>) }),
      replace: true,
    })
  const control = <SegmentedControl size="xs" aria-label="Time range" data={ranges} value={range} onChange={setRange} />
  return (
    <Panel title="Metrics" actions={control}>
      <Listed
        of={metrics}
        loading={<Skeleton h={300} />}
        empty={
          <Text size="sm" c="dimmed" py="xl" ta="center">
            No metrics in this range. A running agent sends them about once a minute.
          </Text>
        }
      >
        {({ data }) => <Charts points={data} range={range} />}
      </Listed>
    </Panel>
  )
}

function Charts({ points, range }: { points: MetricPoint[]; range: MetricRange }) {
  const last = points.at(-1)
  const shared = { points, range }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
      <MetricChart {...shared} name="CPU" now={[percent(last?.cpu)]} series={cpu} format={percent} top={100} />
      <MetricChart
        {...shared}
        name="Memory"
        now={[`${percent(last?.ram)} · ${megabytes(last?.ramUsedMb)} used`]}
        series={memory}
        format={percent}
        top={100}
      />
      <MetricChart
        {...shared}
        name="Disk"
        now={[`${percent(last?.disk)} · ${gigabytes(last?.diskUsedGb)} used`]}
        series={disk}
        format={percent}
        top={100}
      />
      <MetricChart
        {...shared}
        name="Network"
        now={[`${byteRate(last?.bandwidthInBps)} in`, `${byteRate(last?.bandwidthOutBps)} out`]}
        series={network}
        format={byteRate}
      />
    </SimpleGrid>
  )
}

const cpu = [{ name: 'cpu', label: 'CPU', color: 'harbor.5' }] as const
const memory = [{ name: 'ram', label: 'Memory', color: 'harbor.5' }] as const
const disk = [{ name: 'disk', label: 'Disk', color: 'harbor.5' }] as const
const network = [
  { name: 'bandwidthInBps', label: 'Received', color: 'harbor.5' },
  { name: 'bandwidthOutBps', label: 'Sent', color: 'orange.5' },
] as const
