import { Anchor, Badge, Group, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { Contact } from '../../../shared/api/contacts.ts'
import { removeContact } from '../../data/contacts.ts'
import { dash } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { contactRoleNames } from './contact-labels.ts'

interface Props {
  contacts: Contact[]
  sites: { id: string; name: string }[]
  isStale: boolean
  /** Undefined if the user may not edit. */
  onEdit: ((id: string) => void) | undefined
}

/** Display name of a contact: its name, email address or phone number. */
export const contactName = ({ name, email, phone, mobile }: Contact): string => name ?? email ?? phone ?? mobile ?? ''

export function ContactTable({ contacts, sites, isStale, onEdit }: Props) {
  const siteName = (id: string) => sites.find((site) => site.id === id)?.name ?? 'A site'
  return (
    <DataTable
      label="Contacts"
      rows={contacts}
      rowKey={({ id }) => id}
      columns={columnsFor(siteName, onEdit)}
      minWidth={760}
      isStale={isStale}
      columnChoice="contacts"
    />
  )
}

function columnsFor(siteName: (id: string) => string, onEdit: Props['onEdit']): Column<Contact>[] {
  const menu =
    onEdit && menuColumn((contact: Contact) => <ContactMenu contact={contact} onEdit={() => onEdit(contact.id)} />)
  return [
    { id: 'name', title: 'Name', isFixed: true, cell: (contact) => <Name contact={contact} /> },
    { id: 'where', title: 'Site', cell: ({ siteId }) => (siteId ? siteName(siteId) : 'Whole organization') },
    {
      id: 'roles',
      title: 'Roles',
      cell: ({ roles }) => roles.map((role) => contactRoleNames[role]).join(', ') || dash,
    },
    { id: 'email', title: 'Email', cell: ({ email }) => (email ? <Mail address={email} /> : dash) },
    { id: 'phone', title: 'Phone', cell: (contact) => <Numbers {...contact} /> },
    ...(menu ? [menu] : []),
  ]
}

function Name({ contact }: { contact: Contact }) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {contactName(contact)}
        </Text>
        {contact.isPrimary && (
          <Badge variant="light" size="sm">
            Primary
          </Badge>
        )}
      </Group>
      {contact.title && <SecondLine>{contact.title}</SecondLine>}
    </>
  )
}

function Mail({ address }: { address: string }) {
  return (
    <Anchor size="sm" c="var(--accent-text)" href={`mailto:${address}`}>
      {address}
    </Anchor>
  )
}

function Numbers({ phone, mobile }: Pick<Contact, 'phone' | 'mobile'>) {
  if (!phone && !mobile) return dash
  return (
    <>
      {phone && <PhoneNumber number={phone} />}
      {mobile && <PhoneNumber number={mobile} kind="Mobile" />}
    </>
  )
}

function PhoneNumber({ number, kind }: { number: string; kind?: string }) {
  return (
    <div>
      <Anchor size="sm" c="var(--accent-text)" href={`tel:${number.replace(/[^+\d]/g, '')}`}>
        {number}
      </Anchor>
      {kind && (
        <Text span size="xs" c="dimmed">
          {' '}
          {kind}
        </Text>
      )}
    </div>
  )
}

function ContactMenu({ contact, onEdit }: { contact: Contact; onEdit: () => void }) {
  const remove = useMutation(removeContact)
  const name = contactName(contact)
  const confirmDelete = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: contact.isPrimary
        ? 'This is the primary contact. It won’t be replaced automatically.'
        : 'The contact is deleted permanently.',
      confirm: 'Delete contact',
      run: () => remove.mutateAsync(contact.id),
      failed: 'The contact wasn’t deleted',
    })
    if (isDeleted) notifyDone(`${name} was deleted`)
  }
  return (
    <RowMenu
      name={name}
      isBusy={remove.isPending}
      actions={[
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: confirmDelete },
      ]}
    />
  )
}
