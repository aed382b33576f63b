import { Button, Group, List, Stack, Text } from '@mantine/core'
import { IconShieldPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChainEntry, effectivePolicy } from '../../../shared/api/configuration-policies.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { effectiveBackupQuery } from '../../data/backup-policies.ts'
import { profilesQuery } from '../../data/backup-profiles.ts'
import { backupStatusQuery } from '../../data/backup-reports.ts'
import { storagesQuery } from '../../data/backup-storages.ts'
import { assignmentWords, outcomeWords } from '../../domain/backup-policies/assignment-words.ts'
import { settingsIn } from '../../domain/backup-policies/plan-draft.ts'
import { retentionWords } from '../../domain/backup-policies/retention-words.ts'
import { scheduleWords, zoneWords } from '../../domain/backup-policies/schedule-words.ts'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { whatWords } from '../../domain/backup-policies/what-words.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

type Backup = NonNullable<ReplyOf<typeof effectivePolicy>['features']['backup']>

interface Props {
  device: { id: string; orgId: string }
}

/** By which policy a device is backed up, how, and why by that one. */
export function DeviceProtection({ device }: Props) {
  const mayProtect = useMayProtect()
  const protect = useOpenDialog('protect')
  const effective = useQuery(effectiveBackupQuery(device.id))
  const isProtected = effective.data?.features.backup !== undefined
  return (
    <Panel
      title="Protection"
      actions={
        mayProtect &&
        effective.data && (
          <Button
            size="xs"
            variant={isProtected ? 'default' : 'filled'}
            leftSection={<IconShieldPlus size={14} />}
            onClick={protect}
          >
            {isProtected ? 'Protect differently' : 'Protect this device'}
          </Button>
        )
      }
    >
      <Loaded of={effective} lines={2}>
        {({ features: { backup }, inheritanceChain }) => (
          <Stack gap="xs">
            {backup ? (
              <Applied backup={backup} device={device} chain={inheritanceChain} />
            ) : (
              <Text size="sm" component="div">
                <StatusDot tone="bad" isLong>
                  No policy protects this device. It’s backed up only when you start a backup.
                </StatusDot>
              </Text>
            )}
            {inheritanceChain.length > 0 && <Why chain={inheritanceChain} />}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

interface AppliedProps extends Props {
  backup: Backup
  chain: readonly ChainEntry[]
}

function Applied({ backup, device: { id, orgId }, chain }: AppliedProps) {
  const maySee = can(useMe(), 'backup:read')
  const storages = useQuery({ ...storagesQuery(orgId), enabled: maySee }).data
  const profiles = useQuery({ ...profilesQuery(orgId), enabled: maySee }).data
  const settings = settingsIn(backup)
  const what = whatWords(backup, (id) => profiles?.find((one) => one.id === id)?.name)
  const storageId = settings?.destinationConfigId
  const storage = storages?.find((one) => (storageId ? one.id === storageId : one.isDefault))
  const schedule = settings?.schedule
  const isInVain = useQuery(backupStatusQuery(id)).data?.protected === false
  const winner = chain.find(({ outcome }) => outcome === 'won')
  return (
    <>
      <Text size="sm" component="div">
        <StatusDot tone={isInVain ? 'bad' : 'good'} isLong>
          {isInVain
            ? `“${backup.sourcePolicyName}” applies and backs nothing up: it has no storage that is turned on, or nothing to back up.`
            : `Protected by “${backup.sourcePolicyName}”${winner ? `, assigned to: ${assignmentWords(winner)}` : ''}`}
        </StatusDot>
      </Text>
      <Text size="sm">
        {what}
        {schedule ? `, ${scheduleWords(schedule)}, ${zoneWords(schedule)}` : ', only when you start a backup'}
        {storage && `, to ${storage.name}`}. Snapshots are kept {retentionWords(settings?.retention ?? {})}.
      </Text>
    </>
  )
}

/** Every assignment that names the device, from the one that goes first. */
function Why({ chain }: { chain: readonly ChainEntry[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <Button variant="subtle" size="compact-sm" ml={-8} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Why?
      </Button>
      {isOpen && (
        <>
          <Text size="sm" c="dimmed" my={4}>
            The policy closest to the device applies: one for the device itself before one for its group, site,
            organization or company.
          </Text>
          <List type="ordered" size="sm" spacing={4}>
            {chain.map((entry) => (
              <List.Item key={entry.assignmentId}>
                <Group gap="xs">
                  <Text size="sm" fw={entry.outcome === 'won' ? 600 : 400}>
                    {entry.policyName}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {assignmentWords(entry)} – {outcomeWords(entry)}
                  </Text>
                </Group>
              </List.Item>
            ))}
          </List>
        </>
      )}
    </div>
  )
}
