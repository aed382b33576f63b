import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { enrollmentKeysQuery } from '../../data/enrollment-keys.ts'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { FilterSegments } from '../../ui/filter-segments.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { DeviceLimitNotice } from './device-limit-notice.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyTable } from './key-table.tsx'

const limit = 50
const stateOptions = [
  { value: 'current', label: 'Not expired' },
  { value: 'expired', label: 'Expired' },
] as const
const expiredFor = { current: 'false', expired: 'true' } as const

export function EnrollmentKeyListPage() {
  const me = useMe()
  const { org, state, page = 1, create } = useSearch({ from: '/app/enrollment-keys' })
  const navigate = useNavigate({ from: '/enrollment-keys' })
  const keys = useQuery(enrollmentKeysQuery({ orgId: org, expired: state && expiredFor[state], page, limit }))
  type Search = { org?: string; state?: 'current' | 'expired'; page?: number; create?: 'key' }
  const setSearch = (change: Search) => navigate({ search: (old) => ({ ...old, page: undefined, ...change }) })
  const mayWrite = can(me, 'organizations:write')
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setSearch({ create: 'key' })}>
      New key
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Enrollment keys"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Each key lets a limited number of devices enroll at one site until it expires."
        actions={createButton}
      />
      <Group mb="md" gap="sm">
        <FilterSegments
          label="Keys to show"
          data={stateOptions}
          value={state}
          onChange={(next) => setSearch({ state: next })}
        />
      </Group>
      <Stack gap="md">
        <DeviceLimitNotice orgId={org} />
        <PagedList
          of={keys}
          what="key"
          onPage={(page) => setSearch({ page })}
          empty={
            state || page > 1 ? (
              <NoMatch what="keys" onClear={() => setSearch({ state: undefined })} />
            ) : (
              <EmptyList
                icon={<IconKey stroke={1.5} />}
                title={org ? 'This organization has no enrollment keys' : 'No enrollment keys'}
                action={createButton}
              >
                {createButton && '“Add a device” creates one for you. Create one here to roll out by script.'}
              </EmptyList>
            )
          }
        >
          {(rows, isStale) => <KeyTable keys={rows} isStale={isStale} hasOrganizations />}
        </PagedList>
      </Stack>
      <Modal
        opened={create === 'key' && mayWrite}
        onClose={closeUnlessUnsaved(() => setSearch({ create: undefined }))}
        title="New enrollment key"
      >
        <KeyForm orgId={org} onDone={() => setSearch({ create: undefined })} />
      </Modal>
    </>
  )
}
