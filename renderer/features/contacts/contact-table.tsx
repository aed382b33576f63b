import { Anchor, Badge, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { Contact } from '../../../shared/api/contacts.ts'
import { removeContact } from '../../data/contacts.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { contactRoleNames } from './contact-labels.ts'

interface Props {
  contacts: Contact[]
  sites: { id: string; name: string }[]
  isStale: boolean
  /** Undefined if the user may not edit. */
  onEdit: ((id: string) => void) | undefined
}

/** Display name of a contact: its name, e-mail address or phone number. */
export const contactName = ({ name, email, phone, mobile }: Contact): string => name ?? email ?? phone ?? mobile ?? ''

export function ContactTable({ contacts, sites, isStale, onEdit }: Props) {
  return (
    <TableFrame label="Contacts" isStale={isStale}>
      <Table tabularNums miw={{ sm: 760 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th>Roles</Table.Th>
            <Table.Th>E-mail</Table.Th>
            <Table.Th>Phone</Table.Th>
            {onEdit && (
              <Table.Th w={50}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {contacts.map((contact) => (
            <ContactRow
              key={contact.id}
              contact={contact}
              site={sites.find(({ id }) => id === contact.siteId)?.name}
              onEdit={onEdit}
            />
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

interface RowProps extends Pick<Props, 'onEdit'> {
  contact: Contact
  site: string | undefined
}

function ContactRow({ contact, site, onEdit }: RowProps) {
  const { siteId, email, phone, mobile, title, roles, isPrimary } = contact
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {contactName(contact)}
          </Text>
          {isPrimary && (
            <Badge variant="light" size="sm">
              Primary
            </Badge>
          )}
        </Group>
        {title && (
          <Text size="xs" c="dimmed">
            {title}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Where">{siteId ? (site ?? 'A site') : 'Whole organization'}</Table.Td>
      <Table.Td data-label="Roles">{roles.map((role) => contactRoleNames[role]).join(', ') || '–'}</Table.Td>
      <Table.Td data-label="E-mail">
        {email ? (
          <Anchor size="sm" c="var(--accent-text)" href={`mailto:${email}`}>
            {email}
          </Anchor>
        ) : (
          '–'
        )}
      </Table.Td>
      <Table.Td data-label="Phone">
        <Numbers numbers={[phone, mobile]} />
      </Table.Td>
      {onEdit && (
        <Table.Td data-corner>
          <ContactMenu contact={contact} onEdit={() => onEdit(contact.id)} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function Numbers({ numbers }: { numbers: (string | null)[] }) {
  const given = numbers.filter((number) => number !== null)
  if (given.length === 0) return '–'
  return given.map((number) => (
    <div key={number}>
      <Anchor size="sm" c="var(--accent-text)" href={`tel:${number.replace(/[^+\d]/g, '')}`}>
        {number}
      </Anchor>
    </div>
  ))
}

function ContactMenu({ contact, onEdit }: { contact: Contact; onEdit: () => void }) {
  const remove = useMutation(removeContact)
  const name = contactName(contact)
  const confirmDelete = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name}?`,
      consequences: contact.isPrimary
        ? 'This is the primary contact. No other takes its place by itself.'
        : 'The contact is gone for good.',
      confirm: 'Delete the contact',
      cancel: 'Keep it',
      run: () => remove.mutateAsync(contact.id),
      failed: 'The contact was not deleted',
    })
    if (isDeleted) notifyDone(`${name} is deleted`)
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
