import { Button, Modal } from '@mantine/core'
import { IconApi, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ApiKeyStatus } from '../../../shared/api/api-keys.ts'
import { apiKeysQuery, type CreatedApiKey } from '../../data/api-keys.ts'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useHasOrganizationChoice } from '../../domain/organizations/selected-organization.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSegments } from '../../ui/filter-segments.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { CreateForm } from './create-form.tsx'
import { CreatedKeyDialog } from './created-key-dialog.tsx'
import { maskedKey } from './key-labels.ts'
import { KeyTable } from './key-table.tsx'

const limit = 50

const statusOptions: { value: ApiKeyStatus; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
]

interface Filters {
  search?: string | undefined
  status?: ApiKeyStatus | undefined
}

export function ApiKeyListPage() {
  const me = useMe()
  const { org, status, search, page = 1, create } = useSearch({ from: '/app/settings/api-keys' })
  const navigate = useNavigate({ from: '/settings/api-keys' })
  const hasChoice = useHasOrganizationChoice()
  const [rawKey, setRawKey] = useState<CreatedApiKey | null>(null)
  const keys = useQuery(apiKeysQuery({ orgId: org, status, search, page, limit }))
  const filter = (change: Filters) =>
    navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true })
  const setCreate = (next: 'key' | undefined) =>
    navigate({ search: (old) => ({ ...old, create: next }), replace: !next })
  const mayWrite = can(me, 'organizations:write')
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('key')}>
      New key
    </Button>
  )
  const showNew = (key: CreatedApiKey) => {
    setRawKey(key)
    void setCreate(undefined)
  }
  return (
    <>
      <PageHeader
        title="API keys"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="API keys give scripts access to one organization."
        actions={createButton}
      />
      <FilterBar label="Search API keys">
        <SearchBox
          label="Search by name or key"
          value={search}
          onSearch={(text) => filter({ search: text && maskedKey(text) })}
        />
        <FilterSegments
          label="Keys to show"
          data={statusOptions}
          value={status}
          onChange={(next) => filter({ status: next })}
        />
      </FilterBar>
      <PagedList
        of={keys}
        what="key"
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
        empty={
          status || search || page > 1 ? (
            <NoMatch what="keys" onClear={() => filter({ status: undefined, search: undefined })} />
          ) : (
            <EmptyList
              icon={<IconApi stroke={1.5} />}
              title={org ? 'This organization has no API keys' : 'No API keys'}
              action={createButton}
            >
              For scripts and monitoring; a key can never do more than the person who created it.
            </EmptyList>
          )
        }
      >
        {(rows, isStale) => (
          <KeyTable keys={rows} isStale={isStale} hasOrganizations={hasChoice && !org} onRotated={setRawKey} />
        )}
      </PagedList>
      <Modal
        opened={create === 'key' && mayWrite}
        onClose={closeUnlessUnsaved(() => setCreate(undefined))}
        title="New API key"
        size="lg"
      >
        <CreateForm orgId={org} onCreated={showNew} />
      </Modal>
      <CreatedKeyDialog rawKey={rawKey} onClose={() => setRawKey(null)} />
    </>
  )
}
