import { useQuery } from '@tanstack/react-query'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { NoOrganization } from '../../../domain/organizations/no-organization.tsx'
import { OrganizationSelect } from '../../../domain/organizations/organization-select.tsx'
import { Listed } from '../../../ui/loaded.tsx'

/** Before the first question, where nothing says whose devices are meant. */
export function ChooseOrganization({ onChoose }: { onChoose: (orgId: string) => void }) {
  return (
    <Listed
      of={useQuery(organizationTreeQuery)}
      lines={3}
      empty={<NoOrganization>Devices belong to an organization, and there is none yet.</NoOrganization>}
    >
      {(organizations) => (
        <OrganizationSelect isFirst organizations={organizations} onChange={(id) => id && onChoose(id)} />
      )}
    </Listed>
  )
}
