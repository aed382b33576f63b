import { Button } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMe } from '../../lib/session.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { EmptyList, SkeletonLines } from '../../ui/states.tsx'
import { NoOrganization } from './no-organization.tsx'
import { useOnlyOrganizationId, useOrganizationCount, useSelectedOrganizationId } from './selected-organization.ts'

interface Props {
  /** What the page shows of one organization. */
  what: string
  children: (orgId: string) => ReactNode
}

/** For pages about one organization: that which is selected, or the only one; else the user chooses. */
export function OfOrganization({ what, children }: Props) {
  const selected = useSelectedOrganizationId()
  const only = useOnlyOrganizationId()
  const orgId = useMe().scope === 'organization' ? only : (selected ?? only)
  return orgId ? children(orgId) : <ChooseOrganization what={what} />
}

function ChooseOrganization({ what }: { what: string }) {
  const count = useOrganizationCount()
  const open = useOpenDialog('organization')
  if (count === undefined || count === 1) return <SkeletonLines count={3} />
  if (count === 0) return <NoOrganization>{`${what} belong to an organization, and there is none yet.`}</NoOrganization>
  return (
    <EmptyList
      icon={<IconBuilding stroke={1.5} />}
      title="Choose an organization"
      action={<Button onClick={open}>Choose organization</Button>}
    >
      {what} belong to one organization.
    </EmptyList>
  )
}
