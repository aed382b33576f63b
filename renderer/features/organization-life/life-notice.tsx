import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { organizationQuery } from '../organizations/data.ts'
import { statusMeaning } from '../organizations/status.tsx'
import { type Action, wayBackFor } from './actions.ts'
import { ClosingProgress } from './closing-progress.tsx'
import { lifeChanged } from './data.ts'
import { LifeDialog } from './life-dialog.tsx'
import classes from './life-notice.module.css'
import { MergeNotices } from './merge-notices.tsx'
import { Notice } from './notice.tsx'
import { PurgeCountdown } from './purge-countdown.tsx'
import { useMergeRuns } from './use-merge-runs.ts'
import { actionWords } from './words.ts'

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
