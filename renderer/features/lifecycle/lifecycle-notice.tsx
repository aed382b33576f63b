import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { lifeChanged } from '../../data/lifecycle.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { type Action, wayBackFor } from '../../domain/lifecycle/lifecycle-actions.ts'
import { useMergeRuns } from '../../domain/organization-merge/use-merge-runs.ts'
import { statusMeaning } from '../../domain/organizations/organization-status.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Notice } from '../../ui/notice.tsx'
import { MergeNotices } from '../organization-merge/merge-notices.tsx'
import { actionWords } from './action-labels.ts'
import { ClosingProgress } from './closing-progress.tsx'
import { LifeDialog } from './lifecycle-dialog.tsx'
import classes from './lifecycle-notice.module.css'
import { PurgeCountdown } from './purge-countdown.tsx'

const passing: Organization['status'][] = ['offboarding', 'merging']

/** Above every tab: what is out of the ordinary with an organization, how far it is, and the way back. */
export function LifeNotice({ organization }: { organization: Organization }) {
  const { id, status } = organization
  const isPassing = passing.includes(status)
  // Nobody announces the end of what goes by itself.
  useQuery({ ...organizationQuery(id), refetchInterval: isPassing ? 4000 : false })
  const wasPassing = useRef(isPassing)
  useEffect(() => {
    if (wasPassing.current && !isPassing) void lifeChanged()
    wasPassing.current = isPassing
  }, [isPassing])
  const isOrdinary = status === 'active' || status === 'trial'
  return (
    <Stack gap="sm" className={classes.above}>
      <MergeNotices orgId={id} />
      {!isOrdinary && <StatusNotice organization={organization} />}
    </Stack>
  )
}

function StatusNotice({ organization }: { organization: Organization }) {
  const { status, purgeAt } = organization
  const { data: runs } = useMergeRuns()
  // The merge speaks for itself where it can be seen.
  if (status === 'merging' && runs) return null
  return (
    <WithWayBack organization={organization}>
      {statusMeaning(organization)}
      {status === 'archived' && purgeAt && <PurgeCountdown purgeAt={purgeAt} />}
      {status === 'offboarding' && <ClosingProgress organization={organization} />}
    </WithWayBack>
  )
}

function WithWayBack({ organization, children }: { organization: Organization; children: ReactNode }) {
  const me = useMe()
  const action = can(me, 'organizations:write') ? wayBackFor(organization.status, me) : undefined
  return (
    <Notice tone="warn">
      <Group justify="space-between" gap="sm" align="flex-start">
        <div style={{ flex: '1 1 260px', minWidth: 0 }}>{children}</div>
        {action && <WayBack organization={organization} action={action} />}
      </Group>
    </Notice>
  )
}

function WayBack({ organization, action }: { organization: Organization; action: Action }) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={dialog.open}>
        {actionWords[action].title}…
      </Button>
      <LifeDialog organization={organization} action={action} isOpen={isOpen} onClose={dialog.close} />
    </>
  )
}
