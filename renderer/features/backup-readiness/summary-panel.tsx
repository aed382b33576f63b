import { Button, Group, Text } from '@mantine/core'
import { IconPrinter, IconRefresh } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { BackupHealth, RecoveryReadiness } from '../../../shared/api/backup-readiness.ts'
import { count, percent, plural } from '../../lib/format.ts'
import countList from '../../ui/count-list.module.css'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import classes from './readiness.module.css'
import { listAnchor } from './readiness-list.tsx'
import { type Band, bandNames, bandRanges, bands, bandTones, healthWords } from './readiness-words.ts'

interface Props {
  summary: RecoveryReadiness['summary']
  health: { data: BackupHealth | undefined; error: unknown; refetch: () => unknown }
  isCalculating: boolean
  onCalculate: () => void
  onPrint: () => void
}

/** How an organization stands as a whole; each number leads to its devices. */
export function SummaryPanel({ summary, health, isCalculating, onCalculate, onPrint }: Props) {
  const { devices, averageScore, lowReadiness, highReadiness } = summary
  const amounts: Record<Band, number> = {
    high: highReadiness,
    medium: devices - highReadiness - lowReadiness,
    low: lowReadiness,
  }
  return (
    <Panel
      title="Summary"
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={isCalculating}
            onClick={onCalculate}
          >
            Recalculate
          </Button>
          <Button size="xs" variant="default" leftSection={<IconPrinter size={14} />} onClick={onPrint}>
            Print
          </Button>
        </Group>
      }
    >
      <Loaded of={health} lines={1}>
        {(data) => {
          const { tone, words } = healthWords(data)
          return (
            <Text size="sm" component="div" mb="sm">
              <StatusDot tone={tone} isLong>
                {words}
              </StatusDot>
            </Text>
          )
        }}
      </Loaded>
      <div className={classes.summary}>
        <ul className={countList.list} aria-label="Devices by score">
          {bands.map((band) => (
            <li key={band}>
              <Link
                to="/backup/readiness"
                search={(old) => ({ ...old, band, risk: undefined, search: undefined, page: undefined })}
                hash={listAnchor}
                className={countList.row}
              >
                <StatusDot tone={amounts[band] === 0 ? 'idle' : bandTones[band]}>
                  {`${bandNames[band]}, ${bandRanges[band]}`}
                </StatusDot>
                <span className="nums">{count(amounts[band])}</span>
              </Link>
            </li>
          ))}
        </ul>
        <Facts>
          <Fact name="Devices">{plural(devices, 'device')}</Fact>
          <Fact name="Average score">{`${averageScore} of 100`}</Fact>
          {health.data && <Checks {...health.data} />}
        </Facts>
      </div>
      <Text size="sm" c="dimmed" mt="sm" className="screen-only">
        A device is critical if its page has the tag <b>critical</b>, <b>tier0</b> or <b>tier1</b>. Critical devices
        restore their newest backup as a test every week.
      </Text>
    </Panel>
  )
}

function Checks({ verification, readiness }: BackupHealth) {
  const { coveragePercent, passedLast24h: passed, failedLast24h: failed, partialLast24h: partial } = verification
  const ended = [
    `${count(passed)} passed`,
    failed > 0 && `${count(failed)} failed`,
    partial > 0 && `${count(partial)} incomplete`,
  ]
  return (
    <>
      <Fact name="With a passed check in 30 days">{`${percent(coveragePercent)} of protected devices`}</Fact>
      <Fact name="Checks in 24 hours">
        {passed + failed + partial === 0 ? 'None' : ended.filter(Boolean).join(', ')}
      </Fact>
      {readiness.criticalDevicesAtRisk > 0 && (
        <Fact name="Critical devices at risk">{count(readiness.criticalDevicesAtRisk)}</Fact>
      )}
    </>
  )
}
