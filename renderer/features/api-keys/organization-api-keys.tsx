import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiKeysQuery, type CreatedApiKey } from '../../data/api-keys.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { CreatedKeyDialog } from './created-key-dialog.tsx'
import { KeyTable } from './key-table.tsx'

/** The newest keys of one organization. */
export function OrganizationApiKeys({ orgId }: { orgId: string }) {
  const keys = useQuery(apiKeysQuery({ orgId, status: 'active', page: 1, limit: 10 }))
  const [rawKey, setRawKey] = useState<CreatedApiKey | null>(null)
  return (
    <Panel
      title="API keys"
      actions={
        <ButtonLink size="xs" variant="default" to="/settings/api-keys" search={{ org: orgId }}>
          All API keys
        </ButtonLink>
      }
    >
      <Listed of={keys} lines={3} empty="No API keys.">
        {({ data }) => <KeyTable keys={data} onRotated={setRawKey} />}
      </Listed>
      <CreatedKeyDialog rawKey={rawKey} onClose={() => setRawKey(null)} />
    </Panel>
  )
}
