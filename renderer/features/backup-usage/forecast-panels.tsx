import { Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BackupForecast, UsageForecast } from '../../../shared/api/backup-usage.ts'
import { usageForecastQuery } from '../../data/backup-usage.ts'
import { forecastWords } from '../../domain/backup-usage/forecast-words.ts'
import { bytes } from '../../lib/format.ts'
import { useNow } from '../../lib/now.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const DiskChart = lazyPart('disk-chart', async () => (await import('./disk-chart.tsx')).DiskChart, <Skeleton h={160} />)

/** How long there is room on the disk of the appliance, and within the quota. */
export function ForecastPanels({ orgId }: { orgId: string }) {
  const forecast = useQuery(usageForecastQuery(orgId))
  return (
    <Loaded
      of={forecast}
      loading={
        <Panel title="Disk of the appliance">
          <Skeleton h={90} />
        </Panel>
      }
    >
      {({ disk, quota }) => (
        <SimpleGrid cols={{ base: 1, md: quota ? 2 : 1 }} spacing="md">
          <Panel title="Disk of the appliance">
            <Disk disk={disk} />
          </Panel>
          {quota && (
            <Panel title="Quota">
              <Stack gap={8}>
                <Forecast forecast={quota.forecast} end="The quota is reached" />
                <Fill
                  label="Quota used"
                  share={quota.quotaBytes === 0 ? 1 : quota.usedBytes / quota.quotaBytes}
                  text={`${bytes(quota.usedBytes)} of ${bytes(quota.quotaBytes)} used`}
                />
              </Stack>
            </Panel>
          )}
        </SimpleGrid>
      )}
    </Loaded>
  )
}

function Disk({ disk: { freeBytes, reservedBytes, totalBytes, days, forecast } }: { disk: BackupForecast['disk'] }) {
  const reserve = `${bytes(reservedBytes)} more are left to the appliance itself.`
  return (
    <Stack gap={8}>
      <Forecast forecast={forecast} end="The disk is full" />
      {totalBytes === null ? (
        <Text size="sm">{bytes(freeBytes)} free, shared by all organizations.</Text>
      ) : (
        <Fill
          label="Disk used"
          share={1 - (freeBytes + reservedBytes) / totalBytes}
          text={`${bytes(freeBytes)} free of ${bytes(totalBytes)}, shared by all organizations`}
        />
      )}
      <Text size="xs" c="dimmed">
        {reserve}
      </Text>
      {totalBytes !== null && days.length > 1 && <DiskChart days={days} totalBytes={totalBytes} />}
    </Stack>
  )
}

function Forecast({ forecast, end }: { forecast: UsageForecast; end: string }) {
  const { tone, sentence, note } = forecastWords(forecast, end, useNow())
  return (
    <div>
      <Text size="sm" component="div" fw={500}>
        <StatusDot tone={tone}>{sentence}</StatusDot>
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {note}
      </Text>
    </div>
  )
}

function Fill({ label, share, text }: { label: string; share: number; text: string }) {
  const color = share >= 0.95 ? 'red' : share >= 0.85 ? 'yellow' : 'harbor'
  return (
    <>
      <Text size="sm">{text}</Text>
      <Progress.Root maw={600}>
        <Progress.Section value={Math.min(100, share * 100)} color={color} aria-label={label} aria-valuetext={text} />
      </Progress.Root>
    </>
  )
}
