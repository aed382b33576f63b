import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Contact } from '../../../shared/api/contacts.ts'
import { contactsQuery } from '../../data/contacts.ts'
import { OrganizationTabLink } from '../../domain/organizations/organization-tab-link.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { contactName } from './contact-table.tsx'

/** The primary and the billing contact. */
export function ContactsSummary({ orgId }: { orgId: string }) {
  const contacts = useQuery(contactsQuery(orgId, { siteId: 'none', page: 1, limit: 100 }))
  return (
    <Panel title="Contacts" actions={<OrganizationTabLink tab="contacts">All contacts</OrganizationTabLink>}>
      <Listed of={contacts} lines={2} empty="No contacts yet.">
        {({ data }) => <FirstContacts contacts={data} />}
      </Listed>
    </Panel>
  )
}

function FirstContacts({ contacts }: { contacts: Contact[] }) {
  const primary = contacts.find(({ isPrimary }) => isPrimary)
  const billing = contacts.filter(({ roles }) => roles.includes('billing'))
  const first = billing.find(({ isPrimary }) => isPrimary) ?? billing[0]
  return (
    <Facts>
      <Fact name="Primary">{primary && <ContactLine contact={primary} />}</Fact>
      <Fact name="Billing">{first && <ContactLine contact={first} />}</Fact>
    </Facts>
  )
}

function ContactLine({ contact }: { contact: Contact }) {
  const channels = [contact.email, contact.phone ?? contact.mobile].filter(
    (channel) => channel && channel !== contactName(contact),
  )
  return (
    <>
      {contactName(contact)}
      {channels.length > 0 && (
        <Text size="xs" c="dimmed" component="span" display="block">
          {channels.join(' · ')}
        </Text>
      )}
    </>
  )
}
