import { Button, Modal } from '@mantine/core'
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Failed, Lines, Nothing } from '../../ui/states.tsx'
import { CompanyTable } from './company-table.tsx'
import { CreateForm } from './create-form.tsx'
import { companiesPageQuery } from './data.ts'

const limit = 50

/** The companies of the appliance, for whoever runs it. */
export function CompanyListPage() {
  const { page = 1, create } = useSearch({ from: '/app/companies' })
  const navigate = useNavigate({ from: '/companies' })
  const { data, error, refetch, isPlaceholderData } = useQuery(companiesPageQuery(page, limit))
  const setCreate = (next: 'company' | undefined) => navigate({ search: (old) => ({ ...old, create: next }) })
  const createButton = (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('company')}>
      New company
    </Button>
  )
  return (
    <>
      <PageHeader title="Companies" about="Everybody who works on this appliance." actions={createButton} />
      {error && !data ? (
        <Failed error={error} onRetry={refetch} />
      ) : !data ? (
        <Lines />
      ) : data.data.length === 0 ? (
        <Nothing icon={<IconBuildingSkyscraper stroke={1.5} />} title="No companies" action={createButton}>
          A company has people, organizations and devices of its own.
        </Nothing>
      ) : (
        <>
          <CompanyTable companies={data.data} isStale={isPlaceholderData} />
          <Pager
            page={page}
            limit={limit}
            total={data.pagination.total}
            what="company"
            many="companies"
            onPage={(next) => navigate({ search: (old) => ({ ...old, page: next > 1 ? next : undefined }) })}
          />
        </>
      )}
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
