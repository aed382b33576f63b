import { Text } from '@mantine/core'
import type { ErasureView } from '../../../shared/api/lifecycle.ts'
import { FormerOrganizationPage } from '../../domain/organizations/former-organization-page.tsx'
import { pairNames } from '../../domain/organizations/same-names.ts'
import { Panel } from '../../ui/panel.tsx'
import { ErasureState } from './erasure-state.tsx'

/** In place of an organization that is being deleted, or was: its progress. */
export function ErasedOrganization({ erasure }: { erasure: ErasureView }) {
  const isDone = erasure.state === 'completed'
  if (erasure.mergedInto) {
    const [loserName] = pairNames({ name: erasure.orgName, slug: erasure.orgSlug }, erasure.mergedInto)
    return (
      <FormerOrganizationPage title={`${loserName} is merged`}>
        <ErasureState erasure={erasure} />
      </FormerOrganizationPage>
    )
  }
  return (
    <FormerOrganizationPage title={isDone ? `${erasure.orgName} is deleted` : `${erasure.orgName} is being deleted`}>
      <Panel title={erasure.isKept ? 'Deleted' : 'Deleted for good'}>
        <Text size="sm" mb="sm">
          {erasure.isKept
            ? 'It is off every list, and nobody gets it back. Its short name stays taken.'
            : isDone
              ? 'Everything it had is gone, and its short name is free again.'
              : 'The time it was kept in the archive is over. It can not be restored any more.'}
        </Text>
        <ErasureState erasure={erasure} />
      </Panel>
    </FormerOrganizationPage>
  )
}
