import { Button } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { EmptyList, SkeletonLines } from '../../ui/states.tsx'
import { NoOrganization } from './no-organization.tsx'
import { useOrganizationCount, useShownOrganizationId } from './selected-organization.ts'

interface Props {
  /** What the page shows of one organization. */
  what: string
  children: (orgId: string) => ReactNode
}

/** For pages about one organization. */
export function OfOrganization({ what, children }: Props) {
  const orgId = useShownOrganizationId()
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
