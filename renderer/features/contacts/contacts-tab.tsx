import { Button, Group, Modal } from '@mantine/core'
import { IconAddressBook, IconPlus } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Contact, type ContactRole, contactRole, type listContacts } from '../../../shared/api/contacts.ts'
import type { Organization } from '../../../shared/api/organizations.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { contactsQuery } from '../../data/contacts.ts'
import { sitesQuery } from '../../data/sites.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { withDistinctNames } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { ContactForm } from './contact-form.tsx'
import { contactRoleNames } from './contact-labels.ts'
import { ContactTable } from './contact-table.tsx'

const limit = 50

export function ContactsTab({ organization }: { organization: Organization }) {
  const { id: orgId } = organization
  const me = useMe()
  const mayWrite = can(me, 'organizations:write') && !isFrozen(organization)
  const { at, role, page = 1 } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const sites = withDistinctNames(useQuery({ ...sitesQuery(orgId), enabled: can(me, 'sites:read') }).data ?? [])
  const contacts = useQuery(contactsQuery(orgId, { siteId: at, role, page, limit }))
  const setFilter = (change: ContactFilter) => navigate({ search: (old) => ({ ...old, page: undefined, ...change }) })
  const openForm = (id?: string) => navigate({ search: (old) => ({ ...old, edit: 'contact' as const, item: id }) })
  const createButton = mayWrite && (
    <Group gap="xs">
      <ButtonLink variant="subtle" color="gray" to="/contacts/import" search={{ into: orgId }}>
        Import
      </ButtonLink>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => openForm()}>
        New contact
      </Button>
    </Group>
  )
  const isFiltered = [at, role].some(Boolean) || page > 1
  if (contacts.data?.data.length === 0 && !isFiltered)
    return (
      <>
        <EmptyList icon={<IconAddressBook stroke={1.5} />} title="No contacts yet" action={createButton}>
          People to call about the organization or one of its sites.
        </EmptyList>
        {mayWrite && <ContactDialogs orgId={orgId} sites={sites} contacts={[]} />}
      </>
    )
  return (
    <>
      <FilterBar label="Filter contacts" actions={createButton}>
        <ContactFilters sites={sites} at={at} role={role} onChange={setFilter} />
      </FilterBar>
      <Contacts
        contacts={contacts}
        sites={sites}
        onEdit={mayWrite ? openForm : undefined}
        onClear={() => setFilter({ at: undefined, role: undefined })}
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
      />
      {mayWrite && <ContactDialogs orgId={orgId} sites={sites} contacts={contacts.data?.data} />}
    </>
  )
}

interface ContactsProps {
  contacts: UseQueryResult<ReplyOf<typeof listContacts>>
  sites: SiteOption[]
  onEdit: ((id: string) => void) | undefined
  onClear: () => void
  onPage: (page?: number) => void
}

function Contacts({ contacts, sites, onEdit, onClear, onPage }: ContactsProps) {
  return (
    <PagedList of={contacts} empty={<NoMatch what="contacts" onClear={onClear} />} what="contact" onPage={onPage}>
      {(rows, isStale) => <ContactTable contacts={rows} sites={sites} isStale={isStale} onEdit={onEdit} />}
    </PagedList>
  )
}

interface DialogsProps {
  orgId: string
  sites: SiteOption[]
  contacts: Contact[] | undefined
}

function ContactDialogs({ orgId, sites, contacts }: DialogsProps) {
  const { at, edit, item } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined, item: undefined }) })
  const edited = contacts?.find(({ id }) => id === item)
  const isOpen = edit === 'contact'
  return (
    <>
      <Modal opened={isOpen && !item} onClose={closeUnlessUnsaved(close)} title="New contact">
        <ContactForm orgId={orgId} sites={sites} siteId={at === 'none' ? undefined : at} onDone={close} />
      </Modal>
      <Modal opened={isOpen && edited !== undefined} onClose={closeUnlessUnsaved(close)} title="Edit contact">
        {edited && <ContactForm orgId={orgId} sites={sites} contact={edited} onDone={close} />}
      </Modal>
    </>
  )
}

interface SiteOption {
  id: string
  name: string
}

interface ContactFilter {
  at?: string | undefined
  role?: ContactRole | undefined
}

interface FilterProps extends ContactFilter {
  sites: SiteOption[]
  onChange: (change: ContactFilter) => void
}

function ContactFilters({ sites, at, role, onChange }: FilterProps) {
  return (
    <>
      <FilterSelect
        label="Site"
        searchable
        limit={50}
        data={[
          { value: 'none', label: 'Whole organization' },
          ...sites.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={at}
        onChange={(next) => onChange({ at: next })}
      />
      <FilterSelect
        label="Role"
        data={contactRole.options.map((value) => ({ value, label: contactRoleNames[value] }))}
        value={role}
        onChange={(next) => onChange({ role: next })}
      />
    </>
  )
}
