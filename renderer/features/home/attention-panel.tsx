import { ThemeIcon } from '@mantine/core'
import {
  IconCertificate,
  IconCloudX,
  IconDatabaseExclamation,
  IconDatabaseExport,
  IconFolderQuestion,
  IconKey,
  IconMailX,
  IconPlugConnectedX,
  IconPrinter,
  IconRotateClockwise2,
  IconServerOff,
  IconShieldQuestion,
  IconTerminal2,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { DeviceAttention } from '../../../shared/api/devices.ts'
import { type Expiring, type Home, maxAttentionCount } from '../../../shared/api/home.ts'
import { backupQuery } from '../../data/appliance-backup.ts'
import { mailProblemsQuery } from '../../data/messaging.ts'
import { problemLabels } from '../../domain/backup-reports/problem-labels.ts'
import { attentionLabels } from '../../domain/devices/attention-labels.ts'
import { count, dateOnly, plural, relativeTime } from '../../lib/format.ts'
import { dayMs, useNow } from '../../lib/now.ts'
import { useMe } from '../../lib/session.ts'
import { LinkRow, LinkRows } from '../../ui/link-rows.tsx'
import { Panel } from '../../ui/panel.tsx'
import { AllGood } from './all-good.tsx'

interface Props {
  home: Home
  orgId: string | undefined
}

/** What needs attention, each with a link to where it is dealt with; or that nothing does. */
export function AttentionPanel({ home, orgId }: Props) {
  const me = useMe()
  const mail = useQuery({ ...mailProblemsQuery, enabled: me.isPlatformAdmin }).data
  const failedMail = mail?.failed ?? 0
  const backup = useQuery({ ...backupQuery, enabled: me.isPlatformAdmin }).data
  const unknownFolders = backup?.unknownInStore.total ?? 0
  const now = useNow()
  const isBackupDue = backup !== undefined && isOlderThanWeek(backup.last?.at, now)
  const quarantined = home.devices.byStatus.quarantined ?? 0
  const isQuiet =
    !isBackupDue &&
    !home.diskFull &&
    !home.unprintedSheets &&
    home.attention.length + home.backups.length + home.expiring.length + failedMail + quarantined + unknownFolders === 0
  if (isQuiet) return <AllGood devices={home.devices.total} />
  return (
    <Panel title="Needs attention">
      <LinkRows>
        {quarantined > 0 && <WaitingRow devices={quarantined} only={home.onlyWaiting} orgId={orgId} />}
        {home.attention.map((need) => (
          <NeedRow
            key={need.reason}
            need={need}
            orgId={orgId}
            command={need.reason === 'command_failed' ? home.failedCommand : null}
          />
        ))}
        {home.backups.map((problem) => (
          <BackupRow key={problem.kind} problem={problem} orgId={orgId} />
        ))}
        {home.diskFull && <DiskRow {...home.diskFull} orgId={orgId} />}
        {home.unprintedSheets && <SheetRow {...home.unprintedSheets} orgId={orgId} />}
        {failedMail > 0 && (
          <LinkRow
            to="/system/mail"
            icon={<Sign Icon={IconMailX} color="red" />}
            text={`${plural(failedMail, 'email')} couldn’t be sent`}
            note="See why, and send again"
          />
        )}
        {isBackupDue && (
          <LinkRow
            to="/system/appliance"
            hash="backup"
            icon={<Sign Icon={IconDatabaseExport} color="yellow" />}
            text={backup.last ? 'The last backup of Homeport is over a week old' : 'Homeport has never been backed up'}
            note={
              backup.last ? `From ${dateOnly(backup.last.at)}` : 'Without a backup, a broken disk means starting over'
            }
          />
        )}
        {unknownFolders > 0 && (
          <LinkRow
            to="/system/appliance"
            hash="backup"
            icon={<Sign Icon={IconFolderQuestion} color="yellow" />}
            text={`${plural(unknownFolders, 'unknown backup folder')} on the appliance`}
            note="Homeport keeps what it doesn’t know. See which, and what to do"
          />
        )}
        {home.expiring.map((one) => (
          <ExpiringRow key={`${one.kind} ${one.id}`} expiring={one} />
        ))}
      </LinkRows>
    </Panel>
  )
}

interface WaitingProps {
  devices: number
  /** The device, where it is one. */
  only: Home['onlyWaiting']
  orgId: string | undefined
}

function WaitingRow({ devices, only, orgId }: WaitingProps) {
  const icon = <Sign Icon={IconShieldQuestion} color="red" />
  return only ? (
    <LinkRow
      to="/devices/$deviceId"
      params={{ deviceId: only.id }}
      icon={icon}
      text={`${only.name} waits for approval`}
      note="Not managed until approved"
    />
  ) : (
    <LinkRow
      to="/devices"
      search={{ org: orgId, status: 'quarantined' }}
      icon={icon}
      text={`${plural(devices, 'device')} wait for approval`}
      note="Not managed until approved"
    />
  )
}

interface NeedProps {
  need: Home['attention'][number]
  orgId: string | undefined
  /** What leads straight to the cause. */
  command: Home['failedCommand']
}

/** Of a single device it leads to where the reason is shown. */
function NeedRow({ need: { reason, devices, only }, orgId, command }: NeedProps) {
  const { sentence, note } = attentionLabels[reason]
  const shared = {
    icon: <Sign {...signs[reason]} />,
    text: sentence(only?.name ?? devicesText(devices), devices === 1),
    note,
  }
  if (!only) return <LinkRow to="/devices" search={{ org: orgId, attention: reason }} {...shared} />
  return (
    <LinkRow
      to="/devices/$deviceId"
      params={{ deviceId: only.id }}
      search={{ tab: tabs[reason], command: command?.id }}
      hash={reason === 'disk_full' ? 'disks' : undefined}
      {...shared}
    />
  )
}

const tabs: Partial<Record<DeviceAttention, 'hardware' | 'commands'>> = {
  disk_full: 'hardware',
  command_failed: 'commands',
}

/** Leads to the device, or to the list of all with the problem. */
function BackupRow({
  problem: { kind, devices, only },
  orgId,
}: {
  problem: Home['backups'][number]
  orgId: string | undefined
}) {
  const { sentence, note, state } = problemLabels[kind]
  const shared = {
    icon: (
      <Sign
        Icon={IconCloudX}
        color={kind === 'partial' || kind === 'skipped_overlap' || kind === 'sla_breach' ? 'yellow' : 'red'}
      />
    ),
    text: sentence(only?.name ?? devicesText(devices)),
    note,
  }
  if (kind === 'sla_breach') return <LinkRow to="/backup/sla" search={{ org: orgId }} {...shared} />
  if (!only) return <LinkRow to="/backup/overview" search={{ org: orgId, state }} {...shared} />
  return <LinkRow to="/devices/$deviceId" params={{ deviceId: only.id }} search={{ tab: 'backup' }} {...shared} />
}

function DiskRow({ at, isFull, orgId }: { at: string; isFull: boolean; orgId: string | undefined }) {
  const when = relativeTime(at, useNow())
  return (
    <LinkRow
      to="/backup/usage"
      search={{ org: orgId }}
      icon={<Sign Icon={IconServerOff} color="red" />}
      text={isFull ? 'The appliance’s disk is full' : `The appliance’s disk will be full ${when}`}
      note={isFull ? 'New backups fail' : `If it goes on like this, around ${dateOnly(at)}`}
    />
  )
}

function SheetRow({
  organizations,
  only,
  orgId,
}: NonNullable<Home['unprintedSheets']> & { orgId: string | undefined }) {
  return (
    <LinkRow
      to="/backup/keys"
      search={{ org: only?.id ?? orgId, open: only ? 'sheet' : undefined }}
      icon={<Sign Icon={IconPrinter} color="yellow" />}
      text={
        only
          ? `The recovery sheet of ${only.name} isn’t locked away`
          : `The recovery sheets of ${plural(organizations, 'organization')} aren’t locked away`
      }
      note="Without it, a lost appliance means lost backups"
    />
  )
}

const isOlderThanWeek = (at: string | undefined, now: number) => at === undefined || now - Date.parse(at) > 7 * dayMs

const devicesText = (devices: number) =>
  devices === maxAttentionCount ? `${count(devices)} or more devices` : plural(devices, 'device')

const signs: Record<DeviceAttention, SignProps> = {
  went_offline: { Icon: IconPlugConnectedX, color: 'yellow' },
  disk_full: { Icon: IconDatabaseExclamation, color: 'red' },
  command_failed: { Icon: IconTerminal2, color: 'yellow' },
  restart_pending: { Icon: IconRotateClockwise2, color: 'gray' },
}

function ExpiringRow({ expiring: { kind, name, orgName, expiresAt } }: { expiring: Expiring }) {
  const when = relativeTime(expiresAt, useNow())
  const text = kind === 'certificate' ? `The TLS certificate expires ${when}` : `“${name}” expires ${when}`
  const what = { api_key: 'API key', enrollment_key: 'Enrollment key', certificate: 'Of this appliance' }[kind]
  const shared = { text, note: [what, orgName, dateOnly(expiresAt)].filter(Boolean).join(' · ') }
  if (kind === 'certificate')
    return <LinkRow to="/system/appliance" icon={<Sign Icon={IconCertificate} color="yellow" />} {...shared} />
  const icon = <Sign Icon={IconKey} color="yellow" />
  return kind === 'api_key' ? (
    <LinkRow to="/settings/api-keys" search={{ search: name }} icon={icon} {...shared} />
  ) : (
    <LinkRow to="/enrollment-keys" icon={icon} {...shared} />
  )
}

interface SignProps {
  Icon: ComponentType<{ size: number; stroke: number }>
  color: 'red' | 'yellow' | 'gray'
}

const Sign = ({ Icon, color }: SignProps) => (
  <ThemeIcon variant="light" color={color} size={34} radius="md" aria-hidden>
    <Icon size={19} stroke={1.6} />
  </ThemeIcon>
)
