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
      <FormerOrganizationPage title={`${loserName} was merged`}>
        <ErasureState erasure={erasure} />
      </FormerOrganizationPage>
    )
  }
  return (
    <FormerOrganizationPage title={isDone ? `${erasure.orgName} was deleted` : `${erasure.orgName} is being deleted`}>
      <Panel title={erasure.isKept ? 'Deleted' : 'Permanently deleted'}>
        <Text size="sm" mb="sm">
          {erasure.isKept
            ? 'The organization is no longer listed and can’t be restored. Its short name stays reserved.'
            : isDone
              ? 'All its data is gone, and its short name is available again.'
              : 'Its time in the archive is over. It can no longer be restored.'}
        </Text>
        <ErasureState erasure={erasure} />
      </Panel>
    </FormerOrganizationPage>
  )
}
