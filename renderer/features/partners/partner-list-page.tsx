import { Button, Modal } from '@mantine/core'
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { partnersQuery } from '../../data/partners.ts'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
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
      <PageHeader title="Companies" about="Everybody who works on this appliance." actions={createButton} />
      <Listed
        of={partners}
        empty={
          <EmptyList icon={<IconBuildingSkyscraper stroke={1.5} />} title="No companies" action={createButton}>
            A company has people, organizations and devices of its own.
          </EmptyList>
        }
      >
        {({ data, pagination }) => (
          <>
            <PartnerTable partners={data} isStale={partners.isPlaceholderData} />
            <Pager
              {...pagination}
              what="company"
              many="companies"
              onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
            />
          </>
        )}
      </Listed>
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
