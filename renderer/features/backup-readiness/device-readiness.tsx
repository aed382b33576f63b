import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DeviceReadiness as Readiness } from '../../../shared/api/backup-readiness.ts'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { deviceReadinessQuery } from '../../data/backup-readiness.ts'
import { useUnavailableReason } from '../../domain/commands/use-unavailable-reason.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { lossWords, restoreTimeWords } from './readiness-words.ts'
import { Risks } from './risks.tsx'
import { Score } from './score.tsx'

/** Whether a device could be brought back, how long that would take, and how much would be lost. */
export function DeviceReadiness({ device }: { device: DeviceDetail }) {
  const me = useMe()
  const maySee = can(me, 'organizations:read') || can(me, 'backup:read')
  const mayRun = useUnavailableReason(device, 'devices:execute') === null
  const readiness = useQuery({ ...deviceReadinessQuery(device.orgId, device.id), enabled: maySee })
  if (!maySee) return null
  return (
    <Panel
      title="Recovery readiness"
      actions={
        <TextLink to="/backup/readiness" size="sm" className="screen-only">
          All devices
        </TextLink>
      }
    >
      <Loaded of={readiness} lines={3}>
        {(data) =>
          data === null ? (
            <Text size="sm" c="dimmed">
              Nothing is known: the device isn’t protected, and no backup of it was checked.
            </Text>
          ) : (
            <Answers readiness={data} mayRun={mayRun} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function Answers({ readiness, mayRun }: { readiness: Readiness; mayRun: boolean }) {
  const now = useNow()
  return (
    <Stack gap="xs">
      <Facts>
        <Fact name="Could it be brought back?">
          <Score score={readiness.readinessScore} isLong />
        </Fact>
        <Fact name="How long would it take?">{restoreTimeWords(readiness)}</Fact>
        <Fact name="How much would be lost?">{lossWords(readiness, now)}</Fact>
        <Fact name="Risks">
          <Risks device={readiness} mayRun={mayRun} isAlone />
        </Fact>
      </Facts>
    </Stack>
  )
}
