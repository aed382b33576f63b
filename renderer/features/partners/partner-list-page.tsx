import { Button, Modal } from '@mantine/core'
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { companiesPageQuery } from '../../data/partners.ts'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Nothing } from '../../ui/states.tsx'
import { CreateForm } from './create-form.tsx'
import { CompanyTable } from './partner-table.tsx'

const limit = 50

/** The companies of the appliance, for whoever runs it. */
export function CompanyListPage() {
  const { page = 1, create } = useSearch({ from: '/app/companies' })
  const navigate = useNavigate({ from: '/companies' })
  const companies = useQuery(companiesPageQuery(page, limit))
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
        of={companies}
        empty={
          <Nothing icon={<IconBuildingSkyscraper stroke={1.5} />} title="No companies" action={createButton}>
            A company has people, organizations and devices of its own.
          </Nothing>
        }
      >
        {({ data, pagination }) => (
          <>
            <CompanyTable companies={data} isStale={companies.isPlaceholderData} />
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
            navigate({ to: '/companies/$companyId', params: { companyId: id }, search: {}, ignoreBlocker: true })
          }
        />
      </Modal>
    </>
  )
}
