import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { archivedByQuery } from '../../data/audit-log.ts'
import { lifecycleChanged } from '../../data/lifecycle.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { useMergeRuns } from '../../domain/organization-merge/use-merge-runs.ts'
import { statusMeaning } from '../../domain/organizations/organization-status.tsx'
import { exactTime } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Notice } from '../../ui/notice.tsx'
import { actionLabels } from './action-labels.ts'
import { ClosingProgress } from './closing-progress.tsx'
import { type LifecycleAction, undoActionFor } from './lifecycle-actions.ts'
import { LifecycleDialog } from './lifecycle-dialog.tsx'
import classes from './lifecycle-notice.module.css'
import { PurgeCountdown } from './purge-countdown.tsx'

const transientStatuses: Organization['status'][] = ['offboarding', 'merging']

interface Props {
  organization: Organization
  mergeNotices: ReactNode
}

/** Above every tab: an unusual status of the organization, its progress, and the way back. */
export function LifecycleNotice({ organization, mergeNotices }: Props) {
  const { id, status } = organization
  const isTransient = transientStatuses.includes(status)
  // These states end by themselves, without a live event.
  useQuery({ ...organizationQuery(id), refetchInterval: isTransient ? 4000 : false })
  const wasTransient = useRef(isTransient)
  useEffect(() => {
    if (wasTransient.current && !isTransient) void lifecycleChanged()
    wasTransient.current = isTransient
  }, [isTransient])
  const isOrdinary = status === 'active' || status === 'trial'
  return (
    <Stack gap="sm" className={classes.above}>
      {mergeNotices}
      {!isOrdinary && <StatusNotice organization={organization} />}
    </Stack>
  )
}

function StatusNotice({ organization }: { organization: Organization }) {
  const { status, purgeAt } = organization
  const { data: runs } = useMergeRuns()
  // The merge notice says it already where the user may see merges.
  if (status === 'merging' && runs) return null
  return (
    <NoticeWithUndo organization={organization}>
      {statusMeaning(organization)}
      {status === 'archived' && <ArchivedBy organization={organization} />}
      {status === 'archived' && purgeAt && <PurgeCountdown purgeAt={purgeAt} />}
      {status === 'offboarding' && <ClosingProgress organization={organization} />}
    </NoticeWithUndo>
  )
}

function ArchivedBy({ organization: { id, archivedAt } }: { organization: Organization }) {
  const who = useQuery({ ...archivedByQuery(id), enabled: can(useMe(), 'audit:read') }).data
  if (!archivedAt) return null
  return (
    <Text size="sm" mt={4}>
      Archived {who ? `by ${who} ` : ''}on {exactTime(archivedAt)}.
    </Text>
  )
}

function NoticeWithUndo({ organization, children }: { organization: Organization; children: ReactNode }) {
  const me = useMe()
  const action = can(me, 'organizations:write') ? undoActionFor(organization, me) : undefined
  return (
    <Notice tone="warn">
      <Group justify="space-between" gap="sm" align="flex-start">
        <div style={{ flex: '1 1 260px', minWidth: 0 }}>{children}</div>
        {action && <UndoButton organization={organization} action={action} />}
      </Group>
    </Notice>
  )
}

function UndoButton({ organization, action }: { organization: Organization; action: LifecycleAction }) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={dialog.open}>
        {actionLabels[action].title}…
      </Button>
      <LifecycleDialog organization={organization} action={action} isOpen={isOpen} onClose={dialog.close} />
    </>
  )
}
