import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import { verificationsQuery } from '../../data/backup-verification.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { AffectedDialog } from './affected-dialog.tsx'
import { CheckNow } from './check-now.tsx'
import { checkNames, checkStatusNames, checkTones, resultWords } from './check-words.ts'

interface Props {
  orgId: string
  deviceId: string
  /** Of all snapshots of the device when none is named. */
  snapshotId?: string
  /** Why nothing can be begun here; null when it can. */
  mayNot: string | null
  /** What is to be said above them. */
  about?: ReactNode
}

/** The hash of links to the panel. */
export const checksAnchor = 'checks'
const shownFirst = 5
/** As many as count for the readiness of a device, and one of each kind that is under way. */
const shownAtMost = 14

/** The last checks of the backups of a device, or of one snapshot, and a way to begin one. */
export function ChecksPanel({ orgId, deviceId, snapshotId, mayNot, about }: Props) {
  const me = useMe()
  const maySee = can(me, 'organizations:read') || can(me, 'backup:read')
  const filters = { orgId, deviceId, snapshotId, limit: shownAtMost }
  const checks = useQuery({ ...verificationsQuery(filters), enabled: maySee })
  const isLinked = useLocation({ select: ({ hash }) => hash === checksAnchor })
  const [hasAskedForMore, setAskedForMore] = useState(false)
  const [opened, setOpened] = useState<string | null>(null)
  const affected = checks.data?.find(({ id }) => id === opened)
  if (!maySee) return null
  return (
    <Panel
      title="Checks"
      anchor={checksAnchor}
      actions={mayNot === null && <CheckNow deviceId={deviceId} snapshotId={snapshotId} />}
    >
      {about}
      <Listed of={checks} lines={2} empty="Not checked yet. New backups are checked automatically.">
        {(rows) => {
          const shown = isLinked || hasAskedForMore ? rows : rows.slice(0, shownFirst)
          return (
            <>
              <DataTable
                label="Checks"
                rows={shown}
                rowKey={({ id }) => id}
                columns={columnsWith((id) => setOpened(id))}
                minWidth={560}
              />
              {shown.length < rows.length && (
                <Button mt="xs" size="xs" variant="default" onClick={() => setAskedForMore(true)}>
                  Show older checks
                </Button>
              )}
            </>
          )
        }}
      </Listed>
      {affected && <AffectedDialog check={affected} onClose={() => setOpened(null)} />}
    </Panel>
  )
}

const columnsWith = (onFiles: (id: string) => void): Column<Verification>[] => [
  {
    id: 'check',
    title: 'Check',
    width: 170,
    cell: ({ verificationType, status }) => (
      <>
        {checkNames[verificationType]}
        <SecondLine>
          <StatusDot tone={checkTones[status]} isPulsing={status === 'running'}>
            {checkStatusNames[status]}
          </StatusDot>
        </SecondLine>
      </>
    ),
  },
  {
    id: 'result',
    title: 'Result',
    wrap: 'anywhere',
    cell: (check) => (
      <Stack gap={2} align="flex-start">
        <span>{resultWords(check)}</span>
        {hasNames(check) && (
          <Button size="compact-xs" variant="default" onClick={() => onFiles(check.id)}>
            Show what is affected
          </Button>
        )}
      </Stack>
    ),
  },
  {
    id: 'backup',
    title: 'Backup of',
    wrap: 'never',
    only: 'wide',
    cell: ({ snapshotTakenAt }) => <RelativeTime isPast at={snapshotTakenAt} />,
  },
  {
    id: 'when',
    title: 'Checked',
    wrap: 'never',
    cell: ({ completedAt, startedAt }) => <RelativeTime isPast at={completedAt ?? startedAt} />,
  },
]

const hasNames = ({ details }: Verification): boolean =>
  (details?.failedFiles?.length ?? 0) + (details?.otherSnapshots?.length ?? 0) > 0
