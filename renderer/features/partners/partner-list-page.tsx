import { Button, Modal } from '@mantine/core'
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { partnersQuery } from '../../data/partners.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { CreateForm } from './create-form.tsx'
import { PartnerTable } from './partner-table.tsx'

const limit = 50

/** The partners of the appliance, for platform administrators. */
export function PartnerListPage() {
  const { page = 1, create } = useSearch({ from: '/app/companies' })
  const navigate = useNavigate({ from: '/companies' })
  const partners = useQuery(partnersQuery(page, limit))
  const setCreate = (next: 'company' | undefined) => navigate({ search: (old) => ({ ...old, create: next }) })
  const createButton = (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('company')}>
      New company
    </Button>
  )
  return (
    <>
      <PageHeader title="Companies" about="All companies on this appliance." actions={createButton} />
      <PagedList
        of={partners}
        what="company"
        many="companies"
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
        empty={
          <EmptyList icon={<IconBuildingSkyscraper stroke={1.5} />} title="No companies" action={createButton}>
            A company has its own people, organizations and devices.
          </EmptyList>
        }
      >
        {(rows, isStale) => <PartnerTable partners={rows} isStale={isStale} />}
      </PagedList>
      <Modal opened={create === 'company'} onClose={() => setCreate(undefined)} title="New company">
        <CreateForm
          onDone={({ id }) =>
            navigate({ to: '/companies/$partnerId', params: { partnerId: id }, search: {}, ignoreBlocker: true })
          }
        />
      </Modal>
    </>
  )
}
