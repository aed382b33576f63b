import { Button } from '@mantine/core'
import { useHasOrganizationChoice, useSelectedOrganizationId, useSelectOrganization } from './selected-organization.ts'

/** Where nothing matches: the list may be limited to an organization that was chosen on another page. */
export function SearchEverywhere() {
  const select = useSelectOrganization()
  const hasChoice = useHasOrganizationChoice()
  const isLimited = useSelectedOrganizationId() !== undefined
  if (!hasChoice || !isLimited) return null
  return (
    <Button variant="default" onClick={() => select(undefined)}>
      Search all organizations
    </Button>
  )
}
